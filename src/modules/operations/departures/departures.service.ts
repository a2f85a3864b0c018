import { Injectable } from '@nestjs/common';
import { Clock } from '../../../platform/clock/clock.js';
import { Database } from '../../../platform/database/database.js';
import { Listeners } from '../../../platform/discovery/listeners.js';
import { conflict, notFound } from '../../../platform/errors/app-error.js';
import { checkedAs } from '../../../platform/http/format-check.js';
import { assertVersion, type ExpectedVersions } from '../../../platform/http/if-match.js';
import { newId } from '../../../platform/ids/id.js';
import { Outbox } from '../../../platform/outbox/outbox.js';
import {
  ActionLedger,
  assertUnchangedSince,
  byReason,
  type RecordedAction,
  type ReversalResult,
  Reverses,
  Undoes,
  versionAfter,
} from '../../action-ledger/index.js';
import { cutoffOf, ProductsService, UnitPricesService } from '../../products/index.js';
import { TaxCodesService } from '../../taxes/index.js';
import { FacilitiesService } from '../facilities/facilities.service.js';
import {
  type DepartureFollowers,
  DepartureListener,
  type DepartureMove,
  type DepartureWarning,
  type ResourceConflictRule,
  type ShortageRule,
} from './departure-listener.js';
import { DepartureMinimumsService } from './departure-minimums.service.js';
import { type DepartureSummary, toDepartureSummary } from './departure-summary.js';
import {
  type CreateDeparture,
  type ListDepartures,
  pickupsOf,
  unitPricesOf,
  UpdateDeparture,
} from './departure.dto.js';
import type { Departure, DepartureChanges, DeparturePickup, DepartureView } from './departure.entity.js';
import {
  type ChangedDeparture,
  type DepartureOutlook,
  DeparturesRepository,
  type Shortage,
  type Units,
} from './departures.repository.js';
import type { ResourceWarningRow } from './resource-warnings.js';
import { newDeparture } from './new-departure.js';
import { acceptedStates, bookableUntil, type CallOffReason, type SalesState, type SalesTerms } from './sales-state.js';
import { type Change, endsWithCallOff, isFreeing, isSale } from './unit-statements.js';

type UnitSource = 'pool' | 'guaranteed_slot' | 'cap_slot';

/** The source of units and their new state. */
interface Allocation {
  from: UnitSource;
  as: 'sold' | 'held';
}

/** An allocation without terms requires open sales. */
type Sale = Allocation & { terms?: SalesTerms };

/** The reverse of an `Allocation`. */
interface Release {
  to: UnitSource;
  from: 'sold' | 'held';
}

type Verb =
  | 'create'
  | 'update'
  | 'call_off'
  | 'withdraw_call_off'
  | 'cancel'
  | 'reinstate'
  | 'close_sales'
  | 'open_sales'
  | 'guarantee';

interface AuditImages {
  before: object | null;
  reason?: string | null;
}

/**
 * Departures and their units. A change by staff locks the product, then the departure, and listeners take part in the
 * transaction. Other modules allocate and release units (whole numbers above 0). Each of their changes is one guarded
 * statement, which needs no lock before it and cannot oversell. The counters of a slot belong to its allotment, which changes
 * them in the same transaction.
 */
@Injectable()
export class DeparturesService {
  constructor(
    private readonly database: Database,
    private readonly repository: DeparturesRepository,
    private readonly minimums: DepartureMinimumsService,
    private readonly facilities: FacilitiesService,
    private readonly taxCodes: TaxCodesService,
    private readonly products: ProductsService,
    private readonly unitPrices: UnitPricesService,
    private readonly listeners: Listeners,
    private readonly ledger: ActionLedger,
    private readonly outbox: Outbox,
    private readonly clock: Clock,
  ) {}

  async create(input: CreateDeparture, id = newId('dep')): Promise<DepartureView> {
    return this.database.transaction(async () => {
      await this.lockProduct(input.productId);
      const product = await this.products.findDefaults(input.productId);
      const { productId, optionId = null } = input;
      const optionCutoff = optionId === null ? null : await this.unitPrices.cutoffOfOption(productId, optionId);
      const departure = newDeparture(input, { id, product, optionCutoff, now: this.clock.now() });
      departure.assertConsistent();
      await this.products.assertUsable(departure.productId);
      if (departure.unitPrices.length > 0) {
        await this.unitPrices.assertPriceable(departure.productId, departure.unitPrices);
      }
      await this.facilities.lockUsable(departure.facilityId);
      await this.lockPickups(departure.pickups, []);
      if (departure.taxCodeId !== null) await this.taxCodes.assertUsable(departure.taxCodeId);
      await this.repository.departures.insert(departure);
      const summary = await this.getSummary(id);
      await this.listeners.call(DepartureListener, (listener) => listener.created?.(summary));
      return this.record('create', id, { before: null });
    });
  }

  /** With `productIds` only departures of these products. */
  async list(
    query: ListDepartures,
    productIds: readonly string[] | null = null,
  ): Promise<{ views: DepartureView[]; total: number }> {
    return this.repository.list(query, productIds);
  }

  async get(id: string, details?: { field: string }): Promise<DepartureView> {
    return this.repository.get(id, details);
  }

  /** Returns the departure, and warnings of listeners about its move. */
  @Undoes('operations.departure.update', {
    effect: 'operations.departure.update',
    values: async (entry) =>
      [entry.subjectId, await checkedAs(UpdateDeparture, entry.before), { expected: versionAfter(entry) }] as const,
  })
  async update(
    id: string,
    body: UpdateDeparture,
    {
      expected,
      onShortage = 'reject',
      onResourceConflict = 'reject',
    }: { expected: ExpectedVersions; onShortage?: ShortageRule; onResourceConflict?: ResourceConflictRule },
  ): Promise<{ departure: DepartureView; followers: number; warnings: DepartureWarning[]; unassigned: string[] }> {
    return this.database.transaction(async () => {
      const departure = await this.lockExpected(id, expected);
      const [before, previous] = [departure.auditImage(), toDepartureSummary(departure)];
      const { facilityId, pickups, taxCodeId, unitPrices, optionId } = departure;
      const move: DepartureMove = { onShortage, followers: 0, warnings: [], onResourceConflict, unassigned: [] };
      const now = this.clock.now();
      departure.change(changesOf(body), now);
      const isAheadAgain = previous.startsAt <= now && departure.startsAt > now;
      if (isAheadAgain) await this.products.assertNotArchived(departure.productId);
      if (departure.optionId !== null && departure.optionId !== optionId) {
        await this.unitPrices.cutoffOfOption(departure.productId, departure.optionId);
        await this.assertNoOtherOption(departure, departure.optionId);
      }
      // Prices that stay may be of a unit that was deleted since: they have no effect.
      if (body.unitPrices && JSON.stringify(departure.unitPrices) !== JSON.stringify(unitPrices)) {
        await this.unitPrices.assertPriceable(departure.productId, departure.unitPrices);
      }
      if (departure.facilityId !== facilityId) await this.facilities.lockUsable(departure.facilityId);
      await this.lockPickups(departure.pickups, pickups);
      if (departure.taxCodeId !== null && departure.taxCodeId !== taxCodeId) {
        await this.taxCodes.assertUsable(departure.taxCodeId);
      }
      await this.repository.departures.update(departure);
      const summary = await this.getSummary(id);
      if (isMoved(summary, previous)) {
        await this.listeners.call(DepartureListener, (listener) => listener.moved?.(summary, previous, move));
        this.publishMoved(summary, previous);
      } else if (summary.bookableUntil?.getTime() !== previous.bookableUntil?.getTime()) {
        await this.listeners.call(DepartureListener, (listener) => listener.cutOffMoved?.(summary));
      }
      if (summary.facilityId !== previous.facilityId) {
        await this.listeners.call(DepartureListener, (listener) => listener.meetingPointChanged?.(summary, previous));
      }
      if (departure.minParticipants !== null) await this.minimums.assess([id]);
      const { followers, warnings, unassigned } = move;
      return { departure: await this.record('update', id, { before }), followers, warnings, unassigned };
    });
  }

  /** Throws 409 `departure_in_use` if units of another option are sold or held on the departure. */
  private async assertNoOtherOption({ id, sold, held }: Departure, optionId: string): Promise<void> {
    const found = new Set<string>();
    for (const listener of this.listeners.all(DepartureListener)) {
      for (const used of (await listener.optionsInUse?.(id)) ?? []) found.add(used);
    }
    found.delete(optionId);
    if (found.size === 0) return;
    const details = { sold, held, optionIds: [...found].sort() };
    throw conflict('departure_in_use', 'Units of another option are sold or held on the departure', details);
  }

  /** What is wrong with the resources of the departure. Reads without locks, for what is shown to staff. */
  async listResourceWarnings(id: string): Promise<ResourceWarningRow[]> {
    return this.repository.listResourceWarnings(id, await this.minimums.countPeople(id));
  }

  /** The bookings and trips on the departure, and which of them are still on another day. */
  async listFollowers(id: string): Promise<DepartureFollowers[]> {
    await this.repository.get(id);
    const found: DepartureFollowers[] = [];
    for (const listener of this.listeners.all(DepartureListener)) {
      const followers = await listener.followers?.(id);
      if (followers) found.push(followers);
    }
    return found;
  }

  @Undoes(['operations.departure.create', 'operations.departure.reinstate'], {
    effect: 'operations.departure.cancel',
    values: byReason,
  })
  async cancel(id: string, reason: string | null, expected: ExpectedVersions): Promise<DepartureView> {
    return this.database.transaction(async () => {
      const departure = await this.lockEnding(id, expected);
      const before = departure.auditImage();
      departure.cancel(this.clock.now());
      await this.repository.departures.update(departure);
      const summary = await this.getSummary(id);
      await this.listeners.call(DepartureListener, (listener) => listener.cancelled?.(summary));
      return this.record('cancel', id, { before, reason });
    });
  }

  /**
   * From the commit on nothing more is sold or held, not even units that trips hold, and the slots of channels are closed. What is
   * sold and held by then stays: sales that this waited for are visible to the following statements of the transaction. The last
   * release of a unit cancels the departure.
   */
  async callOff(id: string, terms: { reasonCode: CallOffReason; reason: string }): Promise<DepartureSummary> {
    return this.database.transaction(async () => {
      const departure = await this.lockEnding(id, null);
      const before = departure.auditImage();
      const wasScheduled = departure.status === 'scheduled';
      departure.callOff(terms, this.clock.now());
      await this.repository.departures.update(departure);
      const summary = await this.getSummary(id);
      if (wasScheduled) await this.listeners.call(DepartureListener, (listener) => listener.calledOff?.(summary));
      const view = await this.record('call_off', id, { before, reason: terms.reason });
      const { productId, startsAt, reasonCode } = view;
      const data = { productId, departureId: id, startsAt: startsAt.toISOString(), reasonCode };
      this.outbox.add({ channel: 'operations.departures', event: 'departure.called_off', data });
      return toDepartureSummary(view);
    });
  }

  /** Cancels a departure that was called off, if no units are sold or held any more. */
  async endCallOff(id: string): Promise<void> {
    await this.database.transaction(async () => {
      const departure = await this.repository.lock(id);
      if (departure.status !== 'called_off' || departure.sold + departure.held > 0) return;
      const before = departure.auditImage();
      departure.endCallOff(this.clock.now());
      await this.repository.departures.update(departure);
      await this.record('cancel', id, { before, reason: departure.cancelReason });
    });
  }

  /** Sells a departure again that was called off, with the units that were guaranteed to channels. */
  async withdrawCallOff(id: string, reason: string | null): Promise<void> {
    await this.database.transaction(async () => {
      const departure = await this.lockExpected(id, null);
      const before = departure.auditImage();
      departure.withdrawCallOff(this.clock.now());
      await this.repository.departures.update(departure);
      const summary = await this.getSummary(id);
      await this.listeners.call(DepartureListener, (listener) => listener.reinstated?.(summary));
      await this.record('withdraw_call_off', id, { before, reason });
    });
  }

  /** Schedules a cancelled departure again, with the units it had guaranteed to channels. */
  async reinstate(id: string, reason: string | null, expected: ExpectedVersions): Promise<DepartureView> {
    return this.database.transaction(async () => {
      const before = await this.reinstateLocked(id, expected);
      return this.record('reinstate', id, { before, reason });
    });
  }

  @Reverses('operations.departure.cancel', { effect: 'operations.departure.reinstate' })
  async reverseCancellation(entry: RecordedAction): Promise<ReversalResult> {
    const { subjectId } = entry;
    // Its slots change the departure after the ledger entry of the cancellation, without changing its version.
    assertUnchangedSince(entry, await this.repository.get(subjectId));
    const before = await this.reinstateLocked(subjectId, null);
    const departure = await this.repository.get(subjectId);
    await this.minimums.reportDecision(departure);
    this.publishChanged(departure);
    this.freeUnits(departure.id);
    return { before, after: departure.auditImage() };
  }

  /** Once this returns, no units are sold or held, except units held before. */
  async closeSales(id: string, reason: string | null, expected: ExpectedVersions): Promise<DepartureView> {
    return this.decide('close_sales', (departure, now) => departure.closeSales(now), { id, reason, expected });
  }

  async openSales(id: string, reason: string | null, expected: ExpectedVersions): Promise<DepartureView> {
    return this.decide('open_sales', (departure, now) => departure.openSales(now), { id, reason, expected });
  }

  @Reverses('operations.departure.close_sales', { effect: 'operations.departure.open_sales' })
  async reverseClosing(entry: RecordedAction): Promise<ReversalResult> {
    return this.reverseSales(entry, (departure, now) => departure.openSales(now));
  }

  @Reverses('operations.departure.open_sales', { effect: 'operations.departure.close_sales' })
  async reverseOpening(entry: RecordedAction): Promise<ReversalResult> {
    return this.reverseSales(entry, (departure, now) => departure.closeSales(now));
  }

  private async reverseSales(
    entry: RecordedAction,
    change: (departure: Departure, now: Date) => void,
  ): Promise<ReversalResult> {
    const departure = await this.lockExpected(entry.subjectId, null);
    assertUnchangedSince(entry, departure);
    const before = departure.auditImage();
    change(departure, this.clock.now());
    await this.repository.departures.update(departure);
    this.publishChanged(await this.repository.get(departure.id));
    this.freeUnits(departure.id);
    return { before, after: departure.auditImage() };
  }

  /** Guarantees that the departure runs, regardless of the units sold. */
  async guarantee(id: string, reason: string | null, expected: ExpectedVersions): Promise<DepartureView> {
    return this.database.transaction(async () => {
      const departure = await this.decide('guarantee', (one, now) => one.guarantee(now), { id, reason, expected });
      this.minimums.publishGuaranteed(departure);
      return departure;
    });
  }

  /**
   * Locks the given departures and guarantees each whose confirmed bookings have reached the minimum. Call it after bookings
   * with units of them were confirmed.
   */
  async assessMinimums(ids: readonly string[]): Promise<void> {
    await this.minimums.assess(ids);
  }

  /** Pass `details` for an id from a body. */
  async getSummary(id: string, details?: { field: string }): Promise<DepartureSummary> {
    return toDepartureSummary(await this.repository.get(id, details));
  }

  /** Reads without locks; departures that do not exist are omitted. */
  async listSummaries(ids: readonly string[]): Promise<DepartureSummary[]> {
    return (await this.repository.listByIds([...new Set(ids)])).map(toDepartureSummary);
  }

  /** Scheduled departures of the product that have yet to start, the earliest first. Reads without locks. */
  async listUpcoming(productId: string, limit: number): Promise<DepartureSummary[]> {
    return (await this.repository.listUpcoming(productId, limit)).map(toDepartureSummary);
  }

  /** Departures of the product in a time zone that start on a local day of this range, the earliest first. Reads without locks. */
  async listOn(
    productId: string,
    range: { timeZone: string; from: string; to: string; limit: number },
  ): Promise<DepartureSummary[]> {
    return (await this.repository.listOn(productId, range)).map(toDepartureSummary);
  }

  /** Currencies and local start times of the scheduled departures of these products in the next days. */
  async outlookOf(productIds: readonly string[], days: number): Promise<DepartureOutlook[]> {
    return this.repository.outlookOf(productIds, this.clock.inSeconds(days * 86_400));
  }

  /** Locks these departures until the running transaction ends, in the order of their ids. */
  async lock(ids: readonly string[], details = { field: 'departureId' }): Promise<DepartureSummary[]> {
    const unique = [...new Set(ids)];
    const found = await this.repository.lockByIds(unique);
    if (found.length < unique.length) throw notFound(details);
    return found.map(toDepartureSummary);
  }

  /** Locks the product and its scheduled departures that start after an instant and on a local day of this range. */
  async lockUpcoming(
    productId: string,
    range: { after: Date; from: string; to: string | null },
  ): Promise<DepartureSummary[]> {
    await this.lockProduct(productId);
    return (await this.repository.lockUpcoming(productId, range)).map(toDepartureSummary);
  }

  /**
   * Locks the product until the running transaction ends: no other transaction creates, moves or cancels its departures or
   * changes its allotments. Take this lock before locks of rows.
   */
  async lockProduct(productId: string): Promise<void> {
    await this.repository.lockProduct(productId);
  }

  /** Locks the product. Throws 409 if one of its scheduled departures has yet to start. */
  async assertNoneAhead(productId: string): Promise<void> {
    await this.lockProduct(productId);
    const departures = await this.repository.countAhead(productId);
    if (departures === 0) return;
    throw conflict('product_in_use', 'The product has departures that have yet to start', { productId, departures });
  }

  /** The error details contain {salesState, cutoffAt} if sales are closed, and {available} if there are too few units. */
  async allocate(departureId: string, units: number, { from, as, terms }: Sale): Promise<void> {
    const change = as === 'sold' ? 'sell' : 'hold';
    const changed = from === 'guaranteed_slot' ? (`${change}_guaranteed` as const) : change;
    await this.changeUnits(changed, [{ departureId, units }], terms);
  }

  /** Also works on a cancelled departure. Throws an internal error if fewer units were allocated. */
  async release(departureId: string, units: number, { to, from }: Release): Promise<void> {
    const change = from === 'sold' ? 'unsell' : 'release_held';
    await this.changeUnits(to === 'guaranteed_slot' ? `${change}_guaranteed` : change, [{ departureId, units }]);
  }

  /** Holds units of the pool, and returns whether there are enough of them and the sales are open. */
  async tryHold(departureId: string, units: number): Promise<boolean> {
    const [held] = await this.repository.changeUnits('hold', [{ departureId, units }], acceptedStates([]));
    if (held) this.publish(held);
    return held !== undefined;
  }

  /**
   * Sells held units, even after sales have ended, because they were held in time. Throws an internal error if fewer units are
   * held.
   */
  async sellHeld(departureId: string, units: number): Promise<void> {
    await this.changeUnits('sell_held', [{ departureId, units }]);
  }

  /**
   * Guarantees units to channels, on all of these departures or on none; the caller has locked them. If there are too few
   * units, the error details contain {available, departures}.
   */
  async raiseGuaranteed(...units: Units[]): Promise<void> {
    await this.changeUnits('guarantee', units);
  }

  /** Returns guaranteed units to the pool. Throws an internal error if fewer units are guaranteed. */
  async lowerGuaranteed(...units: Units[]): Promise<void> {
    await this.changeUnits('release', units);
  }

  /** Returns guaranteed units to the supplier, and lowers the capacity. Throws like `lowerGuaranteed`. */
  async withdrawGuaranteed(...units: Units[]): Promise<void> {
    await this.changeUnits('withdraw', units);
  }

  /** Reverses `withdrawGuaranteed`. */
  async restoreGuaranteed(...units: Units[]): Promise<void> {
    await this.changeUnits('restore', units);
  }

  /** Returns the audit snapshot before the change. */
  private async reinstateLocked(id: string, expected: ExpectedVersions): Promise<object> {
    const departure = await this.lockExpected(id, expected);
    const before = departure.auditImage();
    departure.reinstate(this.clock.now());
    await this.products.assertNotArchived(departure.productId);
    await this.facilities.lockUsable(departure.facilityId);
    if (departure.taxCodeId !== null) await this.taxCodes.assertUsable(departure.taxCodeId);
    await this.repository.departures.update(departure);
    const summary = await this.getSummary(id);
    await this.listeners.call(DepartureListener, (listener) => listener.reinstated?.(summary));
    return before;
  }

  /** Stores a decision of staff that changes only the departure. */
  private async decide(
    verb: 'close_sales' | 'open_sales' | 'guarantee',
    change: (departure: Departure, now: Date) => void,
    { id, reason, expected }: { id: string; reason: string | null; expected: ExpectedVersions },
  ): Promise<DepartureView> {
    return this.database.transaction(async () => {
      const departure = await this.lockExpected(id, expected);
      const before = departure.auditImage();
      change(departure, this.clock.now());
      await this.repository.departures.update(departure);
      return this.record(verb, id, { before, reason });
    });
  }

  /** Facilities of pickups that stay may have been archived since. */
  private async lockPickups(pickups: readonly DeparturePickup[], before: readonly DeparturePickup[]): Promise<void> {
    const known = new Set(before.map(({ facilityId }) => facilityId));
    const added = pickups
      .map(({ facilityId }, index) => ({ facilityId, index }))
      .filter((one) => !known.has(one.facilityId));
    for (const { facilityId, index } of added.sort((a, b) => (a.facilityId < b.facilityId ? -1 : 1))) {
      await this.facilities.lockUsable(facilityId, `pickups.${index}.facilityId`);
    }
  }

  private async lockExpected(id: string, expected: ExpectedVersions): Promise<DepartureView> {
    // The product never changes, so it can be read before the lock.
    await this.lockProduct((await this.repository.get(id)).productId);
    const departure = await this.repository.lock(id);
    assertVersion(expected, departure);
    return departure;
  }

  /** Locks a scheduled departure that is about to end, without the units that were offered to waiting customers. */
  private async lockEnding(id: string, expected: ExpectedVersions): Promise<DepartureView> {
    const departure = await this.lockExpected(id, expected);
    if (departure.status !== 'scheduled') return departure;
    await this.listeners.call(DepartureListener, (listener) => listener.ending?.(toDepartureSummary(departure)));
    return this.repository.get(id);
  }

  /** A departure whose units return while it is changed may need them again, so they are freed at the end of the transaction. */
  private freeUnits(id: string): void {
    this.database.beforeCommit(`units of ${id}`, () =>
      this.listeners.call(DepartureListener, (listener) => listener.unitsFreed?.(id)),
    );
  }

  private async changeUnits(change: Change, wanted: readonly Units[], terms: SalesTerms = []): Promise<void> {
    // A sale of people without seats needs open sales, too.
    const units = wanted.filter((one) => one.units !== 0 || isSale(change));
    if (units.some((one) => !Number.isInteger(one.units) || one.units < 0)) {
      throw new RangeError('Units must be whole numbers, not below 0');
    }
    if (units.length === 0) return;
    const accepted = acceptedStates(terms);
    const changed = await this.repository.changeUnits(change, units, accepted);
    if (changed.length < units.length) await this.throwShortage(change, unchanged(units, changed), accepted);
    for (const departure of changed) this.publish(departure);
    if (isFreeing(change)) for (const { id } of changed) this.freeUnits(id);
    for (const { id, status, taken } of changed) if (status === 'called_off' && taken === 0) await this.endCallOff(id);
    if (isSale(change)) await this.minimums.assess(changed.filter((one) => one.tentative).map(({ id }) => id));
  }

  private async throwShortage(change: Change, ids: string[], accepted: readonly SalesState[]): Promise<never> {
    const shortages = await this.repository.listShortages(change, ids);
    const calledOff = shortages.filter(({ salesState }) => salesState === 'called_off');
    if (calledOff.length > 0 && endsWithCallOff(change)) {
      const departureIds = calledOff.map(({ departureId }) => departureId);
      throw conflict('departure_called_off', 'The departure is called off', { departureIds });
    }
    if (shortages.some(({ available }) => available === null)) {
      throw new Error(`${change}: fewer units of ${ids.join(', ')} were allocated`);
    }
    if (shortages.length < ids.length) throw notFound({ field: 'departureId' });
    const cancelled = shortages.filter(({ salesState }) => salesState === 'cancelled');
    if (cancelled.length > 0) {
      const departureIds = cancelled.map(({ departureId }) => departureId);
      throw conflict('departure_cancelled', 'The departure is cancelled', { departureIds });
    }
    if (isSale(change)) assertOnSale(shortages, accepted);
    const departures = shortages.map(({ departureId, available }) => ({ departureId, available: available ?? 0 }));
    const available = Math.min(...departures.map((departure) => departure.available));
    const details = change === 'guarantee' ? { available, departures } : { available };
    throw conflict('capacity_exceeded', 'Not enough units available', details);
  }

  /** Reads the departure again, because listeners change its units. Sales are recorded by the modules that sell. */
  private async record(verb: Verb, id: string, images: AuditImages): Promise<DepartureView> {
    const departure = await this.repository.get(id);
    const { before, reason = null } = images;
    const subject = { subjectType: 'departure', subjectId: id };
    this.ledger.record(`operations.departure.${verb}`, { ...subject, before, after: departure.auditImage(), reason });
    await this.minimums.reportDecision(departure);
    this.publishChanged(departure);
    this.freeUnits(id);
    return departure;
  }

  private publishMoved(
    { id: departureId, productId, startsAt, endsAt }: DepartureSummary,
    before: DepartureSummary,
  ): void {
    const data = {
      ...{ productId, departureId, startsAt: startsAt.toISOString(), endsAt: endsAt.toISOString() },
      ...{ previousStartsAt: before.startsAt.toISOString(), previousEndsAt: before.endsAt.toISOString() },
    };
    this.outbox.add({ channel: 'operations.departures', event: 'departure.moved', data });
  }

  private publishChanged(departure: DepartureView): void {
    this.publish({ ...departure, available: departure.availableUnits() });
  }

  private publish(departure: Omit<ChangedDeparture, 'taken' | 'tentative'>): void {
    const { id, productId, startsAt, endsAt, status, available } = departure;
    const times = {
      startsAt: startsAt.toISOString(),
      endsAt: endsAt.toISOString(),
      bookableUntil: bookableUntil(departure)?.toISOString() ?? null,
    };
    const data = { productId, departureId: id, ...times, status, available };
    this.outbox.add({ channel: 'operations.departures', event: 'departure.changed', data });
  }
}

/** Returns the departures that did not pass the guard. */
function unchanged(wanted: readonly Units[], changed: readonly ChangedDeparture[]): string[] {
  const done = new Set(changed.map(({ id }) => id));
  return wanted.map(({ departureId }) => departureId).filter((id) => !done.has(id));
}

function assertOnSale(shortages: readonly Shortage[], accepted: readonly SalesState[]): void {
  const ended = shortages.filter(({ salesState }) => !accepted.includes(salesState));
  const [first] = ended;
  if (!first) return;
  const { salesState, cutoffAt } = first;
  if (salesState === 'departed' || salesState === 'completed') {
    const departureIds = ended.map(({ departureId }) => departureId);
    throw conflict('departure_departed', 'The departure has started', { departureIds });
  }
  throw conflict('sales_closed', 'Sales of the departure have ended', {
    salesState,
    cutoffAt: cutoffAt?.toISOString() ?? null,
  });
}

function isMoved(now: DepartureSummary, before: DepartureSummary): boolean {
  const isAt = (one: DepartureSummary) => [one.startsAt.getTime(), one.endsAt.getTime(), one.timeZone].join();
  return isAt(now) !== isAt(before);
}

function changesOf({
  startsAt,
  endsAt,
  cutoff,
  decideBy,
  unitPrices,
  pickups,
  ...fields
}: UpdateDeparture): DepartureChanges {
  return {
    ...fields,
    ...(startsAt === undefined ? {} : { startsAt: new Date(startsAt) }),
    ...(endsAt === undefined ? {} : { endsAt: new Date(endsAt) }),
    ...(unitPrices && { unitPrices: unitPricesOf(unitPrices) }),
    ...(pickups && { pickups: pickupsOf(pickups) }),
    ...(cutoff === undefined ? {} : { cutoff: cutoffOf(cutoff) }),
    ...(decideBy === undefined ? {} : { decideBy: decideBy === null ? null : new Date(decideBy) }),
  };
}
