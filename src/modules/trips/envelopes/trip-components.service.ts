import { Injectable } from '@nestjs/common';
import { Clock } from '../../../platform/clock/clock.js';
import { Database } from '../../../platform/database/database.js';
import { make } from '../../../platform/database/rows.js';
import { AppError, conflict, invalidField, unprocessable } from '../../../platform/errors/app-error.js';
import { assertVersion, type Target } from '../../../platform/http/if-match.js';
import { checkedAs } from '../../../platform/http/format-check.js';
import { newId } from '../../../platform/ids/id.js';
import {
  ActionLedger,
  changedIn,
  parentIn,
  type RecordedAction,
  Undoes,
  versionAfter,
} from '../../action-ledger/index.js';
import { AgencyTermsService, TripSalesService } from '../../bookings/index.js';
import { DeparturesService, QuotesService } from '../../operations/index.js';
import { TaxCodesService } from '../../taxes/index.js';
import { type CreateComponent, UpdateComponent } from './trip-component.dto.js';
import { numberOf, TripComponent } from './trip-component.entity.js';
import type { Trip } from './trip.entity.js';
import { TripsRepository } from './trips.repository.js';

export const MAX_COMPONENTS = 50;

type ComponentTarget = Target<'envelopeId' | 'componentId'>;

/** Components of trips. Each change by staff locks the trip and clears its prices. */
@Injectable()
export class TripComponentsService {
  constructor(
    private readonly database: Database,
    private readonly repository: TripsRepository,
    private readonly departures: DeparturesService,
    private readonly quotes: QuotesService,
    private readonly taxCodes: TaxCodesService,
    private readonly sales: TripSalesService,
    private readonly agencies: AgencyTermsService,
    private readonly ledger: ActionLedger,
    private readonly clock: Clock,
  ) {}

  async add(envelopeId: string, input: CreateComponent, id = newId('tcmp')): Promise<TripComponent> {
    return this.database.transaction(async () => {
      const trip = await this.repository.trips.lock(envelopeId);
      const now = this.clock.now();
      trip.edit(now);
      const component = newComponent(input, { id, trip, now });
      component.assertMembersOfKind();
      const departure = await this.assertSellable(component, trip);
      const isByUnits = component.units.length > 0;
      if (input.taxCodeId === undefined && !isByUnits) component.taxCodeId = departure?.taxCodeId ?? null;
      else if (component.taxCodeId !== null) await this.taxCodes.assertUsable(component.taxCodeId);
      if (component.taxCodeId === null && !isByUnits) await this.assertCodeOptional();
      const others = await this.repository.componentsOf(envelopeId);
      if (others.length >= MAX_COMPONENTS) {
        throw conflict('component_limit_reached', `A trip has at most ${MAX_COMPONENTS} components`, {
          limit: MAX_COMPONENTS,
        });
      }
      await this.repository.appendComponent(component);
      await this.repository.trips.update(trip);
      const images = { before: null, after: component.auditImage() };
      this.ledger.record('trips.trip_component.create', { ...subjectOf(component), ...images });
      return component;
    });
  }

  @Undoes('trips.trip_component.update', {
    effect: 'trips.trip_component.update',
    values: async (entry) => [targetOf(entry), await checkedAs(UpdateComponent, changedIn(entry))] as const,
  })
  async update(target: ComponentTarget, changes: UpdateComponent): Promise<TripComponent> {
    return this.change(target, 'update', async (component, trip) => {
      const wasCoded = component.taxCodeId !== null;
      Object.assign(component, changes);
      if (component.units.length > 0) {
        if (changes.quantity === undefined) component.quantity = numberOf(component.units);
        if (changes.taxCodeId === undefined) component.taxCodeId = null;
      } else if (changes.units !== undefined && changes.optionId === undefined) component.optionId = null;
      if (changes.taxCodeId === null && wasCoded && component.units.length === 0) await this.assertCodeOptional();
      if (changes.taxCodeId) await this.taxCodes.assertUsable(changes.taxCodeId);
      if (component.unitPriceCents !== null) component.unitTaxIncludedCents ??= 0;
      component.assertMembersOfKind();
      await this.assertSellable(component, trip);
      component.clearPrice();
    });
  }

  /** The row stays, for the audit. */
  @Undoes('trips.trip_component.create', {
    effect: 'trips.trip_component.remove',
    values: (entry) => [targetOf(entry)] as const,
  })
  async remove(target: ComponentTarget): Promise<TripComponent> {
    return this.change(target, 'remove', async (component) => {
      component.remove();
      return Promise.resolve();
    });
  }

  /**
   * Moves components to the current day of their departure, including components of reserved and booked trips, even if it moved
   * several times. Each trip has its own transaction. With a booking, moves only components of its trip, in the caller's
   * transaction if there is one. Throws at the end if a trip was being reserved; the caller retries later.
   */
  async followDeparture(departureId: string, bookingId: string | null = null): Promise<void> {
    const busy: string[] = [];
    for (const id of await this.repository.idsNotOnDayOf(departureId, bookingId)) {
      if (!(await this.database.transaction(() => this.moveToDayOf(departureId, id)))) busy.push(id);
    }
    if (busy.length > 0)
      throw new Error(`Not moved with ${departureId}, because their trips are being reserved: ${busy.join(', ')}`);
  }

  /** Trips whose day differs from the departure of one of their components. */
  async listTripsNotOnDayOf(departureId: string): Promise<string[]> {
    return this.repository.idsNotOnDayOf(departureId);
  }

  /** The options of units that trips hold on the departure. */
  async listHeldOptions(departureId: string): Promise<string[]> {
    return this.repository.optionsHeldOn(departureId);
  }

  async countTripsOn(departureId: string): Promise<number> {
    return this.repository.countOnDeparture(departureId);
  }

  /** Moves booked components of a locked trip to the departures of their items. */
  async followItems(
    trip: Trip,
    items: readonly { id: string; departureId: string | null; serviceDate: string | null }[],
  ): Promise<void> {
    const components = await this.repository.componentsOf(trip.id);
    const moved = components.flatMap((component) => {
      const item = items.find(({ id }) => component.itemIds().includes(id));
      if (!item || component.status !== 'booked') return [];
      const before = component.auditImage();
      Object.assign(component, { departureId: item.departureId, serviceDate: item.serviceDate });
      return [{ component, before }];
    });
    await this.saveMoved(trip, moved, 'The departure was called off');
  }

  /** Returns false while the trip is being reserved. */
  private async moveToDayOf(departureId: string, tripId: string): Promise<boolean> {
    const trip = await this.repository.trips.lock(tripId);
    if (trip.status === 'reserve_in_progress') return false;
    const { startDate } = await this.departures.getSummary(departureId);
    const components = await this.repository.componentsOf(tripId);
    const moved = components.filter((one) => one.departureId === departureId && one.isOnOtherDay(startDate));
    if (moved.length === 0) return true;
    const followed = moved.map((component) => ({ component, before: component.auditImage() }));
    for (const component of moved) component.serviceDate = startDate;
    await this.saveMoved(trip, followed, 'The departure was moved');
    return true;
  }

  private async saveMoved(
    trip: Trip,
    moved: readonly { component: TripComponent; before: object }[],
    reason: string,
  ): Promise<void> {
    if (moved.length === 0) return;
    await this.repository.saveComponents(moved.map(({ component }) => component));
    trip.updatedAt = this.clock.now();
    await this.repository.trips.update(trip);
    for (const { component, before } of moved) {
      const images = { before, after: component.auditImage() };
      this.ledger.record('trips.trip_component.update', { ...subjectOf(component), ...images, reason });
    }
  }

  private async change(
    { envelopeId, componentId, expected }: ComponentTarget,
    verb: 'update' | 'remove',
    change: (component: TripComponent, trip: Trip) => Promise<void>,
  ): Promise<TripComponent> {
    return this.database.transaction(async () => {
      const trip = await this.repository.trips.lock(envelopeId);
      const component = await this.repository.getComponent(envelopeId, componentId);
      assertVersion(expected, component);
      trip.edit(this.clock.now());
      const before = component.auditImage();
      await change(component, trip);
      await this.repository.saveComponents([component]);
      await this.repository.trips.update(trip);
      const images = { before, after: component.auditImage() };
      this.ledger.record(`trips.trip_component.${verb}`, { ...subjectOf(component), ...images });
      return component;
    });
  }

  /** Requires a tax code if the accounting settings do. */
  private async assertCodeOptional(): Promise<void> {
    if (!(await this.sales.areTaxCodesRequired())) return;
    throw new AppError(400, 'tax_code_required', 'The accounting settings require a tax code', {
      details: { field: 'taxCodeId' },
    });
  }

  /** Throws 422 for units that the product does not sell like this, as a sale does. */
  private async assertSellable(
    { departureId, quantity, unitPriceCents, ...component }: TripComponent,
    { customerId }: Trip,
  ) {
    const departure =
      departureId === null ? null : await this.departures.getSummary(departureId, { field: 'departureId' });
    const { units, optionId, currency } = component;
    if (departure && units.length > 0) {
      if (departure.currency !== currency) {
        const details = { field: 'departureId', currency, departureCurrency: departure.currency };
        throw unprocessable('currency_mismatch', 'The departure is sold in another currency', details);
      }
      const { productId, startDate: serviceDate } = departure;
      const channelId = await this.agencies.channelOf(customerId);
      const sale = { optionId, channelId, currency, serviceDate, units, extras: [], departure };
      await this.quotes.quoteUnits(productId, sale);
      return departure;
    }
    const priceCents = departure ? departure.priceCents : (unitPriceCents ?? 0);
    if (Number.isSafeInteger(priceCents * quantity)) return departure;
    throw invalidField('quantity', 'Price of the whole quantity would exceed 2^53-1', 'amount_too_large');
  }
}

/** A component without a price, to be appended to the trip. */
export function newComponent(
  input: CreateComponent,
  { id, trip, now }: { id: string; trip: Trip; now: Date },
): TripComponent {
  const unitTax = input.unitTaxIncludedCents ?? (input.unitPriceCents === undefined ? null : 0);
  return make(TripComponent, {
    id,
    envelopeId: trip.id,
    position: 0,
    kind: input.kind,
    title: input.title,
    quantity: input.quantity ?? (input.units?.length ? numberOf(input.units) : 1),
    optionId: input.optionId,
    units: (input.units ?? []).map(({ unitId, quantity }) => ({ unitId, quantity })),
    lines: [],
    bookingItemIds: [],
    status: 'draft',
    departureId: input.departureId,
    providerRef: input.providerRef,
    unitPriceCents: input.unitPriceCents,
    unitTaxIncludedCents: unitTax,
    taxCodeId: input.taxCodeId,
    confirmedByStaff: input.confirmedByStaff ?? false,
    serviceDate: input.serviceDate,
    currency: trip.currency,
    warnings: [],
    createdAt: now,
  });
}

function subjectOf({ id }: TripComponent) {
  return { subjectType: 'trip_component', subjectId: id };
}

function targetOf(entry: RecordedAction): ComponentTarget {
  return { envelopeId: parentIn(entry, 'envelopeId'), componentId: entry.subjectId, expected: versionAfter(entry) };
}
