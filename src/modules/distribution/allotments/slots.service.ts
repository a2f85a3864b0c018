import { Injectable } from '@nestjs/common';
import { Clock } from '../../../platform/clock/clock.js';
import { Database } from '../../../platform/database/database.js';
import { make } from '../../../platform/database/rows.js';
import { conflict } from '../../../platform/errors/app-error.js';
import { assertVersion, type ExpectedVersions } from '../../../platform/http/if-match.js';
import { newId } from '../../../platform/ids/id.js';
import { Outbox } from '../../../platform/outbox/outbox.js';
import { ActionLedger } from '../../action-ledger/index.js';
import { type DepartureSummary, DeparturesService, type Units } from '../../operations/index.js';
import type { Allotment } from './allotment.entity.js';
import { AllotmentSlot, type ScheduledRelease, type SlotView } from './allotment-slot.entity.js';
import { AllotmentsRepository, type PlannedStep } from './allotments.repository.js';
import { releaseInstant, type ReleaseRule, remainingOf, type UnsoldAction } from './release-rule.js';
import type { ListSlots, RecordedRelease } from './slot.dto.js';
import { type Movement, type MovementCause, SlotsRepository } from './slots.repository.js';

/** Unsold units of a slot. */
export interface Unsold {
  slot: AllotmentSlot;
  units: number;
}

/** The units of a booking item. */
export interface ItemUnits {
  bookingItemId: string;
  units: number;
}

/** A slot by its path, and the versions that a change of it expects. */
interface SlotTarget {
  id: string;
  slotId: string;
  expected: ExpectedVersions;
}

/** The slots before and after their units were reclaimed. */
interface Reclaimed {
  before: object[];
  after: object[];
  /** Some of the departures have started or were cancelled; their units were not reclaimed. */
  isPartial: boolean;
}

/**
 * The slots of allotments. All methods but `list` and `resize` run in a transaction of the caller, which has locked the
 * allotment's product and the departures and slots that it passes; for a sale only the departure.
 */
@Injectable()
export class SlotsService {
  constructor(
    private readonly database: Database,
    private readonly repository: SlotsRepository,
    private readonly allotments: AllotmentsRepository,
    private readonly departures: DeparturesService,
    private readonly ledger: ActionLedger,
    private readonly outbox: Outbox,
    private readonly clock: Clock,
  ) {}

  async list(allotmentId: string, query: ListSlots): Promise<{ views: SlotView[]; total: number }> {
    const { release } = await this.allotments.getView(allotmentId);
    const { rows, total } = await this.repository.list(allotmentId, query);
    return { views: await this.viewsOf(rows, release), total };
  }

  async resize({ id, slotId, expected }: SlotTarget, allotted: number): Promise<SlotView> {
    return this.database.transaction(async () => {
      const { allotment, release } = await this.allotments.lockView(id);
      const slot = await this.lockOne(id, slotId);
      assertVersion(expected, slot);
      const before = slot.auditImage();
      const added = allotted - slot.allotted;
      slot.resize(allotted, this.clock.now());
      await this.moveResized(allotment, slot, added);
      await this.repository.update(slot);
      const subject = { subjectType: 'allotment_slot', subjectId: slot.id };
      this.ledger.record('distribution.allotment_slot.update', { ...subject, before, after: slot.auditImage() });
      const { departureId } = slot;
      const data = { ...allotment.eventData(), slotId, departureId, allotted, remaining: remainingOf(slot) };
      this.outbox.add({ channel: 'distribution.allotments', event: 'allotment.slot_changed', data });
      const [view = { slot, releases: [] }] = await this.viewsOf([slot], release);
      return view;
    });
  }

  /** Locks the departures of these slots, then the slots, and reads them. */
  async lock(slots: readonly Pick<AllotmentSlot, 'id' | 'departureId'>[]): Promise<AllotmentSlot[]> {
    await this.departures.lock(slots.map(({ departureId }) => departureId));
    return this.repository.lockAll(slots.map(({ id }) => id));
  }

  /** Locks the open slots that the filter selects. */
  async lockOpen(allotmentId: string, filter: (slot: AllotmentSlot) => boolean = () => true): Promise<AllotmentSlot[]> {
    return this.lock((await this.repository.listOpen(allotmentId)).filter(filter));
  }

  /** Opens slots on all scheduled future departures that the allotment covers and has no open slot on. */
  async openUpcoming(allotment: Allotment, slotId?: () => string): Promise<void> {
    await this.open(allotment, await this.lockUpcoming(allotment), slotId);
  }

  /** Opens slots on these departures, or none: a closed slot is reopened, an open one stays. */
  async open(allotment: Allotment, departures: readonly DepartureSummary[], slotId = () => newId('alsl')) {
    const { id, defaultQuantity: units } = allotment;
    const departureIds = departures.map((departure) => departure.id);
    const existing = await this.repository.lockOfAllotment(id, departureIds);
    const known = new Set(existing.map(({ departureId }) => departureId));
    const missing = departures.filter((departure) => !known.has(departure.id));
    const added = missing.map((departure) => newSlot(allotment, departure, { id: slotId(), now: this.clock.now() }));
    const closed = existing.filter(({ closedAt }) => closedAt !== null);
    const opened = [...added, ...closed];

    if (allotment.type === 'guaranteed') {
      await this.departures.raiseGuaranteed(...opened.map(({ departureId }) => ({ departureId, units })));
    }
    const movements: Movement[] = added.map((slot) => ({ slotId: slot.id, kind: 'allot', cause: 'opened', units }));
    for (const slot of closed) {
      const reopened = slot.reopen(units);
      movements.push({ slotId: slot.id, kind: 'reclaim', cause: 'opened', units: reopened.reclaimed });
      movements.push({ slotId: slot.id, kind: 'allot', cause: 'opened', units: reopened.added });
    }
    await this.repository.insert(added);
    await this.repository.save(closed);
    await this.repository.addMovements(movements);
    await this.allotments.planSteps(allotment, opened);
  }

  /** Closes the slots that are not within the validity. Throws 409 `allotment_has_sales`. */
  async closeUncovered(allotment: Allotment): Promise<void> {
    const uncovered = await this.lockOpen(allotment.id, ({ startDate }) => !allotment.covers(startDate));
    const sold = uncovered.reduce((sum, slot) => sum + slot.sold, 0);
    if (sold > 0) {
      throw conflict('allotment_has_sales', 'Units are sold on departures outside the new validity', { sold });
    }
    await this.close(allotment, uncovered, 'out_of_range');
  }

  /** Closes all slots. Throws 409 `allotment_has_sales`. Returns the units that were released. */
  async closeAll(allotment: Allotment): Promise<Unsold[]> {
    const slots = await this.lockOpen(allotment.id);
    // Closed slots may have sales too, if their departure was moved out of the validity.
    const sold = await this.repository.countSold(allotment.id);
    if (sold > 0) throw conflict('allotment_has_sales', 'Units of the allotment are sold', { sold });
    return this.close(allotment, slots, 'deleted');
  }

  /** Closes slots and returns their unsold units to the pool. Sold units stay sold. */
  async close(allotment: Allotment, slots: readonly AllotmentSlot[], cause: MovementCause): Promise<Unsold[]> {
    const open = slots.filter(({ closedAt }) => closedAt === null);
    if (open.length === 0) return [];
    const unsold = open.map((slot) => ({ slot, units: remainingOf(slot) }));
    await this.moveReleased(allotment, unsold, { cause, action: 'release_to_general_pool' });
    for (const slot of open) slot.closedAt = this.clock.now();
    await this.repository.save(open);
    await this.allotments.cancelSteps(open);
    return unsold;
  }

  /** Releases unsold units according to the allotment's rule. */
  async release(allotment: Allotment, unsold: readonly Unsold[], cause: 'step' | 'hand'): Promise<void> {
    const action = allotment.effectiveAction();
    if (action === 'retain') return;
    await this.moveReleased(allotment, unsold, { cause, action });
    for (const { slot } of unsold) slot.releasedAt ??= this.clock.now();
    await this.repository.save(unsold.map(({ slot }) => slot));
  }

  /** Reverses a release, whose slots are open, or a deletion, whose slots are closed. */
  async reclaim(
    allotment: Allotment,
    { slots: released, unsoldAction = 'release_to_general_pool' }: RecordedRelease,
    expected: 'open' | 'closed',
  ): Promise<Reclaimed> {
    const upcoming = new Set((await this.lockUpcoming(allotment)).map(({ id }) => id));
    const reclaimable = released.filter(({ departureId }) => upcoming.has(departureId));
    if (released.length > 0 && reclaimable.length === 0) {
      const departureIds = released.map(({ departureId }) => departureId);
      throw conflict('departures_gone', 'The departures have started or were cancelled', { departureIds });
    }
    const slots = await this.repository.lockAll(reclaimable.map(({ slotId }) => slotId));
    const before = slots.map((slot) => slot.auditImage());
    const changed = slots.filter(({ closedAt }) => (closedAt === null) !== (expected === 'open'));
    if (changed.length > 0) {
      throw conflict('slot_closed', 'The slot was closed in the meantime', { slotIds: changed.map(({ id }) => id) });
    }
    const units = new Map(reclaimable.map((slot) => [slot.slotId, slot.units]));
    const unsold = slots.map((slot) => ({ slot, units: units.get(slot.id) ?? 0 }));
    await this.moveReclaimed(allotment, unsold, unsoldAction);
    await this.repository.save(slots);
    await this.allotments.planSteps(allotment, slots);
    const isPartial = reclaimable.length < released.length;
    return { before, after: slots.map((slot) => slot.auditImage()), isPartial };
  }

  /** Replaces the release steps of future departures. */
  async replaceSteps(allotment: Allotment, release: ReleaseRule | null): Promise<void> {
    const now = this.clock.now();
    const upcoming = (await this.repository.listOpen(allotment.id)).filter(({ startsAt }) => startsAt > now);
    await this.allotments.replaceSteps(allotment, release?.steps ?? [], upcoming);
  }

  /** Sells units to a booking item. Throws 409 `capacity_exceeded` with details {available}, `departure_cancelled`. */
  async sell(allotment: Allotment, departureId: string, { bookingItemId, units }: ItemUnits): Promise<void> {
    const key = { allotmentId: allotment.id, departureId };
    const slotId = await this.repository.sell(key, units);
    if (slotId === null) {
      const available = await this.repository.countRemaining(key);
      throw conflict('capacity_exceeded', 'Not enough units left in the allotment', { available });
    }
    const from = allotment.type === 'guaranteed' ? 'guaranteed_slot' : 'cap_slot';
    await this.departures.allocate(departureId, units, { from, as: 'sold' });
    await this.repository.addMovements([{ slotId, kind: 'pick', cause: 'item', units, bookingItemId }]);
  }

  /** Reverses `sell` for several items. After a release the units go directly to the pool. */
  async unsell(allotment: Allotment, departureId: string, items: readonly ItemUnits[]): Promise<void> {
    const units = items.reduce((sum, item) => sum + item.units, 0);
    const slot = await this.repository.unsell({ allotmentId: allotment.id, departureId }, units);
    if (!slot) throw new Error(`Fewer than ${units} units of ${allotment.id} are sold on ${departureId}`);
    const guaranteed = slot.isReleased ? 'pool' : 'guaranteed_slot';
    const to = allotment.type === 'guaranteed' ? guaranteed : 'cap_slot';
    await this.departures.release(departureId, units, { to, from: 'sold' });
    const kinds = slot.isReleased ? (['unpick', 'release'] as const) : (['unpick'] as const);
    await this.repository.addMovements(
      items.flatMap((item) => kinds.map((kind) => ({ slotId: slot.id, kind, cause: 'item', ...item }))),
    );
  }

  private async lockUpcoming({ productId, validFrom: from, validTo: to }: Allotment): Promise<DepartureSummary[]> {
    return this.departures.lockUpcoming(productId, { after: this.clock.now(), from, to });
  }

  private async lockOne(allotmentId: string, id: string): Promise<AllotmentSlot> {
    const [slot] = await this.lock([await this.repository.get(allotmentId, id)]);
    if (!slot) throw new Error(`Slot ${id} is missing, though slots are never deleted`);
    return slot;
  }

  private async moveResized(allotment: Allotment, { id, departureId }: AllotmentSlot, added: number): Promise<void> {
    const units = Math.abs(added);
    const kind = added > 0 ? 'allot' : 'release';
    await this.repository.addMovements([{ slotId: id, kind, cause: 'changed', units }]);
    if (allotment.type === 'cap') return;
    if (added > 0) await this.departures.raiseGuaranteed({ departureId, units });
    if (added < 0) await this.departures.lowerGuaranteed({ departureId, units });
  }

  private async moveReleased(
    allotment: Allotment,
    unsold: readonly Unsold[],
    { cause, action }: { cause: MovementCause; action: Exclude<UnsoldAction, 'retain'> },
  ): Promise<void> {
    for (const { slot, units } of unsold) slot.release(units);
    await this.repository.addMovements(
      unsold.map(({ slot, units }) => ({ slotId: slot.id, kind: 'release', cause, units })),
    );
    if (allotment.type === 'cap') return;
    if (action === 'expire') await this.departures.withdrawGuaranteed(...perDeparture(unsold));
    else await this.departures.lowerGuaranteed(...perDeparture(unsold));
  }

  private async moveReclaimed(allotment: Allotment, unsold: readonly Unsold[], action: UnsoldAction): Promise<void> {
    const reclaimed = unsold.filter(({ slot, units }) => units > slot.released);
    if (reclaimed.length > 0) {
      const slotIds = reclaimed.map(({ slot }) => slot.id);
      throw conflict('units_reclaimed', 'The units were already returned to the channel', { slotIds });
    }
    if (allotment.type === 'guaranteed') {
      if (action === 'expire') await this.departures.restoreGuaranteed(...perDeparture(unsold));
      else await this.departures.raiseGuaranteed(...perDeparture(unsold));
    }
    for (const { slot, units } of unsold) slot.reclaim(units);
    await this.repository.addMovements(
      unsold.map(({ slot, units }) => ({ slotId: slot.id, kind: 'reclaim', cause: 'reversal', units })),
    );
  }

  private async viewsOf(slots: readonly AllotmentSlot[], release: ReleaseRule | null): Promise<SlotView[]> {
    if (release?.mode === 'manual') return slots.map((slot) => ({ slot, releases: releasesByHand(release, slot) }));
    const planned = release ? await this.allotments.listSteps(slots) : [];
    return slots.map((slot) => ({
      slot,
      releases: planned.filter(({ slotId }) => slotId === slot.id).map(toScheduledRelease),
    }));
  }
}

function newSlot(
  allotment: Allotment,
  departure: DepartureSummary,
  { id, now }: { id: string; now: Date },
): AllotmentSlot {
  return make(AllotmentSlot, {
    id,
    allotmentId: allotment.id,
    departureId: departure.id,
    startsAt: departure.startsAt,
    startDate: departure.startDate,
    timeZone: departure.timeZone,
    allotted: allotment.defaultQuantity,
    sold: 0,
    released: 0,
    releasedAt: null,
    closedAt: null,
    version: 1,
    createdAt: now,
    updatedAt: now,
  });
}

/** A statement moves each departure once, so the units of its slots are added up. */
function perDeparture(unsold: readonly Unsold[]): Units[] {
  const sums = new Map<string, number>();
  for (const { slot, units } of unsold) sums.set(slot.departureId, (sums.get(slot.departureId) ?? 0) + units);
  return [...sums].map(([departureId, units]) => ({ departureId, units }));
}

function releasesByHand({ steps }: ReleaseRule, slot: AllotmentSlot): ScheduledRelease[] {
  if (slot.closedAt !== null) return [];
  const due = steps.map(({ keepQuantity, ...step }) => ({ dueAt: releaseInstant(slot, step), keepQuantity }));
  due.sort((a, b) => a.dueAt.getTime() - b.dueAt.getTime());
  return due.map((step) => toScheduledRelease({ ...step, takenAt: null, units: null }));
}

function toScheduledRelease({ dueAt, keepQuantity, takenAt, units }: Omit<PlannedStep, 'slotId'>): ScheduledRelease {
  return { dueAt: dueAt.toISOString(), keepQuantity, takenAt: takenAt?.toISOString() ?? null, units };
}
