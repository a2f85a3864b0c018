import { Injectable } from '@nestjs/common';
import { assertScope } from '../../../platform/auth/access.js';
import { Clock } from '../../../platform/clock/clock.js';
import { Database } from '../../../platform/database/database.js';
import { make } from '../../../platform/database/rows.js';
import { conflict, invalidField, unprocessable } from '../../../platform/errors/app-error.js';
import { checkedAs } from '../../../platform/http/format-check.js';
import { assertVersion, type ExpectedVersions } from '../../../platform/http/if-match.js';
import { newId } from '../../../platform/ids/id.js';
import { daysAfter } from '../../../platform/time/calendar.js';
import { byReason, changedIn, PayloadErasuresService, Undoes, versionAfter } from '../../action-ledger/index.js';
import { UnitSalesService } from '../../bookings/index.js';
import { CustomersService } from '../../customers/index.js';
import { type DepartureSummary, DeparturesService } from '../../operations/index.js';
import { ProductsService, UnitPricesService } from '../../products/index.js';
import { WaitingEntriesRepository } from './waiting-entries.repository.js';
import {
  type CreateWaitingEntry,
  type ListWaitingEntries,
  UpdateWaitingEntry,
  type WaitingEntryView,
} from './waiting-entry.dto.js';
import { WaitingEntry, type WaitingNeed } from './waiting-entry.entity.js';
import { WaitingOffersService } from './waiting-offers.service.js';

const MAX_DAYS = 92;
const REASON = 'The data of the customer was erased on request';

/** Where a customer waits; the departures that suit now are locked, the first one first. */
interface Target {
  departureId: string | null;
  productId: string;
  from: string | null;
  to: string | null;
  departures: readonly DepartureSummary[];
}

/**
 * The waiting list. Every change of what an entry waits for locks the departures that suit it, and offers their free units, so no
 * entry waits while enough units are free. Ten dependencies: an entry is of a customer, needs units of a product on a
 * departure, and becomes a booking.
 */
@Injectable()
export class WaitingEntriesService {
  constructor(
    private readonly database: Database,
    private readonly repository: WaitingEntriesRepository,
    private readonly offers: WaitingOffersService,
    private readonly departures: DeparturesService,
    private readonly products: ProductsService,
    private readonly unitPrices: UnitPricesService,
    private readonly unitSales: UnitSalesService,
    private readonly customers: CustomersService,
    private readonly payloads: PayloadErasuresService,
    private readonly clock: Clock,
  ) {}

  async create(input: CreateWaitingEntry, id = newId('wait')): Promise<WaitingEntryView> {
    return this.database.transaction(async () => {
      const { id: customerId } = await this.customers.lockLive(input.customerId);
      const { departures, ...target } = await this.lockTarget(input);
      const need = await this.needOf(target, input, departures);
      const { priority = 0, note = null } = input;
      const entry = make(WaitingEntry, {
        ...{ id, customerId, priority, note, status: 'waiting', offers: 0, createdAt: this.clock.now() },
        ...target,
        ...need,
      });
      await this.offers.save('create', entry, { before: null });
      await this.offerAll(departures);
      return this.repository.get(id);
    });
  }

  async list(query: ListWaitingEntries): Promise<{ views: WaitingEntryView[]; total: number }> {
    return this.repository.list(query);
  }

  async get(id: string): Promise<WaitingEntryView> {
    return this.repository.get(id);
  }

  /** Returns an entry with the language of its customer; null for an unknown id. */
  async findForCustomer(id: string): Promise<{ entry: WaitingEntry; language: string | null } | null> {
    const entry = await this.repository.rows.find(id);
    if (!entry) return null;
    return { entry, language: await this.repository.languageOf(entry) };
  }

  @Undoes('operations.waiting_entry.update', {
    effect: 'operations.waiting_entry.update',
    values: async (entry) =>
      [entry.subjectId, await checkedAs(UpdateWaitingEntry, changedIn(entry)), versionAfter(entry)] as const,
  })
  async update(id: string, body: UpdateWaitingEntry, expected: ExpectedVersions): Promise<WaitingEntryView> {
    const { optionId, units, quantity, ...changes } = body;
    return this.database.transaction(async () => {
      const { departures } = await this.lockTargetOf(await this.repository.rows.get(id));
      const entry = await this.offers.lock(id);
      assertVersion(expected, entry);
      const before = entry.auditImage();
      const isNeedChanged = optionId !== undefined || units !== undefined || quantity !== undefined;
      const wanted = {
        optionId: optionId === undefined ? entry.optionId : optionId,
        units: units ?? (entry.units.length > 0 ? entry.units : undefined),
        quantity: quantity ?? entry.quantity ?? undefined,
      };
      entry.change(changes, isNeedChanged ? await this.needOf(entry, wanted, departures) : null, this.clock.now());
      await this.offers.save('update', entry, { before });
      await this.offerAll(departures);
      return this.repository.get(id);
    });
  }

  @Undoes('operations.waiting_entry.create', { effect: 'operations.waiting_entry.withdraw', values: byReason })
  async withdraw(id: string, reason: string | null, expected: ExpectedVersions): Promise<WaitingEntryView> {
    return this.database.transaction(async () => {
      const entry = await this.offers.lock(id);
      assertVersion(expected, entry);
      await this.offers.end(entry, 'withdrawn', { reason: 'withdrawn_by_staff', note: reason });
      return this.repository.get(id);
    });
  }

  /** Books the offered units in a draft of the customer, at the prices of a sale of today. */
  async accept(id: string, expected: ExpectedVersions): Promise<WaitingEntryView> {
    assertScope('bookings:write');
    return this.book(id, (entry) => assertVersion(expected, entry));
  }

  /** Like `accept`, by the customer who has read about this offer, counted from 1. */
  async acceptByCustomer(id: string, offer: number): Promise<WaitingEntryView> {
    return this.book(id, (entry) => entry.assertOffer(offer, this.clock.now()));
  }

  /** Declines the offer and withdraws the entry. */
  async declineByCustomer(id: string, offer: number): Promise<void> {
    await this.database.transaction(async () => {
      const entry = await this.offers.lock(id);
      entry.assertOffer(offer, this.clock.now());
      await this.offers.end(entry, 'withdrawn', { reason: 'declined_by_customer' });
    });
  }

  /** Throws 409 if the customer waits for something. */
  async assertNoneOpenOf(customerId: string): Promise<void> {
    const waitingEntries = await this.repository.countOpenOf(customerId);
    if (waitingEntries === 0) return;
    throw conflict('customer_in_use', 'The customer is on the waiting list', { waitingEntries });
  }

  async listOf(customerIds: readonly string[]): Promise<WaitingEntry[]> {
    return this.repository.listOf(customerIds);
  }

  /** Moves the entries of merged customers to the customer that replaces them. */
  async move(customerId: string, formerIds: readonly string[]): Promise<{ id: string; formerId: string }[]> {
    return this.repository.move(customerId, formerIds);
  }

  async moveBack(customerId: string, entries: readonly { id: string; formerId: string }[]): Promise<void> {
    await this.repository.moveBack(customerId, entries);
  }

  /** The customers get no more offers, and nothing in their entries names them. Returns the number of entries. */
  async eraseOf(customerIds: readonly string[]): Promise<number> {
    return this.database.transaction(async () => {
      const found = await this.repository.listOf(customerIds);
      for (const { id } of found) {
        const entry = await this.offers.lock(id);
        // The snapshots of this transaction are written after the payloads are erased.
        entry.note = null;
        if (entry.isOpen()) await this.offers.end(entry, 'withdrawn', { reason: 'customer_erased' });
        const before = entry.auditImage();
        entry.eraseCustomer(this.clock.now());
        await this.offers.save('erase', entry, { before });
      }
      const ids = found.map(({ id }) => id);
      await this.payloads.eraseAbout('waiting_entry', ids, REASON);
      return ids.length;
    });
  }

  private async book(id: string, assertCurrent: (entry: WaitingEntry) => void): Promise<WaitingEntryView> {
    const { customerId: present } = await this.repository.rows.get(id);
    return this.database.transaction(async () => {
      if (present !== null) await this.customers.lockShared(present);
      const entry = await this.offers.lock(id);
      assertCurrent(entry);
      const now = this.clock.now();
      entry.assertOffered(now);
      const { customerId, offeredDepartureId: departureId, optionId, units, quantity } = entry;
      if (customerId === null || departureId === null) throw new Error('An offer has a customer and a departure');
      const before = entry.auditImage();
      await this.offers.releaseOf(entry)();
      const bookingId = await this.unitSales.sellHeld({ customerId, departureId, optionId, units, quantity });
      entry.accept(bookingId, now);
      await this.offers.save('accept', entry, { before });
      return this.repository.get(id);
    });
  }

  private async offerAll(departures: readonly DepartureSummary[]): Promise<void> {
    for (const { id } of departures) await this.offers.offerUnits(id);
  }

  private async lockTarget({ departureId, productId, from, to }: CreateWaitingEntry): Promise<Target> {
    if ((departureId === undefined) === (productId === undefined)) {
      throw invalidField('departureId', 'Either departureId or productId is required', 'exactly_one');
    }
    if (departureId !== undefined) {
      for (const [field, day] of Object.entries({ from, to })) {
        if (day !== undefined) throw invalidField(field, `${field} requires productId`, 'not_applicable');
      }
      const [departure] = await this.departures.lock([departureId]);
      if (!departure) throw new Error(`The departure ${departureId} was not locked`);
      assertAhead(departure);
      return { departureId, productId: departure.productId, from: null, to: null, departures: [departure] };
    }
    if (productId === undefined) throw new Error('One of them is given');
    const days = rangeOf({ from, to }, this.clock.today());
    await this.products.assertUsable(productId);
    const departures = await this.lockInRange(productId, days);
    return { departureId: null, productId, ...days, departures };
  }

  /** The departures that suit an entry. */
  private async lockTargetOf({ departureId, productId, from, to }: WaitingEntry): Promise<Pick<Target, 'departures'>> {
    if (departureId !== null) return { departures: await this.departures.lock([departureId]) };
    if (from === null || to === null) throw new Error('An entry without a departure has days');
    return { departures: await this.lockInRange(productId, { from, to }) };
  }

  private async lockInRange(productId: string, days: { from: string; to: string }): Promise<DepartureSummary[]> {
    const departures = await this.departures.lockUpcoming(productId, { after: this.clock.now(), ...days });
    return departures.sort((one, other) => one.startsAt.getTime() - other.startsAt.getTime());
  }

  /** An entry for a departure of one option waits for that option. */
  private async needOf(
    { productId, departureId }: Pick<WaitingEntry, 'productId' | 'departureId'>,
    { optionId: given = null, units, quantity }: Pick<CreateWaitingEntry, 'optionId' | 'units' | 'quantity'>,
    departures: readonly DepartureSummary[],
  ): Promise<WaitingNeed> {
    const own = departures.find(({ id }) => id === departureId)?.optionId ?? null;
    if (own !== null && given !== null && given !== own) {
      const details = { field: 'optionId', expected: own, actual: given };
      throw unprocessable('option_mismatch', 'The departure is of another option', details);
    }
    const optionId = units === undefined ? given : (given ?? own);
    const sold = await this.unitPrices.seatsOf(productId, { optionId, units: units ?? [] });
    if (sold === null) {
      if (units !== undefined) throw invalidField('units', 'The product is not sold by units', 'not_applicable');
      if (optionId !== null) throw invalidField('optionId', 'optionId requires units', 'not_applicable');
      if (quantity === undefined) throw invalidField('quantity', 'quantity is required', 'required');
      return { optionId: null, units: [], quantity, seats: quantity };
    }
    if (quantity !== undefined) throw invalidField('quantity', 'The product is sold by units', 'not_applicable');
    if (units === undefined)
      throw invalidField('units', 'units are required: the product is sold by units', 'required');
    const { seats } = sold;
    if (seats === 0) throw invalidField('units', 'At least one of the units must take a seat', 'too_few');
    const unitQuantities = units.map(({ unitId, quantity: count }) => ({ unitId, quantity: count }));
    return { optionId: sold.optionId, units: unitQuantities, quantity: null, seats };
  }
}

function assertAhead({ id, salesState, status }: DepartureSummary): void {
  const departureIds = [id];
  if (status === 'called_off') throw conflict('departure_called_off', 'The departure is called off', { departureIds });
  if (status === 'cancelled') throw conflict('departure_cancelled', 'The departure is cancelled', { departureIds });
  if (salesState !== 'departed' && salesState !== 'completed') return;
  throw conflict('departure_departed', 'The departure has started', { departureIds });
}

function rangeOf({ from, to }: { from?: string | undefined; to?: string | undefined }, today: string) {
  if (from === undefined) throw invalidField('from', 'productId requires from', 'required');
  if (to === undefined) throw invalidField('to', 'productId requires to', 'required');
  if (to < from) throw invalidField('to', 'to must not be before from', 'end_before_start');
  if (to > daysAfter(from, MAX_DAYS))
    throw invalidField('to', `to must be at most ${MAX_DAYS} days after from`, 'too_late');
  // It may still be yesterday at the place of the departure.
  if (to < daysAfter(today, -1)) throw invalidField('to', 'to must not be past', 'in_the_past');
  return { from, to };
}
