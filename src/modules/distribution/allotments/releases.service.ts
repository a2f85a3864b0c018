import { Injectable } from '@nestjs/common';
import { Clock } from '../../../platform/clock/clock.js';
import { Database } from '../../../platform/database/database.js';
import { conflict, invalidField, notFound } from '../../../platform/errors/app-error.js';
import { checkedAs } from '../../../platform/http/format-check.js';
import { Outbox } from '../../../platform/outbox/outbox.js';
import { ActionLedger, type RecordedAction, Reverses, type ReversalResult } from '../../action-ledger/index.js';
import { DeparturesService } from '../../operations/index.js';
import type { Allotment } from './allotment.entity.js';
import type { AllotmentSlot } from './allotment-slot.entity.js';
import { AllotmentsRepository, type DueStep } from './allotments.repository.js';
import { keptByHand, type UnsoldAction, unitsToRelease } from './release-rule.js';
import type { ReclaimBody, ReclaimedUnits, ReleasedUnits } from './release.dto.js';
import { RecordedReclaim, RecordedRelease, type ReleasedSlot } from './slot.dto.js';
import type { Unsold } from './slot-openings.service.js';
import { SlotsRepository } from './slots.repository.js';
import { SlotsService } from './slots.service.js';

const CHANNEL = 'distribution.allotments';

/** The members of an event about released units besides the slot. */
interface ReleaseKind {
  by: 'step' | 'hand';
  unsoldAction: UnsoldAction;
}

/**
 * Releases of unsold units, by staff or by the steps of a rule, and reclaims, which return them to the channel. Every use case
 * locks the product, then the departures and slots.
 */
@Injectable()
export class ReleasesService {
  constructor(
    private readonly database: Database,
    private readonly repository: AllotmentsRepository,
    private readonly slotsRepository: SlotsRepository,
    private readonly slots: SlotsService,
    private readonly departures: DeparturesService,
    private readonly ledger: ActionLedger,
    private readonly outbox: Outbox,
    private readonly clock: Clock,
  ) {}

  /** Releases unsold units of one departure or of all future ones; the steps of a manual rule limit the number. */
  async release(id: string, departureId?: string): Promise<ReleasedUnits> {
    return this.database.transaction(async () => {
      const { allotment, release } = await this.repository.lockView(id);
      const now = this.clock.now();
      const slots = await this.slotsRepository.lockOpen(id, (slot) =>
        departureId === undefined ? slot.startsAt > now : slot.departureId === departureId,
      );
      if (departureId !== undefined && slots.length === 0) throw notFound({ field: 'departureId' });
      const unsold = slots.map((slot) => ({ slot, units: unitsToRelease(slot, keptByHand(release, slot, now)) }));
      await this.slots.release(allotment, unsold, 'hand');
      this.recordRelease(allotment, unsold, 'hand');
      return {
        allotmentId: id,
        unsoldAction: allotment.effectiveAction(),
        units: sumOf(unsold),
        slots: unsold.filter(({ units }) => units > 0).length,
      };
    });
  }

  /**
   * Executes up to `limit` due release steps of a product. Safe in several processes at once: a step is claimed, executed and
   * finished in one transaction. Returns how many it executed.
   */
  async releaseDue(productId: string, limit: number): Promise<number> {
    return this.database.transaction(async () => {
      await this.departures.lockProduct(productId);
      const now = this.clock.now();
      const due = await this.repository.claimSteps(productId, now, limit);
      if (due.length > 0) await this.repository.finishSteps(await this.executeSteps(due), now);
      return due.length;
    });
  }

  /** Returns released units to the channel. */
  async reclaim(id: string, { units, fromSupplier = false, ...which }: ReclaimBody): Promise<ReclaimedUnits> {
    return this.database.transaction(async () => {
      const { allotment } = await this.repository.lockView(id);
      const slots = await this.lockNamed(id, which);
      this.assertAhead(slots);
      const reclaimed = slots
        .map((slot) => ({ slot, units: units ?? slot.reclaimableUnits({ isExpired: fromSupplier }) }))
        .filter((one) => one.units > 0);
      const lacking = slots.filter((slot) => slot.reclaimableUnits({ isExpired: fromSupplier }) < (units ?? 0));
      if (reclaimed.length === 0 || lacking.length > 0) throwNothingReleased(lacking.length > 0 ? lacking : slots);
      await this.slots.reclaim(allotment, reclaimed, { cause: 'hand', isExpired: fromSupplier });
      const after = { fromSupplier, slots: toRecord(reclaimed) };
      this.ledger.record('distribution.allotment.reclaim', { ...subjectOf(allotment), before: null, after });
      this.outbox.add({ channel: CHANNEL, event: 'allotment.reclaimed', data: allotment.eventData() });
      return { allotmentId: id, units: sumOf(reclaimed), slots: reclaimed.length };
    });
  }

  /** A deleted allotment is not found. */
  @Reverses('distribution.allotment.release', { effect: 'distribution.allotment.reclaim' })
  async reverseRelease(entry: RecordedAction): Promise<ReversalResult> {
    const { unsoldAction = 'release_to_general_pool', slots: released } = await slotsIn(entry);
    const recorded = released.filter(({ units }) => units > 0);
    if (unsoldAction === 'retain' || recorded.length === 0) {
      throw conflict('nothing_released', 'No units were released', { unsoldAction });
    }
    const { allotment } = await this.repository.lockView(entry.subjectId);
    const reclaimed = await this.lockRecorded(recorded);
    const before = reclaimed.map(({ slot }) => slot.auditImage());
    await this.slots.reclaim(allotment, reclaimed, { cause: 'reversal', isExpired: unsoldAction === 'expire' });
    this.outbox.add({ channel: CHANNEL, event: 'allotment.reclaimed', data: allotment.eventData() });
    const after = reclaimed.map(({ slot }) => slot.auditImage());
    const outcome = reclaimed.length < recorded.length ? 'partial' : 'full';
    return { before: { slots: before }, after: { slots: after }, outcome };
  }

  /** A deleted allotment is not found. Sold units cannot be released again. */
  @Reverses('distribution.allotment.reclaim', { effect: 'distribution.allotment.release' })
  async reverseReclaim(entry: RecordedAction): Promise<ReversalResult> {
    const { fromSupplier, slots: recorded } = await checkedAs(RecordedReclaim, entry.after);
    const { allotment } = await this.repository.lockView(entry.subjectId);
    const unsold = await this.lockRecorded(recorded);
    const before = unsold.map(({ slot }) => slot.auditImage());
    await this.slots.releaseAgain(allotment, unsold, fromSupplier);
    const unsoldAction = fromSupplier ? 'expire' : 'release_to_general_pool';
    this.publishReleased(allotment, toRecord(unsold), { by: 'hand', unsoldAction });
    const after = unsold.map(({ slot }) => slot.auditImage());
    const outcome = unsold.length < recorded.length ? 'partial' : 'full';
    return { before: { slots: before }, after: { slots: after }, outcome };
  }

  private async lockNamed(id: string, { departureId, slotIds }: Omit<ReclaimBody, 'units' | 'fromSupplier'>) {
    if ((departureId === undefined) === (slotIds === undefined)) {
      throw invalidField('departureId', 'Exactly one of departureId and slotIds is required', 'exactly_one');
    }
    const field = departureId === undefined ? 'slotIds' : 'departureId';
    const named = await this.slotsRepository.listNamed(id, { departureId, slotIds });
    if (named.length < (slotIds ? new Set(slotIds).size : 1)) throw notFound({ field });
    return this.slotsRepository.lock(named);
  }

  private assertAhead(slots: readonly AllotmentSlot[]): void {
    const departed = slots.filter(({ startsAt }) => startsAt <= this.clock.now());
    if (departed.length === 0) return;
    const departureIds = departed.map(({ departureId }) => departureId);
    throw conflict('departure_departed', 'The departure has started', { departureIds });
  }

  /** The slots of recorded units that are still open and in the future. */
  private async lockRecorded(recorded: readonly ReleasedSlot[]): Promise<Unsold[]> {
    const slots = await this.slotsRepository.lock(recorded.map(({ slotId: id, departureId }) => ({ id, departureId })));
    const units = new Map(recorded.map((one) => [one.slotId, one.units]));
    const open = slots.filter(({ closedAt, startsAt }) => closedAt === null && startsAt > this.clock.now());
    if (open.length > 0) return open.map((slot) => ({ slot, units: units.get(slot.id) ?? 0 }));
    const departureIds = recorded.map(({ departureId }) => departureId);
    throw conflict('departures_gone', 'The departures have started, were moved or were cancelled', { departureIds });
  }

  /** Runs in order: a later step of a slot releases units that earlier steps have left. */
  private async executeSteps(
    due: readonly DueStep[],
  ): Promise<{ step: DueStep; units: number; reclaimable: number }[]> {
    const allotments = await this.repository.listByIds([...new Set(due.map(({ allotmentId }) => allotmentId))]);
    const slots = await this.lockSlotsOf(due);
    const executed: { step: DueStep; units: number; reclaimable: number }[] = [];
    for (const steps of withoutRepeatedSlots(due)) {
      const allotment = allotments.find(({ id }) => id === steps[0]?.allotmentId);
      const unsold = steps.flatMap(({ slotId, keepQuantity }) => {
        const slot = slots.get(slotId);
        return slot ? [{ slot, units: unitsToRelease(slot, keepQuantity) }] : [];
      });
      if (!allotment || unsold.length < steps.length) throw new Error('A step has no slot or no allotment');
      await this.slots.release(allotment, unsold, 'step');
      for (const one of unsold) this.recordRelease(allotment, [one], 'step');
      const returns = allotment.effectiveAction() === 'release_to_general_pool';
      executed.push(
        ...steps.map((step, index) => {
          const units = unsold[index]?.units ?? 0;
          return { step, units, reclaimable: returns ? units : 0 };
        }),
      );
    }
    return executed;
  }

  private async lockSlotsOf(due: readonly DueStep[]): Promise<ReadonlyMap<string, AllotmentSlot>> {
    const keys = new Map(due.map(({ slotId, departureId }) => [slotId, { id: slotId, departureId }]));
    const slots = await this.slotsRepository.lock([...keys.values()]);
    return new Map(slots.map((slot) => [slot.id, slot]));
  }

  private recordRelease(allotment: Allotment, unsold: readonly Unsold[], by: 'step' | 'hand'): void {
    const unsoldAction = allotment.effectiveAction();
    const slots = toRecord(unsold);
    const after = { by, unsoldAction, slots };
    this.ledger.record('distribution.allotment.release', { ...subjectOf(allotment), before: null, after });
    if (unsoldAction !== 'retain') this.publishReleased(allotment, slots, { by, unsoldAction });
  }

  private publishReleased(allotment: Allotment, slots: readonly ReleasedSlot[], kind: ReleaseKind): void {
    for (const slot of slots.filter(({ units }) => units > 0)) {
      const data = { ...allotment.eventData(), ...slot, ...kind };
      this.outbox.add({ channel: CHANNEL, event: 'allotment.released', data });
    }
  }
}

/** Groups steps that can be executed together: steps of one allotment, with no slot more than once. */
function withoutRepeatedSlots(due: readonly DueStep[]): DueStep[][] {
  const earlier = new Map<string, number>();
  const groups = new Map<string, DueStep[]>();
  for (const step of due) {
    const nth = earlier.get(step.slotId) ?? 0;
    earlier.set(step.slotId, nth + 1);
    const key = `${nth} ${step.allotmentId}`;
    groups.set(key, [...(groups.get(key) ?? []), step]);
  }
  return [...groups.values()];
}

function throwNothingReleased(slots: readonly AllotmentSlot[]): never {
  const details = slots.map(({ id: slotId, released, expired }) => ({ slotId, released, expired }));
  throw conflict('nothing_released', 'Fewer units were released', { slots: details });
}

export function sumOf(unsold: readonly Unsold[]): number {
  return unsold.reduce((sum, { units }) => sum + units, 0);
}

/** The units of slots as the ledger stores them; a reversal moves these. */
export function toRecord(unsold: readonly Unsold[]): ReleasedSlot[] {
  return unsold.map(({ slot, units }) => ({ slotId: slot.id, departureId: slot.departureId, units }));
}

/** Old entries contain only the number of units, from which a reversal cannot know the slots. */
export async function slotsIn({ subjectId, after }: RecordedAction): Promise<RecordedRelease> {
  if (Array.isArray(after?.['slots'])) return checkedAs(RecordedRelease, after);
  throw conflict('units_not_recorded', 'The entry does not record which units were released; create a new allotment', {
    allotmentId: subjectId,
  });
}

export function subjectOf({ id }: Allotment) {
  return { subjectType: 'allotment', subjectId: id };
}
