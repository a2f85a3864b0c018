import { Injectable } from '@nestjs/common';
import { isDeepStrictEqual } from 'node:util';
import { Clock } from '../../../platform/clock/clock.js';
import { Database } from '../../../platform/database/database.js';
import { make } from '../../../platform/database/rows.js';
import { conflict, notFound, unprocessable } from '../../../platform/errors/app-error.js';
import { assertVersion, type ExpectedVersions } from '../../../platform/http/if-match.js';
import { checkedAs } from '../../../platform/http/format-check.js';
import { newId } from '../../../platform/ids/id.js';
import { Outbox } from '../../../platform/outbox/outbox.js';
import {
  ActionLedger,
  assertUnchangedSince,
  type RecordedAction,
  Reverses,
  type ReversalResult,
} from '../../action-ledger/index.js';
import { DeparturesService } from '../../operations/index.js';
import { ChannelsService } from '../channels/channels.service.js';
import type { CreateAllotment, ListAllotments, ReleaseBody, ReleasedUnits, UpdateAllotment } from './allotment.dto.js';
import { Allotment, type AllotmentView } from './allotment.entity.js';
import type { AllotmentSlot } from './allotment-slot.entity.js';
import { AllotmentsRepository, type DueStep } from './allotments.repository.js';
import { keptByHand, type ReleaseRule, unitsToRelease } from './release-rule.js';
import { RecordedRelease } from './slot.dto.js';
import type { SlotKey } from './slots.repository.js';
import { type ItemUnits, SlotsService, type Unsold } from './slots.service.js';

const CHANNEL = 'distribution.allotments';
const EVENTS = { create: 'created', update: 'updated', delete: 'deleted' } as const;
const NEW_IDS = { allotment: () => newId('alot'), slot: () => newId('alsl') };

/**
 * Allotments: the use cases of staff, and sales by bookings. Every change locks the product, so that
 * slots and departures do not change meanwhile; a sale locks only its departure.
 */
@Injectable()
export class AllotmentsService {
  constructor(
    private readonly database: Database,
    private readonly repository: AllotmentsRepository,
    private readonly slots: SlotsService,
    private readonly channels: ChannelsService,
    private readonly departures: DeparturesService,
    private readonly ledger: ActionLedger,
    private readonly outbox: Outbox,
    private readonly clock: Clock,
  ) {}

  async create(input: CreateAllotment, ids = NEW_IDS): Promise<AllotmentView> {
    const release = input.release ? ruleOf(input.release) : null;
    const allotment = newAllotment(input, { id: ids.allotment(), release, now: this.clock.now() });
    allotment.assertRange();
    return this.database.transaction(async () => {
      await this.channels.lockUsable(allotment.channelId);
      await this.repository.allotments.insert(allotment);
      await this.repository.replaceSteps(allotment, release?.steps ?? [], []);
      await this.slots.openUpcoming(allotment, ids.slot);
      this.record('create', allotment, { before: null, after: allotment.auditImage(release) });
      return { allotment, release };
    });
  }

  async list(query: ListAllotments): Promise<{ views: AllotmentView[]; total: number }> {
    return this.repository.listViews(query);
  }

  async get(id: string): Promise<AllotmentView> {
    return this.repository.getView(id);
  }

  async update(
    id: string,
    { release: body, ...changes }: UpdateAllotment,
    expected: ExpectedVersions,
  ): Promise<AllotmentView> {
    return this.database.transaction(async () => {
      const { allotment, release: previousRule } = await this.repository.lockView(id);
      assertVersion(expected, allotment);
      const before = allotment.auditImage(previousRule);
      const [previousEnd, wasActive] = [endOf(allotment), allotment.active];
      const release = body === undefined ? previousRule : body && ruleOf(body);
      allotment.change(changes, release, this.clock.now());
      await this.repository.allotments.update(allotment);
      if (!isDeepStrictEqual(release, previousRule)) await this.slots.replaceSteps(allotment, release);
      if (endOf(allotment) < previousEnd) await this.slots.closeUncovered(allotment);
      if (endOf(allotment) > previousEnd || (allotment.active && !wasActive)) {
        await this.channels.lockUsable(allotment.channelId);
        if (allotment.active) await this.slots.openUpcoming(allotment);
      }
      this.record('update', allotment, { before, after: allotment.auditImage(release) });
      return { allotment, release };
    });
  }

  /** Unsold units return to the pool. */
  async delete(id: string, expected: ExpectedVersions): Promise<void> {
    await this.database.transaction(async () => {
      const { allotment, release } = await this.repository.lockView(id);
      assertVersion(expected, allotment);
      const now = this.clock.now();
      const before = allotment.auditImage(release);
      const unsold = await this.slots.closeAll(allotment);
      allotment.delete(now);
      await this.repository.allotments.update(allotment);
      const { version } = allotment;
      const after = { id, deletedAt: now.toISOString(), returned: sumOf(unsold), slots: recordOf(unsold), version };
      this.record('delete', allotment, { before, after });
    });
  }

  /** Releases unsold units of one departure or of all future ones; the steps of a manual rule limit how many. */
  async release(id: string, departureId?: string): Promise<ReleasedUnits> {
    return this.database.transaction(async () => {
      const { allotment, release } = await this.repository.lockView(id);
      const now = this.clock.now();
      const slots = await this.slots.lockOpen(id, (slot) =>
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

  /**
   * Restores the allotment, reclaims its units, and opens slots on departures that were added since. Throws 409 `changed_since`, `allotment_overlap`, `channel_archived`,
   * `units_not_recorded`, and the errors of reclaiming units.
   */
  @Reverses('distribution.allotment.delete')
  async reverseDeletion(entry: RecordedAction): Promise<ReversalResult> {
    const released = await releaseIn(entry);
    const { subjectId: id } = entry;
    const { allotment, release } = await this.repository.lockView(id, 'deleted');
    assertUnchangedSince(entry, allotment);
    const before = { id, deletedAt: allotment.deletedAt?.toISOString() ?? null };
    await this.channels.lockUsable(allotment.channelId);
    allotment.restore(this.clock.now());
    await this.repository.allotments.update(allotment);
    const { after: slots, isPartial } = await this.slots.reclaim(allotment, released, 'closed');
    if (allotment.active) await this.slots.openUpcoming(allotment);
    this.publish('reclaimed', allotment);
    return { before, after: { ...allotment.auditImage(release), slots }, outcome: isPartial ? 'partial' : 'full' };
  }

  /** Throws 404 if the allotment is deleted, 409 `nothing_released`, `units_not_recorded`, and the errors of reclaiming units. */
  @Reverses('distribution.allotment.release')
  async reverseRelease(entry: RecordedAction): Promise<ReversalResult> {
    const released = await releaseIn(entry);
    const { unsoldAction } = released;
    const slots = released.slots.filter(({ units }) => units > 0);
    if (unsoldAction === 'retain' || slots.length === 0) {
      throw conflict('nothing_released', 'No units were released', { unsoldAction });
    }
    const { allotment } = await this.repository.lockView(entry.subjectId);
    const { before, after, isPartial } = await this.slots.reclaim(allotment, { ...released, slots }, 'open');
    this.publish('reclaimed', allotment);
    return { before: { slots: before }, after: { slots: after }, outcome: isPartial ? 'partial' : 'full' };
  }

  /** Throws 422 `channel_mismatch`, with the `field` that caused it, if an allotment belongs to another channel. */
  async assertSoldBy(channelId: string, allotmentIds: readonly string[], field: string): Promise<void> {
    const foreign = (await this.repository.listByIds(allotmentIds)).find((one) => one.channelId !== channelId);
    if (!foreign) return;
    throw unprocessable('channel_mismatch', 'The allotment belongs to another channel than the booking', {
      field,
      allotmentId: foreign.id,
      allotmentChannelId: foreign.channelId,
      bookingChannelId: channelId,
    });
  }

  /**
   * Sells units of a slot to a booking item; the caller has locked the departure. Throws 404 with details {field}, 409
   * `allotment_inactive`, `channel_inactive`, `channel_archived`, `departure_cancelled`, `capacity_exceeded` with details
   * {available}.
   */
  async sell({ allotmentId, departureId }: SlotKey, item: ItemUnits): Promise<void> {
    const { allotment } = await this.repository.getView(allotmentId, { field: 'allotmentId' });
    if (!allotment.active) {
      throw conflict('allotment_inactive', 'The allotment is inactive', { field: 'allotmentId', allotmentId });
    }
    await this.channels.assertSelling(allotment.channelId, 'allotmentId');
    await this.slots.sell(allotment, departureId, item);
  }

  /**
   * Reverses `sell`, for several items at once; also if the allotment or its channel is inactive by now. The caller has locked
   * the departure. Throws an internal error if fewer units are sold.
   */
  async unsell({ allotmentId, departureId }: SlotKey, items: readonly ItemUnits[]): Promise<void> {
    const { allotment } = await this.repository.getView(allotmentId);
    await this.slots.unsell(allotment, departureId, items);
  }

  /** In their order: a later step of a slot releases units that earlier ones have left. */
  private async executeSteps(due: readonly DueStep[]): Promise<{ step: DueStep; units: number }[]> {
    const allotments = await this.repository.listByIds([...new Set(due.map(({ allotmentId }) => allotmentId))]);
    const slots = await this.lockSlotsOf(due);
    const executed: { step: DueStep; units: number }[] = [];
    for (const steps of withoutRepeatedSlots(due)) {
      const allotment = allotments.find(({ id }) => id === steps[0]?.allotmentId);
      const unsold = steps.flatMap(({ slotId, keepQuantity }) => {
        const slot = slots.get(slotId);
        return slot ? [{ slot, units: unitsToRelease(slot, keepQuantity) }] : [];
      });
      if (!allotment || unsold.length < steps.length) throw new Error('A step has no slot or no allotment');
      await this.slots.release(allotment, unsold, 'step');
      for (const one of unsold) this.recordRelease(allotment, [one], 'step');
      executed.push(...steps.map((step, index) => ({ step, units: unsold[index]?.units ?? 0 })));
    }
    return executed;
  }

  private async lockSlotsOf(due: readonly DueStep[]): Promise<ReadonlyMap<string, AllotmentSlot>> {
    const keys = new Map(due.map(({ slotId, departureId }) => [slotId, { id: slotId, departureId }]));
    const slots = await this.slots.lock([...keys.values()]);
    return new Map(slots.map((slot) => [slot.id, slot]));
  }

  private record(
    verb: keyof typeof EVENTS,
    allotment: Allotment,
    images: { before: object | null; after: object },
  ): void {
    this.ledger.record(`distribution.allotment.${verb}`, { ...subjectOf(allotment), ...images });
    this.publish(EVENTS[verb], allotment);
  }

  private recordRelease(allotment: Allotment, unsold: readonly Unsold[], by: 'step' | 'hand'): void {
    const unsoldAction = allotment.effectiveAction();
    const slots = recordOf(unsold);
    const after = { by, unsoldAction, slots };
    this.ledger.record('distribution.allotment.release', { ...subjectOf(allotment), before: null, after });
    if (unsoldAction === 'retain') return;
    for (const slot of slots.filter(({ units }) => units > 0)) {
      const data = { ...allotment.eventData(), ...slot, by, unsoldAction };
      this.outbox.add({ channel: CHANNEL, event: 'allotment.released', data });
    }
  }

  private publish(what: 'created' | 'updated' | 'deleted' | 'reclaimed', allotment: Allotment): void {
    this.outbox.add({ channel: CHANNEL, event: `allotment.${what}`, data: allotment.eventData() });
  }
}

function newAllotment(
  input: CreateAllotment,
  { id, release, now }: { id: string; release: ReleaseRule | null; now: Date },
): Allotment {
  return make(Allotment, {
    id,
    channelId: input.channelId,
    productId: input.productId,
    type: input.type ?? 'guaranteed',
    validFrom: input.validFrom,
    validTo: input.validTo ?? null,
    defaultQuantity: input.defaultQuantity,
    active: input.active ?? true,
    releaseMode: release?.mode ?? null,
    unsoldAction: release?.unsoldAction ?? null,
    notes: input.notes ?? null,
    deletedAt: null,
    version: 1,
    createdAt: now,
    updatedAt: now,
  });
}

function ruleOf({ mode, steps, unsoldAction = 'release_to_general_pool' }: ReleaseBody): ReleaseRule {
  const complete = steps.map(({ daysBefore, hoursBefore = 0, keepQuantity = 0 }) => ({
    daysBefore,
    hoursBefore,
    keepQuantity,
  }));
  return { mode, steps: complete, unsoldAction };
}

/** Days compare as text; an open end is later than any day. */
function endOf({ validTo }: Allotment): string {
  return validTo ?? '9999-12-31';
}

/** Groups of steps that can be executed together: of one allotment, and no slot more than once. */
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

function sumOf(unsold: readonly Unsold[]): number {
  return unsold.reduce((sum, { units }) => sum + units, 0);
}

/** The released units as the ledger stores them; a reversal reclaims these. */
function recordOf(unsold: readonly Unsold[]): RecordedRelease['slots'] {
  return unsold.map(({ slot, units }) => ({ slotId: slot.id, departureId: slot.departureId, units }));
}

/** Old entries contain only the number of units, from which a reversal cannot know the slots. */
async function releaseIn({ subjectId, after }: RecordedAction): Promise<RecordedRelease> {
  if (Array.isArray(after?.['slots'])) return checkedAs(RecordedRelease, after);
  throw conflict('units_not_recorded', 'The entry does not record which units were released; create a new allotment', {
    allotmentId: subjectId,
  });
}

function subjectOf({ id }: Allotment) {
  return { subjectType: 'allotment', subjectId: id };
}
