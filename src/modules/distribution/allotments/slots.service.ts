import { Injectable } from '@nestjs/common';
import { Clock } from '../../../platform/clock/clock.js';
import { Database } from '../../../platform/database/database.js';
import { conflict } from '../../../platform/errors/app-error.js';
import { checkedAs } from '../../../platform/http/format-check.js';
import { assertVersion, type ExpectedVersions } from '../../../platform/http/if-match.js';
import { Outbox } from '../../../platform/outbox/outbox.js';
import { ActionLedger, parentIn, Undoes, versionAfter } from '../../action-ledger/index.js';
import { DeparturesService, type SalesTerms } from '../../operations/index.js';
import type { Allotment } from './allotment.entity.js';
import type { AllotmentSlot, ScheduledRelease, SlotView } from './allotment-slot.entity.js';
import { AllotmentsRepository, type PlannedStep } from './allotments.repository.js';
import { releaseInstant, type ReleaseRule, remainingOf } from './release-rule.js';
import { type ListSlots, UpdateSlot } from './slot.dto.js';
import { perDeparture, type Unsold } from './slot-openings.service.js';
import { type MovementCause, type SlotCounter, SlotsRepository } from './slots.repository.js';

/** The units of a booking item. */
export interface ItemUnits {
  bookingItemId: string;
  units: number;
}

/** Without terms, a sale requires open sales. */
export type ItemSale = ItemUnits & { terms?: SalesTerms };

/** A slot by its path, and the versions that a change of it expects. */
interface SlotTarget {
  id: string;
  slotId: string;
  expected: ExpectedVersions;
}

/**
 * Manages the slots of allotments. Callers of every method except `list` and `resize` must open the transaction and lock the
 * allotment's product and the departures and slots that they pass; for a sale only the departure.
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

  @Undoes('distribution.allotment_slot.update', {
    effect: 'distribution.allotment_slot.update',
    values: async (entry) => {
      const { allotted } = await checkedAs(UpdateSlot, entry.before);
      const target = { id: parentIn(entry, 'allotmentId'), slotId: entry.subjectId, expected: versionAfter(entry) };
      return [target, allotted] as const;
    },
  })
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

  /** Releases unsold units according to the allotment's rule. */
  async release(allotment: Allotment, unsold: readonly Unsold[], cause: 'step' | 'hand'): Promise<void> {
    const action = allotment.effectiveAction();
    if (action !== 'retain') await this.moveReleased(allotment, unsold, { cause, isExpired: action === 'expire' });
  }

  /** Returns released units to the channel. With `isExpired` they come from the supplier: the capacity rises. */
  async reclaim(
    allotment: Allotment,
    reclaimed: readonly Unsold[],
    { cause, isExpired }: { cause: 'hand' | 'reversal'; isExpired: boolean },
  ): Promise<void> {
    assertOpen(reclaimed.map(({ slot }) => slot));
    const lacking = reclaimed.filter(
      ({ slot, units }) => units > slot.reclaimableUnits({ isExpired: takesBack(allotment, isExpired) }),
    );
    if (lacking.length > 0) {
      const slotIds = lacking.map(({ slot }) => slot.id);
      throw conflict('units_reclaimed', 'The units were already returned to the channel', { slotIds });
    }
    if (allotment.type === 'guaranteed') {
      if (isExpired) await this.departures.restoreGuaranteed(...perDeparture(reclaimed));
      else await this.departures.raiseGuaranteed(...perDeparture(reclaimed));
    }
    for (const { slot, units } of reclaimed) slot.reclaim(units, { isExpired: takesBack(allotment, isExpired) });
    await this.repository.save(reclaimed.map(({ slot }) => slot));
    if (!isExpired) {
      await this.allotments.takeOutstanding(reclaimed.map(({ slot, units }) => ({ slotId: slot.id, units })));
    }
    await this.repository.addMovements(
      reclaimed.map(({ slot, units }) => ({ slotId: slot.id, kind: 'reclaim', cause, units })),
    );
  }

  /** Reverses a reclaim. */
  async releaseAgain(allotment: Allotment, unsold: readonly Unsold[], isExpired: boolean): Promise<void> {
    assertOpen(unsold.map(({ slot }) => slot));
    const lacking = unsold.find(({ slot, units }) => units > remainingOf(slot));
    if (lacking) {
      const available = remainingOf(lacking.slot);
      throw conflict('capacity_exceeded', 'The units were sold meanwhile', { slotId: lacking.slot.id, available });
    }
    await this.moveReleased(allotment, unsold, { cause: 'reversal', isExpired });
  }

  /** Replaces the release steps of future departures. */
  async replaceSteps(allotment: Allotment, release: ReleaseRule | null): Promise<void> {
    const now = this.clock.now();
    const upcoming = (await this.repository.listOpen(allotment.id)).filter(({ startsAt }) => startsAt > now);
    await this.allotments.replaceSteps(allotment, release?.steps ?? [], upcoming);
  }

  /** Sells units to a booking item. */
  async sell(allotment: Allotment, departureId: string, { bookingItemId, units, terms }: ItemSale): Promise<void> {
    const slotId = await this.allocate(allotment, departureId, { as: 'sold', units, terms });
    // People without seats need a slot for sale, but take nothing from it.
    if (units > 0) await this.repository.addMovements([{ slotId, kind: 'pick', cause: 'item', units, bookingItemId }]);
  }

  /** Reverses `sell` for several items. After a release, or on a closed slot, the units go directly to the pool. */
  async unsell(allotment: Allotment, departureId: string, items: readonly ItemUnits[]): Promise<void> {
    const units = items.reduce((sum, item) => sum + item.units, 0);
    const { slotId, follows } = await this.deallocate(allotment, departureId, { from: 'sold', units });
    const kinds = ['unpick' as const, ...follows];
    await this.repository.addMovements(
      items.flatMap((item) => kinds.map((kind) => ({ slotId, kind, cause: 'item', ...item }))),
    );
  }

  /** Holds units for a trip. */
  async hold(allotment: Allotment, departureId: string, units: number): Promise<void> {
    const slotId = await this.allocate(allotment, departureId, { as: 'held', units });
    await this.repository.addMovements([{ slotId, kind: 'hold', cause: 'trip', units }]);
  }

  /** Reverses `hold`. After a release, or on a closed slot, the units go directly to the pool. */
  async releaseHeld(allotment: Allotment, departureId: string, units: number): Promise<void> {
    const { slotId, follows } = await this.deallocate(allotment, departureId, { from: 'held', units });
    const kinds = ['let_go' as const, ...follows];
    await this.repository.addMovements(kinds.map((kind) => ({ slotId, kind, cause: 'trip', units })));
  }

  /** Sells the held units of a trip to a booking item. */
  async sellHeld(allotment: Allotment, departureId: string, { bookingItemId, units }: ItemUnits): Promise<void> {
    const slotId = await this.repository.sellHeld({ allotmentId: allotment.id, departureId }, units);
    if (slotId === null) throw new Error(`Fewer than ${units} units of ${allotment.id} are held on ${departureId}`);
    await this.departures.sellHeld(departureId, units);
    await this.repository.addMovements([
      { slotId, kind: 'let_go', cause: 'trip', units },
      { slotId, kind: 'pick', cause: 'item', units, bookingItemId },
    ]);
  }

  private async allocate(
    { id: allotmentId, type }: Allotment,
    departureId: string,
    { as, units, terms }: { as: SlotCounter; units: number; terms?: SalesTerms },
  ): Promise<string> {
    const key = { allotmentId, departureId };
    const slotId = await this.repository.allocate(as, key, units);
    if (slotId === null) {
      const available = await this.repository.countRemaining(key);
      throw conflict('capacity_exceeded', 'Not enough units left in the allotment', { available });
    }
    await this.departures.allocate(departureId, units, {
      from: type === 'guaranteed' ? 'guaranteed_slot' : 'cap_slot',
      as,
      terms,
    });
    return slotId;
  }

  /** Returns the movements that follow: the units may no longer be for sale through the slot. */
  private async deallocate(
    { id: allotmentId, type }: Allotment,
    departureId: string,
    { from, units }: { from: SlotCounter; units: number },
  ): Promise<{ slotId: string; follows: ('release' | 'suspend')[] }> {
    const slot = await this.repository.deallocate(from, { allotmentId, departureId }, units);
    if (!slot) throw new Error(`Fewer than ${units} units of ${allotmentId} are ${from} on ${departureId}`);
    const guaranteed = slot.isReleased || slot.isClosed ? 'pool' : 'guaranteed_slot';
    await this.departures.release(departureId, units, { to: type === 'guaranteed' ? guaranteed : 'cap_slot', from });
    const follows = slot.isReleased ? (['release'] as const) : slot.isClosed ? (['suspend'] as const) : [];
    return { slotId: slot.id, follows: [...follows] };
  }

  private async lockOne(allotmentId: string, id: string): Promise<AllotmentSlot> {
    const [slot] = await this.repository.lock([await this.repository.get(allotmentId, id)]);
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
    { cause, isExpired }: { cause: MovementCause; isExpired: boolean },
  ): Promise<void> {
    for (const { slot, units } of unsold) {
      slot.release(units, { isExpired: takesBack(allotment, isExpired) });
      slot.releasedAt ??= this.clock.now();
    }
    await this.repository.save(unsold.map(({ slot }) => slot));
    await this.repository.addMovements(
      unsold.map(({ slot, units }) => ({ slotId: slot.id, kind: 'release', cause, units })),
    );
    if (allotment.type === 'cap') return;
    if (isExpired) await this.departures.withdrawGuaranteed(...perDeparture(unsold));
    else await this.departures.lowerGuaranteed(...perDeparture(unsold));
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

/** Units of a cap do not go back to the supplier: they were always in the pool. */
function takesBack({ type }: Allotment, isExpired: boolean): boolean {
  return isExpired && type === 'guaranteed';
}

function assertOpen(slots: readonly AllotmentSlot[]): void {
  const closed = slots.filter(({ closedAt }) => closedAt !== null);
  if (closed.length === 0) return;
  throw conflict('slot_closed', 'The slot is closed: its departure is cancelled or outside the validity', {
    slotIds: closed.map(({ id }) => id),
  });
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
