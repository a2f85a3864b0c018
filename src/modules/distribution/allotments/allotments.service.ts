import { Injectable } from '@nestjs/common';
import { isDeepStrictEqual } from 'node:util';
import { Clock } from '../../../platform/clock/clock.js';
import { Database } from '../../../platform/database/database.js';
import { make } from '../../../platform/database/rows.js';
import { conflict, unprocessable } from '../../../platform/errors/app-error.js';
import { checkedAs } from '../../../platform/http/format-check.js';
import { assertVersion, type ExpectedVersions } from '../../../platform/http/if-match.js';
import { newId } from '../../../platform/ids/id.js';
import { Outbox } from '../../../platform/outbox/outbox.js';
import {
  ActionLedger,
  assertUnchangedSince,
  byVersion,
  type RecordedAction,
  type ReversalResult,
  Reverses,
  Undoes,
  versionAfter,
} from '../../action-ledger/index.js';
import type { DepartureWarning, ShortageRule } from '../../operations/index.js';
import { ProductsService } from '../../products/index.js';
import { ChannelsService } from '../channels/channels.service.js';
import { type CreateAllotment, type ListAllotments, type ReleaseBody, UpdateAllotment } from './allotment.dto.js';
import { Allotment, type AllotmentView } from './allotment.entity.js';
import { AllotmentsRepository } from './allotments.repository.js';
import type { ReleaseRule } from './release-rule.js';
import { slotsIn, subjectOf, sumOf, toRecord } from './releases.service.js';
import { SlotOpeningsService } from './slot-openings.service.js';
import { type ChannelSlot, type SlotKey, SlotsRepository } from './slots.repository.js';
import { type ItemSale, type ItemUnits, SlotsService } from './slots.service.js';

const CHANNEL = 'distribution.allotments';
const EVENTS = { create: 'created', update: 'updated', delete: 'deleted' } as const;
const NEW_IDS = { allotment: () => newId('alot'), slot: () => newId('alsl') };

/**
 * Manages allotments for staff, and sells their units to bookings. Every change locks the product, so that slots and departures
 * stay as they are; a sale locks only its departure.
 */
@Injectable()
export class AllotmentsService {
  constructor(
    private readonly database: Database,
    private readonly repository: AllotmentsRepository,
    private readonly slots: SlotsService,
    private readonly slotRows: SlotsRepository,
    private readonly openings: SlotOpeningsService,
    private readonly channels: ChannelsService,
    private readonly products: ProductsService,
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
      await this.openings.openUpcoming(allotment, { slotId: ids.slot });
      // Opening slots locks the product, so that it is not archived at the same time.
      await this.products.assertUsable(allotment.productId);
      this.record('create', allotment, { before: null, after: allotment.auditImage(release) });
      return { allotment, release };
    });
  }

  /** Throws 409 if the product has an active allotment that has not ended. */
  async assertNoneLive(productId: string): Promise<void> {
    const allotments = await this.repository.countLive(productId, this.clock.today());
    if (allotments === 0) return;
    throw conflict('product_in_use', 'The product has allotments that have not ended', { productId, allotments });
  }

  async list(query: ListAllotments): Promise<{ views: AllotmentView[]; total: number }> {
    return this.repository.listViews(query);
  }

  async get(id: string): Promise<AllotmentView> {
    return this.repository.getView(id);
  }

  /** Returns the allotment, and a warning for each slot that returned with fewer units. */
  @Undoes('distribution.allotment.update', {
    effect: 'distribution.allotment.update',
    values: async (entry) =>
      [entry.subjectId, await checkedAs(UpdateAllotment, entry.before), { expected: versionAfter(entry) }] as const,
  })
  async update(
    id: string,
    { release: body, ...changes }: UpdateAllotment,
    { expected, onShortage = 'reject' }: { expected: ExpectedVersions; onShortage?: ShortageRule },
  ): Promise<{ view: AllotmentView; warnings: DepartureWarning[] }> {
    return this.database.transaction(async () => {
      const { allotment, release: previousRule } = await this.repository.lockView(id);
      assertVersion(expected, allotment);
      const before = allotment.auditImage(previousRule);
      const [previousEnd, wasActive] = [endOf(allotment), allotment.active];
      const release = body === undefined ? previousRule : body && ruleOf(body);
      allotment.change(changes, release, this.clock.now());
      await this.repository.allotments.update(allotment);
      if (!isDeepStrictEqual(release, previousRule)) await this.slots.replaceSteps(allotment, release);
      if (endOf(allotment) < previousEnd) await this.openings.closeUncovered(allotment);
      let warnings: DepartureWarning[] = [];
      if (endOf(allotment) > previousEnd || (allotment.active && !wasActive)) {
        await this.channels.lockUsable(allotment.channelId);
        ({ warnings } = await this.openings.openUpcoming(allotment, { onShortage }));
        // As on creation.
        await this.products.assertNotArchived(allotment.productId);
      }
      this.record('update', allotment, { before, after: allotment.auditImage(release) });
      return { view: { allotment, release }, warnings };
    });
  }

  /** Unsold units return to the pool. */
  @Undoes('distribution.allotment.create', { effect: 'distribution.allotment.delete', values: byVersion })
  async delete(id: string, expected: ExpectedVersions): Promise<void> {
    await this.database.transaction(async () => {
      const { allotment, release } = await this.repository.lockView(id);
      assertVersion(expected, allotment);
      const now = this.clock.now();
      const before = allotment.auditImage(release);
      const unsold = await this.openings.closeAll(allotment);
      allotment.delete(now);
      await this.repository.allotments.update(allotment);
      const { version } = allotment;
      const after = { id, deletedAt: now.toISOString(), returned: sumOf(unsold), slots: toRecord(unsold), version };
      this.record('delete', allotment, { before, after });
    });
  }

  /** Restores the allotment with the units of its slots, and opens slots on departures that were added since. */
  @Reverses('distribution.allotment.delete', { effect: 'distribution.allotment.create' })
  async reverseDeletion(entry: RecordedAction): Promise<ReversalResult> {
    const { slots: closed } = await slotsIn(entry);
    const { subjectId: id } = entry;
    const { allotment, release } = await this.repository.lockView(id, 'deleted');
    assertUnchangedSince(entry, allotment);
    const before = { id, deletedAt: allotment.deletedAt?.toISOString() ?? null };
    await this.channels.lockUsable(allotment.channelId);
    allotment.restore(this.clock.now());
    await this.repository.allotments.update(allotment);
    const { departures } = await this.openings.openUpcoming(allotment);
    await this.products.assertNotArchived(allotment.productId);
    const ahead = new Set(departures.map((departure) => departure.id));
    const returned = closed.filter(({ departureId }) => ahead.has(departureId));
    if (closed.length > 0 && returned.length === 0) {
      const departureIds = closed.map(({ departureId }) => departureId);
      throw conflict('departures_gone', 'The departures have started or were cancelled', { departureIds });
    }
    this.publish('reclaimed', allotment);
    const after = { ...allotment.auditImage(release), slots: returned };
    return { before, after, outcome: returned.length < closed.length ? 'partial' : 'full' };
  }

  /** Rejects allotments of another channel; the error contains the `field` that caused it. */
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
   * An open slot of the channel on each of these departures, of an active allotment if it has one. While a departure is locked, its
   * slots do not change.
   */
  async listSlotsOf(channelId: string, departureIds: readonly string[]): Promise<ChannelSlot[]> {
    return this.slotRows.listOfChannel(channelId, departureIds);
  }

  /** Whether the allotment has an open slot on the departure. */
  async hasOpenSlot({ allotmentId, departureId }: SlotKey): Promise<boolean> {
    const [slot] = await this.database.query(
      'select from allotment_slots where allotment_id = $1 and departure_id = $2 and closed_at is null',
      [allotmentId, departureId],
    );
    return slot !== undefined;
  }

  /**
   * Sells units of a slot to a booking item; the caller has locked the departure. The allotment and its channel must be active.
   */
  async sell({ allotmentId, departureId }: SlotKey, item: ItemSale): Promise<void> {
    await this.slots.sell(await this.getSelling(allotmentId), departureId, item);
  }

  /** Holds units of a slot for a trip; the caller has locked the departure. */
  async hold({ allotmentId, departureId }: SlotKey, units: number): Promise<void> {
    await this.slots.hold(await this.getSelling(allotmentId), departureId, units);
  }

  /** Reverses `hold`. The caller has locked the departure. Throws an internal error if fewer units are held. */
  async releaseHeld({ allotmentId, departureId }: SlotKey, units: number): Promise<void> {
    await this.slots.releaseHeld(await this.getRow(allotmentId), departureId, units);
  }

  /** Sells the held units of a trip to a booking item. The caller has locked the departure. */
  async sellHeld({ allotmentId, departureId }: SlotKey, item: ItemUnits): Promise<void> {
    await this.slots.sellHeld(await this.getRow(allotmentId), departureId, item);
  }

  /**
   * Reverses `sell` for several items at once, even if the allotment or its channel is no longer active. The caller has locked
   * the departure. Throws an internal error if fewer units are sold.
   */
  async unsell({ allotmentId, departureId }: SlotKey, items: readonly ItemUnits[]): Promise<void> {
    await this.slots.unsell(await this.getRow(allotmentId), departureId, items);
  }

  private async getSelling(allotmentId: string): Promise<Allotment> {
    const { allotment } = await this.repository.getView(allotmentId, { field: 'allotmentId' });
    if (!allotment.active) {
      throw conflict('allotment_inactive', 'The allotment is inactive', { field: 'allotmentId', allotmentId });
    }
    await this.channels.assertSelling(allotment.channelId, 'allotmentId');
    return allotment;
  }

  private async getRow(allotmentId: string): Promise<Allotment> {
    return (await this.repository.getView(allotmentId)).allotment;
  }

  private record(
    verb: keyof typeof EVENTS,
    allotment: Allotment,
    images: { before: object | null; after: object },
  ): void {
    this.ledger.record(`distribution.allotment.${verb}`, { ...subjectOf(allotment), ...images });
    this.publish(EVENTS[verb], allotment);
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
    validTo: input.validTo,
    defaultQuantity: input.defaultQuantity,
    active: input.active ?? true,
    releaseMode: release?.mode,
    unsoldAction: release?.unsoldAction,
    reclaimOnMove: release?.reclaimOnMove,
    notes: input.notes,
    createdAt: now,
  });
}

function ruleOf(body: ReleaseBody): ReleaseRule {
  const { mode, steps, unsoldAction = 'release_to_general_pool', reclaimOnMove = true } = body;
  const complete = steps.map(({ daysBefore, hoursBefore = 0, keepQuantity = 0 }) => ({
    daysBefore,
    hoursBefore,
    keepQuantity,
  }));
  return { mode, steps: complete, unsoldAction, reclaimOnMove };
}

/** Days compare as text; an open end is later than any day. */
function endOf({ validTo }: Allotment): string {
  return validTo ?? '9999-12-31';
}
