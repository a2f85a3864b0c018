import { Injectable } from '@nestjs/common';
import { Clock } from '../../../platform/clock/clock.js';
import { Database } from '../../../platform/database/database.js';
import { filterRows } from '../../../platform/database/filter-rows.js';
import { make } from '../../../platform/database/rows.js';
import { pageBounds } from '../../../platform/http/dto.js';
import { conflict, invalidField, notFound } from '../../../platform/errors/app-error.js';
import { assertVersion, type Target } from '../../../platform/http/if-match.js';
import { newId } from '../../../platform/ids/id.js';
import { Outbox } from '../../../platform/outbox/outbox.js';
import { sortRows } from '../../../platform/database/sort-rows.js';
import { ActionLedger, parentIn, type RecordedAction, Undoes, versionAfter } from '../../action-ledger/index.js';
import { type BookingItemSummary, BookingsService, type BookingSummary } from '../../bookings/index.js';
import { ChannelsService } from '../../distribution/index.js';
import { split } from '../books/index.js';
import { CommissionDebt } from './commission-debt.js';
import { type AdjustReason, CommissionLine, type PayableTrigger, type Payout } from './commission-line.entity.js';
import {
  changedTerms,
  type CommissionTerms,
  completeTerms,
  computeCommission,
  exceedsBase,
  isComputable,
  withoutWaived,
} from './commission-terms.js';
import type { CreateCommission, ListCommissions, SearchCommissions, UpdateCommission } from './commission.dto.js';
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
  withdraw_payout: 'payable',
  adjust: 'adjusted',
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

const VOID = { status: 'void', payableAt: null, voidedByCancellation: false } as const;

interface Progress {
  paid: boolean;
  departed: boolean;
}

const TRIGGER_IS_MET: Record<PayableTrigger, (progress: Progress) => boolean> = {
  paid_in_full: ({ paid }) => paid,
  departed: ({ departed }) => departed,
  both: ({ paid, departed }) => paid && departed,
};

/** A booking item, locked with its booking, and all commission lines of the booking. */
interface LockedItem {
  booking: BookingSummary;
  item: BookingItemSummary;
  lines: CommissionLine[];
  now: Date;
}

export type CommissionTarget = Target<'bookingItemId' | 'id'>;

/** Manages commissions for booking items. Every change locks the booking of the item. */
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
      if (present.filter(({ adjustsId }) => adjustsId === null).length >= MAX_LINES) {
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
  async list(bookingItemId: string, { status, recipientId, sort }: ListCommissions): Promise<CommissionLine[]> {
    const lines = await this.repository.ofItem(bookingItemId);
    if (lines.length === 0) await this.bookings.getItem(bookingItemId);
    const sorted = sort === 'createdAt' ? lines.toReversed() : lines;
    return sorted
      .filter((line) => status === undefined || status.includes(line.status))
      .filter((line) => recipientId === undefined || line.recipientId === recipientId);
  }

  /** Lists commissions of all bookings, newest first. */
  async search({ paidFrom, paidTo, ...query }: SearchCommissions): Promise<{ rows: CommissionLine[]; total: number }> {
    const found = this.repository.rows.query('line');
    for (const name of ['recipientType', 'status'] as const) filterRows(found, `line.${name}`, query[name]);
    for (const name of ['bookingId', 'recipientId', 'channelId'] as const) {
      if (query[name] !== undefined) found.andWhere(`line.${name} = :${name}`, { [name]: query[name] });
    }
    if (query.recipientName !== undefined) {
      found.andWhere('lower(line.recipientName) = lower(:recipientName)', { recipientName: query.recipientName });
    }
    if (paidFrom !== undefined) found.andWhere('line.paidOn >= :paidFrom', { paidFrom });
    if (paidTo !== undefined) found.andWhere('line.paidOn <= :paidTo', { paidTo });
    sortRows(found, query.sort ?? '-createdAt');
    return this.repository.rows.page(found, pageBounds(query));
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

  @Undoes('finance.commission.create', {
    effect: 'finance.commission.void',
    values: (entry, reason) => [recordedIn(entry), reason] as const,
  })
  async void(target: CommissionTarget, reason: string): Promise<CommissionLine> {
    return this.change('void', target, (line, { now }) => line.void(reason, now));
  }

  /** The caller must record the payment. */
  async payOut(target: CommissionTarget, payout: Payout): Promise<CommissionLine> {
    if (payout.paidOn > this.clock.today()) {
      throw invalidField('paidOn', 'paidOn must not be after today', 'in_the_future');
    }
    return this.change('pay', target, (line, { now }) => line.payOut(payout, now));
  }

  /** Locks the booking of a commission; must precede the lock of its payout. */
  async lockDebt(id: string): Promise<CommissionDebt> {
    const { bookingId } = await this.repository.rows.get(id);
    await this.bookings.lock(bookingId);
    return new CommissionDebt(await this.repository.rows.get(id), (reason) => this.withdrawPayout(id, reason));
  }

  /** Returns the audit snapshot of a commission. */
  async imageOf(id: string): Promise<object> {
    return (await this.repository.rows.get(id)).auditImage();
  }

  /**
   * Makes the line payable again after the reversal of its payout, with the amount that it earns now. Runs in the transaction
   * that locked its booking.
   */
  private async withdrawPayout(id: string, reason: string): Promise<void> {
    const line = await this.repository.rows.get(id);
    const item = await this.bookings.getItem(line.bookingItemId);
    const lines = await this.repository.ofBooking(line.bookingId);
    const adjusting = lines.filter(({ adjustsId }) => adjustsId === id);
    const settled = adjusting.filter(({ status }) => status === 'paid');
    if (settled.length > 0) {
      throw conflict('commission_adjusted', 'Reverse the payouts of the adjusting commissions first', {
        commissionIds: settled.map((adjustment) => adjustment.id),
      });
    }
    const now = this.clock.now();
    const open = adjusting.filter((adjustment) => adjustment.isLive());
    await this.setState('void', open, { ...VOID, voidedAt: now, voidReason: reason });
    const others = lines.filter((other) => other.id !== id);
    const before = line.auditImage();
    line.withdrawPayout(now);
    await this.repository.rows.update(line);
    this.recordAndPublish('withdraw_payout', line, { before, reason });
    if (item.status === 'cancelled')
      await this.reverse([...others.filter((other) => other.bookingItemId === item.id), line], reason);
    else await this.settleLines(await this.bookings.getSummary(line.bookingId), [...others, line]);
  }

  /** Called when the booking is confirmed. The caller has locked it. */
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
   * Computes the commissions of a booking from its current, not waived sales. Makes commissions payable if their trigger is
   * met, and accrued again if it is no longer met. Must be called, with the booking locked, whenever the payments, the total,
   * the date or the day have changed; `isPaymentReversed` states that the trigger may have been lost.
   */
  async settle(bookingId: string, { isPaymentReversed = false } = {}): Promise<void> {
    const lines = await this.repository.ofBooking(bookingId);
    if (!lines.some((line) => line.isLive())) return;
    await this.settleLines(await this.bookings.getSummary(bookingId), lines, { isPaymentReversed });
  }

  /** Called when an item has changed. The caller has locked its booking. Can reject the change. */
  async recompute(booking: BookingSummary, item: BookingItemSummary): Promise<void> {
    const lines = await this.repository.ofBooking(booking.id);
    const active = lines.filter((line) => line.bookingItemId === item.id && line.isLive());
    if (active.length === 0) return;
    if (item.pricingTreatment === 'pass_through') throw passThrough();
    await this.settleLines(booking, lines);
  }

  /** Called when the booking is cancelled. The caller has locked it. */
  async reverseOfBooking(bookingId: string, reason: string): Promise<void> {
    await this.reverse(await this.repository.ofBooking(bookingId), reason);
  }

  /** Called when the item is cancelled. The caller has locked its booking. */
  async reverseOfItem(bookingItemId: string): Promise<void> {
    await this.reverse(await this.repository.ofItem(bookingItemId), 'The item was cancelled');
  }

  /**
   * Called when the cancellation of items is reversed. The caller has locked their booking. Lines that the cancellation voided
   * wait for their trigger again; lines that were paid out are adjusted to their earnings.
   */
  async reinstate(booking: BookingSummary, itemIds: readonly string[]): Promise<void> {
    const lines = await this.repository.ofBooking(booking.id);
    const restored = lines.filter((line) => itemIds.includes(line.bookingItemId) && line.voidedByCancellation);
    await this.setState('restore', restored, booking.status === 'draft' ? { ...ACCRUED, status: 'pending' } : ACCRUED);
    await this.settleLines(booking, lines);
  }

  /** Voids the open lines. The recipient must pay back the payouts. */
  private async reverse(lines: readonly CommissionLine[], reason: string): Promise<void> {
    const open = lines.filter((line) => line.isOpen());
    await this.setState('void', open, {
      ...VOID,
      voidedAt: this.clock.now(),
      voidReason: reason,
      voidedByCancellation: true,
    });
    for (const paid of lines.filter((line) => line.isPaidOut())) {
      await this.adjust(paid, lines, { targetCents: 0, reason: 'item_cancelled', note: reason });
    }
  }

  /**
   * Sets the open line that adjusts a paid one to the difference between the target and the settled amount; voids it if that is
   * 0. Returns the line if it is new.
   */
  private async adjust(
    paid: CommissionLine,
    lines: readonly CommissionLine[],
    { targetCents, reason, note = null }: { targetCents: number; reason: AdjustReason; note?: string | null },
  ): Promise<CommissionLine[]> {
    const { settledCents, open } = settlementOf(paid, lines);
    const amountCents = targetCents - settledCents;
    if (amountCents === (open?.amountCents ?? 0)) return [];
    const now = this.clock.now();
    if (open && amountCents === 0) {
      await this.setState('void', [open], { ...VOID, voidedAt: now, voidReason: note ?? 'Nothing is left to adjust' });
      return [];
    }
    if (open) {
      const before = open.auditImage();
      open.readjust({ amountCents, reason }, now);
      await this.repository.rows.update(open);
      this.recordAndPublish('adjust', open, { before, reason: note });
      return [];
    }
    const line = paid.adjustment(newId('comm'), { amountCents, reason }, now);
    await this.repository.rows.insert(line);
    this.recordAndPublish('adjust', line, { before: null, reason: note });
    return [line];
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
    // Reads again under the lock, because the item may have changed in the meantime.
    const item = await this.bookings.getItem(bookingItemId);
    return { booking, item, lines: await this.repository.ofBooking(bookingId), now: this.clock.now() };
  }

  private async settleLines(
    booking: BookingSummary,
    lines: readonly CommissionLine[],
    { isPaymentReversed = false } = {},
  ): Promise<void> {
    if (booking.status === 'cancelled' || !lines.some((line) => line.isLive())) return;
    const { id, totalCents, departureDate } = booking;
    const [{ isPaid, waivedCents }, items] = await this.database.together(() =>
      Promise.all([this.repository.planState(id), this.bookings.activeItems(id)]),
    );
    const progress = {
      paid: totalCents === 0 || isPaid,
      departed: departureDate !== null && departureDate < this.clock.today(),
    };
    const isMet = ({ payableTrigger }: CommissionLine) => TRIGGER_IS_MET[payableTrigger](progress);
    await this.markLost(lines, { isMet, isPaymentReversed });

    const added: CommissionLine[] = [];
    for (const { item, sale } of salesOf(items, waivedCents)) {
      const own = lines.filter(({ bookingItemId }) => bookingItemId === item.id);
      if (own.length > 0) added.push(...(await this.computeItem(item, sale, own)));
    }
    const dependent = [...lines, ...added].filter((line) => line.dependsOnTrigger());
    const released = dependent.filter((line) => line.status === 'accrued' && isMet(line));
    const withdrawn = dependent.filter((line) => line.status === 'payable' && !isMet(line));
    await this.setState('release', released, { ...ACCRUED, status: 'payable', payableAt: this.clock.now() });
    await this.setState('withdraw', withdrawn, ACCRUED);
  }

  /** After the reversal of a payment, commissions that were paid out have lost their trigger until it is met again. */
  private async markLost(
    lines: readonly CommissionLine[],
    { isMet, isPaymentReversed }: { isMet: (line: CommissionLine) => boolean; isPaymentReversed: boolean },
  ): Promise<void> {
    const paid = lines.filter((line) => line.isPaidOut());
    const lost = paid.filter((line) => isPaymentReversed && line.payableTrigger !== 'departed' && !isMet(line));
    const found = paid.filter((line) => isMet(line));
    const changed = [...lost.filter((line) => !line.triggerLost), ...found.filter((line) => line.triggerLost)];
    for (const line of changed) line.triggerLost = !line.triggerLost;
    await this.repository.rows.updateAll(changed);
  }

  /**
   * Computes the open lines of an item, and adjusts the lines that were paid out. Paid lines never reject a lower price:
   * together they earn the part of it that the open lines leave. Returns the added lines.
   */
  private async computeItem(
    item: BookingItemSummary,
    sale: BookingItemSummary,
    lines: readonly CommissionLine[],
  ): Promise<CommissionLine[]> {
    const now = this.clock.now();
    const open = lines.filter((line) => line.isOpen());
    const before = new Map(open.map((line) => [line.id, line.auditImage()]));
    const changed = open.filter((line) => line.compute(line, sale, now));
    assertWithinPrice(open, item);
    await this.repository.rows.updateAll(changed);
    for (const line of changed) this.recordAndPublish('recompute', line, { before: before.get(line.id) ?? null });

    let leftCents = Math.max(0, item.totalSellCents - sumOf(open));
    const added: CommissionLine[] = [];
    for (const paid of lines.filter((line) => line.isPaidOut())) {
      const { earnedCents, reason } = targetOf(paid, { item, sale, lines });
      const targetCents = Math.min(earnedCents, leftCents);
      leftCents -= targetCents;
      added.push(...(await this.adjust(paid, lines, { targetCents, reason })));
    }
    return added;
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
    recipientId: input.recipientId,
    channelId: input.channelId,
    ...terms,
    ...computeCommission(terms, item),
    computedAt: now,
    payableTrigger: input.payableTrigger ?? 'paid_in_full',
    status,
    voidedByCancellation: false,
    triggerLost: false,
    notes: input.notes,
    createdAt: now,
  });
}

/** Returns the paid amount of a commission with its adjustments, and the unpaid adjusting line. */
function settlementOf(paid: CommissionLine, lines: readonly CommissionLine[]) {
  const adjusting = lines.filter(({ adjustsId }) => adjustsId === paid.id);
  return {
    settledCents: paid.amountCents + sumOf(adjusting.filter(({ status }) => status === 'paid')),
    open: adjusting.find(({ status }) => status === 'accrued' || status === 'payable'),
  };
}

/** Returns the amount that a paid commission earns by its terms now, and why it may differ from the paid amount. */
function targetOf(
  paid: CommissionLine,
  { item, sale, lines }: { item: BookingItemSummary; sale: BookingItemSummary; lines: readonly CommissionLine[] },
): { earnedCents: number; reason: AdjustReason } {
  if (paid.triggerLost) return { earnedCents: 0, reason: 'payment_reversed' };
  const { settledCents, open } = settlementOf(paid, lines);
  // Without the cost of the item, it keeps the last computed amount. An item that became a discount earns nothing.
  if (!isComputable(paid, sale))
    return { earnedCents: settledCents + (open?.amountCents ?? 0), reason: 'item_changed' };
  if (sale.totalSellCents < 0) return { earnedCents: 0, reason: 'item_changed' };

  const earnedCents = computeCommission(paid, sale).amountCents;
  const isRestored = lines.some(
    (line) => line.adjustsId === paid.id && line.isLive() && line.adjustReason === 'payment_reversed',
  );
  if (isRestored && earnedCents > settledCents) return { earnedCents, reason: 'payment_restored' };
  const isWaived = earnedCents < settledCents && computeCommission(paid, item).amountCents > earnedCents;
  return { earnedCents, reason: isWaived ? 'waived' : 'item_changed' };
}

/** Returns each item without its part of the booking's waived amount, which is split by their prices. */
function salesOf(items: readonly BookingItemSummary[], waivedCents: number) {
  const parts = items.map(({ totalSellCents }) => Math.max(0, totalSellCents));
  const waived = split(
    parts,
    Math.min(
      waivedCents,
      parts.reduce((sum, part) => sum + part, 0),
    ),
  );
  return items.map((item, index) => ({ item, sale: withoutWaived(item, waived[index] ?? 0) }));
}

function sumOf(lines: readonly CommissionLine[]): number {
  return lines.reduce((sum, { amountCents }) => sum + amountCents, 0);
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

function recordedIn(entry: RecordedAction): CommissionTarget {
  return { bookingItemId: parentIn(entry, 'bookingItemId'), id: entry.subjectId, expected: versionAfter(entry) };
}
