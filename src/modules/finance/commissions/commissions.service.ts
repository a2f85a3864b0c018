import { Injectable } from '@nestjs/common';
import { Clock } from '../../../platform/clock/clock.js';
import { Database } from '../../../platform/database/database.js';
import { make } from '../../../platform/database/rows.js';
import { conflict, invalidField, notFound } from '../../../platform/errors/app-error.js';
import { assertVersion } from '../../../platform/http/if-match.js';
import type { Target } from '../../../platform/http/change-target.js';
import { newId } from '../../../platform/ids/id.js';
import { Outbox } from '../../../platform/outbox/outbox.js';
import { ActionLedger } from '../../action-ledger/index.js';
import { type BookingItemSummary, BookingsService, type BookingSummary } from '../../bookings/index.js';
import { ChannelsService } from '../../distribution/index.js';
import { CommissionLine, type PayableTrigger, type Payout } from './commission-line.entity.js';
import {
  changedTerms,
  type CommissionTerms,
  completeTerms,
  computeCommission,
  exceedsBase,
} from './commission-terms.js';
import type { CreateCommission, ListCommissions, UpdateCommission } from './commission.dto.js';
import { CommissionsRepository, type CommissionState } from './commissions.repository.js';

const MAX_LINES = 50;

const EVENTS = {
  create: 'created',
  update: 'updated',
  recompute: 'updated',
  accrue: 'accrued',
  release: 'payable',
  withdraw: 'withdrawn',
  pay: 'paid',
  void: 'voided',
  reverse: 'payable',
  restore: 'accrued',
} as const;
type Verb = keyof typeof EVENTS;

const ACCRUED: CommissionState = {
  status: 'accrued',
  payableAt: null,
  voidedAt: null,
  voidReason: null,
  voidedByCancellation: false,
};

interface Progress {
  paid: boolean;
  departed: boolean;
}

const TRIGGER_IS_MET: Record<PayableTrigger, (progress: Progress) => boolean> = {
  paid_in_full: ({ paid }) => paid,
  departed: ({ departed }) => departed,
  both: ({ paid, departed }) => paid && departed,
};

/** A booking item, locked by the lock of its booking, and all commission lines of the booking. */
interface LockedItem {
  booking: BookingSummary;
  item: BookingItemSummary;
  lines: CommissionLine[];
  now: Date;
}

export type CommissionTarget = Target<'bookingItemId' | 'id'>;

/** Commissions on booking items. Every change locks the booking of the item. */
@Injectable()
export class CommissionsService {
  constructor(
    private readonly database: Database,
    private readonly repository: CommissionsRepository,
    private readonly bookings: BookingsService,
    private readonly channels: ChannelsService,
    private readonly ledger: ActionLedger,
    private readonly outbox: Outbox,
    private readonly clock: Clock,
  ) {}

  async create(bookingItemId: string, input: CreateCommission, id = newId('comm')): Promise<CommissionLine> {
    const terms = completeTerms(input);
    return this.database.transaction(async () => {
      const { booking, item, lines, now } = await this.lockItem(bookingItemId);
      assertSellable(booking, item);
      const present = lines.filter((line) => line.bookingItemId === bookingItemId);
      if (present.filter(({ reversesId }) => reversesId === null).length >= MAX_LINES) {
        throw conflict('commission_limit_reached', `An item has at most ${MAX_LINES} commissions`, {
          limit: MAX_LINES,
        });
      }
      if (input.channelId) await this.channels.assertUsable(input.channelId);
      const status = booking.status === 'draft' ? 'pending' : 'accrued';
      const line = lineOf(input, terms, { id, item, status, now });
      assertWithinPrice([...present, line], item);
      await this.repository.rows.insert(line);
      this.recordAndPublish('create', line, { before: null });
      await this.settleLines(booking, [...lines, line]);
      return line;
    });
  }

  /** Newest first. */
  async list(bookingItemId: string, { status, recipientId }: ListCommissions): Promise<CommissionLine[]> {
    const lines = await this.repository.ofItem(bookingItemId);
    if (lines.length === 0) await this.bookings.getItem(bookingItemId);
    return lines
      .filter((line) => status === undefined || line.status === status)
      .filter((line) => recipientId === undefined || line.recipientId === recipientId);
  }

  async get(bookingItemId: string, id: string): Promise<CommissionLine> {
    const line = await this.repository.rows.findBy({ id, bookingItemId });
    if (!line) throw notFound();
    return line;
  }

  async update(target: CommissionTarget, body: UpdateCommission): Promise<CommissionLine> {
    const { commissionModel, basis, rateBasisPoints, amountCents, perUnit, netRateCents, ...changes } = body;
    const given = { commissionModel, basis, rateBasisPoints, amountCents, perUnit, netRateCents };
    return this.change('update', target, async (line, { item, lines, now }) => {
      const { channelId } = line;
      line.change(changes, now);
      if (line.channelId !== null && line.channelId !== channelId) await this.channels.assertUsable(line.channelId);
      const terms = changedTerms(line, given);
      if (terms && line.compute(terms, item, now)) {
        assertWithinPrice(
          lines.filter(({ bookingItemId }) => bookingItemId === item.id),
          item,
        );
      }
    });
  }

  async void(target: CommissionTarget, reason: string): Promise<CommissionLine> {
    return this.change('void', target, (line, { now }) => line.void(reason, now));
  }

  async payOut(target: CommissionTarget, payout: Payout): Promise<CommissionLine> {
    if (payout.paidOn > this.clock.today()) {
      throw invalidField('paidOn', 'paidOn must not be after today', 'in_the_future');
    }
    return this.change('pay', target, (line, { now }) => line.payOut(payout, now));
  }

  /** When the booking is confirmed. The caller has locked it. */
  async accrue(booking: BookingSummary): Promise<void> {
    const lines = await this.repository.ofBooking(booking.id);
    await this.setState(
      'accrue',
      lines.filter(({ status }) => status === 'pending'),
      ACCRUED,
    );
    await this.settleLines(booking, lines);
  }

  /**
   * Makes commissions payable whose trigger is met, and accrued again if it is no longer met. Call it whenever the payments,
   * the total, the date or the day have changed; the caller has locked the booking.
   */
  async settle(bookingId: string): Promise<void> {
    const lines = await this.repository.ofBooking(bookingId);
    if (lines.some(dependsOnTrigger)) await this.settleLines(await this.bookings.getSummary(bookingId), lines);
  }

  /**
   * When an item has changed. The caller has locked its booking. Rejects the change with 409 `pass_through_item`, 422
   * `cost_unknown`, `commission_exceeds_base`.
   */
  async recompute(item: BookingItemSummary): Promise<void> {
    const active = (await this.repository.ofItem(item.id)).filter((line) => line.isLive());
    if (active.length === 0) return;
    if (item.pricingTreatment === 'pass_through') throw passThrough();

    const now = this.clock.now();
    const before = new Map(active.map((line) => [line.id, line.auditImage()]));
    const changed = active.filter((line) => line.isOpen() && line.compute(line, item, now));
    assertWithinPrice(active, item);
    await this.repository.rows.updateAll(changed);
    for (const line of changed) this.recordAndPublish('recompute', line, { before: before.get(line.id) ?? null });
  }

  /** When the booking is cancelled. The caller has locked it. */
  async reverseOfBooking(bookingId: string, reason: string): Promise<void> {
    await this.reverse(await this.repository.ofBooking(bookingId), reason);
  }

  /** When the item is cancelled. The caller has locked its booking. */
  async reverseOfItem(bookingItemId: string): Promise<void> {
    await this.reverse(await this.repository.ofItem(bookingItemId), 'The item was cancelled');
  }

  /**
   * When the cancellation of items is reversed. The caller has locked their booking. Lines that the cancellation voided wait
   * for their trigger again, and reversing lines that were not paid out are void. What a partner has paid back already is not
   * owed again by itself.
   */
  async reinstate(booking: BookingSummary, itemIds: readonly string[], reason: string): Promise<void> {
    const lines = await this.repository.ofBooking(booking.id);
    const own = lines.filter(({ bookingItemId }) => itemIds.includes(bookingItemId));
    const now = this.clock.now();
    const restored = own.filter(({ voidedByCancellation }) => voidedByCancellation);
    await this.setState('restore', restored, booking.status === 'draft' ? { ...ACCRUED, status: 'pending' } : ACCRUED);
    const reversing = own.filter((line) => line.reversesId !== null && line.status === 'payable');
    const voided = { status: 'void', payableAt: null, voidedAt: now, voidReason: reason } as const;
    await this.setState('void', reversing, { ...voided, voidedByCancellation: false });
    await this.settleLines(booking, lines);
  }

  /** Voids the open lines. Each paid one gets a line that reverses it, because the payout cannot be reverted. */
  private async reverse(lines: readonly CommissionLine[], reason: string): Promise<void> {
    const now = this.clock.now();
    const open = lines.filter((line) => line.isOpen());
    const voided = { status: 'void', payableAt: null, voidedAt: now, voidReason: reason } as const;
    await this.setState('void', open, { ...voided, voidedByCancellation: true });

    // The lines of an item that was cancelled before its booking are reversed already.
    const reversed = new Set(lines.filter(({ status }) => status !== 'void').map(({ reversesId }) => reversesId));
    const reversals = lines
      .filter((line) => line.status === 'paid' && line.reversesId === null && !reversed.has(line.id))
      .filter(({ amountCents }) => amountCents > 0)
      .map((paid) => paid.reversal(newId('comm'), now));
    await this.repository.rows.insertAll(reversals);
    for (const line of reversals) this.recordAndPublish('reverse', line, { before: null, reason });
  }

  private async change(
    verb: Verb,
    { bookingItemId, id, expected }: CommissionTarget,
    change: (line: CommissionLine, locked: LockedItem) => Promise<void> | void,
  ): Promise<CommissionLine> {
    return this.database.transaction(async () => {
      const locked = await this.lockItem(bookingItemId);
      const line = locked.lines.find((one) => one.id === id && one.bookingItemId === bookingItemId);
      if (!line) throw notFound();
      assertVersion(expected, line);
      const before = line.auditImage();
      await change(line, locked);
      await this.repository.rows.update(line);
      this.recordAndPublish(verb, line, { before, reason: line.voidReason });
      await this.settleLines(locked.booking, locked.lines);
      return line;
    });
  }

  private async lockItem(bookingItemId: string): Promise<LockedItem> {
    const { bookingId } = await this.bookings.getItem(bookingItemId);
    const booking = await this.bookings.lock(bookingId);
    // Read again under the lock, because the item may have changed in the meantime.
    const item = await this.bookings.getItem(bookingItemId);
    return { booking, item, lines: await this.repository.ofBooking(bookingId), now: this.clock.now() };
  }

  private async settleLines(booking: BookingSummary, lines: readonly CommissionLine[]): Promise<void> {
    const dependent = lines.filter(dependsOnTrigger);
    if (dependent.length === 0 || booking.status === 'cancelled') return;
    const { id, totalCents, departureDate } = booking;
    const progress = {
      paid: totalCents === 0 || (await this.repository.isPaid(id)),
      departed: departureDate !== null && departureDate < this.clock.today(),
    };
    const isMet = ({ payableTrigger }: CommissionLine) => TRIGGER_IS_MET[payableTrigger](progress);
    const released = dependent.filter((line) => line.status === 'accrued' && isMet(line));
    const withdrawn = dependent.filter((line) => line.status === 'payable' && !isMet(line));
    await this.setState('release', released, { ...ACCRUED, status: 'payable', payableAt: this.clock.now() });
    await this.setState('withdraw', withdrawn, ACCRUED);
  }

  private async setState(verb: Verb, lines: readonly CommissionLine[], state: CommissionState): Promise<void> {
    const before = lines.map((line) => line.auditImage());
    await this.repository.setState(lines, state, this.clock.now());
    for (const [index, line] of lines.entries()) {
      this.recordAndPublish(verb, line, { before: before[index] ?? null, reason: state.voidReason });
    }
  }

  private recordAndPublish(
    verb: Verb,
    line: CommissionLine,
    { before, reason = null }: { before: object | null; reason?: string | null },
  ): void {
    const subject = { subjectType: 'commission', subjectId: line.id };
    this.ledger.record(`finance.commission.${verb}`, { ...subject, before, after: line.auditImage(), reason });
    const { id: commissionId, bookingId, bookingItemId, status, currency, amountCents, version } = line;
    const data = { commissionId, bookingId, bookingItemId, status, currency, amountCents, version };
    this.outbox.add({ channel: 'finance.commissions', event: `commission.${EVENTS[verb]}`, data });
  }
}

/** Throws 422 `cost_unknown`, `commission_exceeds_base`. */
function lineOf(
  input: CreateCommission,
  terms: CommissionTerms,
  { id, item, status, now }: { id: string; item: BookingItemSummary; status: 'pending' | 'accrued'; now: Date },
): CommissionLine {
  return make(CommissionLine, {
    id,
    bookingId: item.bookingId,
    bookingItemId: item.id,
    currency: item.currency,
    recipientType: input.recipientType,
    recipientName: input.recipientName,
    recipientId: input.recipientId ?? null,
    channelId: input.channelId ?? null,
    ...terms,
    ...computeCommission(terms, item),
    computedAt: now,
    payableTrigger: input.payableTrigger ?? 'paid_in_full',
    status,
    payableAt: null,
    paidOn: null,
    paidAt: null,
    payoutReference: null,
    voidedAt: null,
    voidReason: null,
    voidedByCancellation: false,
    reversesId: null,
    notes: input.notes ?? null,
    version: 1,
    createdAt: now,
    updatedAt: now,
  });
}

function dependsOnTrigger(line: CommissionLine): boolean {
  return line.isOpen() && line.status !== 'pending';
}

function assertSellable({ status }: BookingSummary, item: BookingItemSummary): void {
  if (status === 'cancelled') throw conflict('booking_closed', 'The booking is cancelled', { status });
  if (item.status === 'cancelled') throw conflict('booking_item_cancelled', 'The item is cancelled');
  if (item.pricingTreatment === 'pass_through') throw passThrough();
}

function passThrough(): Error {
  return conflict('pass_through_item', 'A pass-through item cannot have commissions');
}

function assertWithinPrice(lines: readonly CommissionLine[], item: BookingItemSummary): void {
  const active = lines.filter((line) => line.isLive());
  const earned = active.reduce((sum, { amountCents }) => sum + BigInt(amountCents), 0n);
  if (earned > BigInt(item.totalSellCents)) throw exceedsBase(item, earned);
}
