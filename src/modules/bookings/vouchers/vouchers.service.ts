import { Injectable } from '@nestjs/common';
import { Clock } from '../../../platform/clock/clock.js';
import { currentActor } from '../../../platform/context/request-context.js';
import { Database } from '../../../platform/database/database.js';
import { make } from '../../../platform/database/rows.js';
import { Listeners } from '../../../platform/discovery/listeners.js';
import { conflict, notFound, unprocessable } from '../../../platform/errors/app-error.js';
import { assertVersion, type ExpectedVersions } from '../../../platform/http/if-match.js';
import { newId } from '../../../platform/ids/id.js';
import { Outbox } from '../../../platform/outbox/outbox.js';
import { ActionLedger, parentIn, type RecordedAction, Undoes, versionAfter } from '../../action-ledger/index.js';
import { BookingListener, type VoucherAdmission } from '../bookings/booking-listener.js';
import type { BookingStatus } from '../bookings/booking-summary.js';
import { BookingsRepository } from '../bookings/bookings.repository.js';
import { newVoucherCode, voucherCodeOf } from './voucher-code.js';
import { missingOf, planVouchers, type VoucherItem, type VoucherTarget } from './voucher-plan.js';
import type { ListVouchers } from './voucher.dto.js';
import { Voucher } from './voucher.entity.js';
import { type VoucherPath, VouchersRepository } from './vouchers.repository.js';

export type VoucherChange = VoucherPath & { expected: ExpectedVersions };

/** A voucher, and what it admits to. */
export interface Redemption {
  voucher: Voucher;
  admission: VoucherAdmission;
}

const SOLD: readonly BookingStatus[] = ['confirmed', 'in_progress', 'completed'];
/** Completed bookings get no vouchers automatically. */
const ISSUING: readonly BookingStatus[] = ['confirmed', 'in_progress'];

const EVENTS = {
  'bookings.voucher.issue': 'issued',
  'bookings.voucher.void': 'voided',
  'bookings.voucher.reinstate': 'reinstated',
  'operations.voucher.redeem': 'redeemed',
  'operations.voucher.reopen': 'reinstated',
} as const;

/** The vouchers of bookings. Each change locks the booking first, so the vouchers themselves need no lock. */
@Injectable()
export class VouchersService {
  constructor(
    private readonly database: Database,
    private readonly repository: VouchersRepository,
    private readonly bookings: BookingsRepository,
    private readonly listeners: Listeners,
    private readonly ledger: ActionLedger,
    private readonly outbox: Outbox,
    private readonly clock: Clock,
  ) {}

  async list(bookingId: string, query: ListVouchers): Promise<{ rows: Voucher[]; total: number }> {
    const page = await this.repository.list(bookingId, query);
    if (page.total === 0) await this.bookings.bookings.get(bookingId);
    return page;
  }

  /** The valid vouchers of these bookings. */
  async listValid(
    bookingIds: readonly string[],
  ): Promise<Pick<Voucher, 'bookingId' | 'itemId' | 'code' | 'redeemedAt'>[]> {
    return this.repository.listValid(bookingIds);
  }

  async get(path: VoucherPath): Promise<Voucher> {
    return this.repository.get(path);
  }

  /**
   * Issues, voids and reinstates the vouchers of a locked booking after a change of its items, its travelers or its balance. A
   * second call changes nothing.
   */
  async follow(bookingId: string): Promise<void> {
    const { vouchers, items } = await this.repository.stateOf(bookingId);
    if (vouchers.length === 0 && items.every(({ rule }) => rule === null || rule === 'never')) return;
    const { status } = await this.bookings.bookings.get(bookingId);
    const isPaid = !items.some(({ rule }) => rule === 'when_paid') || !(await this.isBalanceDue(bookingId));
    const terms = { isSold: SOLD.includes(status), isPaid, isIssuing: ISSUING.includes(status) };
    const { voided, reinstated, issued } = planVouchers(items, vouchers, terms);
    const now = this.clock.now();
    for (const { voucher, cause } of voided) {
      await this.change('bookings.voucher.void', voucher, () => voucher.void(cause, null, now));
    }
    for (const voucher of reinstated) {
      await this.change('bookings.voucher.reinstate', voucher, () => voucher.reinstate(now));
    }
    await this.insert(bookingId, issued);
  }

  /** Calls `follow` before the commit, when a sale that a payment already covers has its seats. */
  followAtEnd(bookingId: string): void {
    this.database.beforeCommit(`vouchers:${bookingId}`, () => this.follow(bookingId));
  }

  /** Reopens the redeemed vouchers of items of a locked booking that were moved to another departure. */
  async reopenMoved(bookingId: string, itemIds: readonly string[]): Promise<void> {
    const { vouchers } = await this.repository.stateOf(bookingId);
    const now = this.clock.now();
    for (const voucher of vouchers) {
      if (voucher.status !== 'redeemed' || !itemIds.includes(voucher.itemId)) continue;
      await this.change('operations.voucher.reopen', voucher, () => voucher.reopen(now));
    }
  }

  /**
   * Issues the vouchers that items lack, by default those of products with vouchers, even if staff voided earlier ones. Returns the
   * valid vouchers of the items.
   */
  async issue(
    bookingId: string,
    itemIds?: readonly string[],
    fixed?: { id: string; code: string },
  ): Promise<Voucher[]> {
    return this.database.transaction(async () => {
      const { status } = await this.bookings.bookings.lock(bookingId);
      if (!SOLD.includes(status)) {
        throw conflict('booking_not_confirmed', 'Vouchers need a confirmed booking', { status });
      }
      const { vouchers, items } = await this.repository.stateOf(bookingId);
      const chosen = itemIds
        ? await this.itemsNamed({ bookingId, items }, itemIds)
        : items.filter(({ isLive, rule }) => isLive && rule !== null && rule !== 'never');
      if (chosen.some(({ rule }) => rule === 'when_paid') && (await this.isBalanceDue(bookingId))) {
        throw conflict(
          'balance_outstanding',
          'The booking must be paid before the vouchers of this product are issued',
        );
      }
      const valid = vouchers.filter((one) => one.isValid() && chosen.some(({ id }) => id === one.itemId));
      const missing = chosen.flatMap((item) =>
        missingOf(
          item,
          valid.filter(({ itemId }) => itemId === item.id),
        ),
      );
      return [...valid, ...(await this.insert(bookingId, missing, fixed))];
    });
  }

  /** Voids a voucher that is not redeemed. */
  @Undoes(['bookings.voucher.issue', 'bookings.voucher.reinstate'], {
    effect: 'bookings.voucher.void',
    values: (entry, reason) => [changeOf(entry), reason] as const,
  })
  async void({ expected, ...path }: VoucherChange, reason: string): Promise<Voucher> {
    return this.database.transaction(async () => {
      const voucher = await this.lock(path, expected);
      voucher.assertIssued();
      const now = this.clock.now();
      return this.change('bookings.voucher.void', voucher, () => voucher.void('staff', reason, now), reason);
    });
  }

  /** Makes a void voucher valid again if its item is live, its traveler has the seat, and no other voucher replaces it. */
  @Undoes('bookings.voucher.void', {
    effect: 'bookings.voucher.reinstate',
    values: (entry, reason) => [changeOf(entry), reason] as const,
  })
  async reinstate({ expected, ...path }: VoucherChange, reason: string): Promise<Voucher> {
    return this.database.transaction(async () => {
      const voucher = await this.lock(path, expected);
      voucher.assertVoid();
      const { vouchers, items } = await this.repository.stateOf(path.bookingId);
      const item = items.find(({ id }) => id === voucher.itemId);
      if (!item?.isLive) throw conflict('booking_item_cancelled', 'The item of the voucher is cancelled');
      const { travelerId } = voucher;
      if (travelerId !== null && !item.travelerIds.includes(travelerId)) {
        throw conflict('seat_lost', 'The traveler of the voucher has no seat on the item', { travelerId });
      }
      if (item.rule === 'when_paid' && (await this.isBalanceDue(path.bookingId))) {
        throw conflict(
          'balance_outstanding',
          'The booking must be paid before the vouchers of this product are issued',
        );
      }
      const others = vouchers.filter((one) => one.itemId === item.id && one.isValid());
      const replacing = others.find((one) => travelerId === null || [null, travelerId].includes(one.travelerId));
      if (replacing) {
        throw conflict('voucher_replaced', 'Another voucher replaces this one', { voucherId: replacing.id });
      }
      const now = this.clock.now();
      return this.change('bookings.voucher.reinstate', voucher, () => voucher.reinstate(now), reason);
    });
  }

  /**
   * Admits the people of a voucher; `departureId` is where they show it. Throws 404 for an unknown code. Locks the booking, then
   * the departure, so that one of several requests at once redeems it.
   */
  async redeem(typed: string, departureId: string | null): Promise<Redemption> {
    const code = voucherCodeOf(typed);
    const found = code === null ? null : await this.repository.vouchers.findBy({ code });
    if (!found) throw notFound({ field: 'code' });
    return this.database.transaction(async () => {
      const voucher = await this.lock({ bookingId: found.bookingId, voucherId: found.id }, null);
      voucher.assertNotVoid();
      const admission = await this.repository.admissionOf(voucher);
      if (departureId !== null && departureId !== admission.departureId) {
        const details = { voucherId: voucher.id, departureId: admission.departureId };
        throw conflict('voucher_other_departure', 'The voucher is for another departure', details);
      }
      const [now, { id: actor }] = [this.clock.now(), currentActor()];
      await this.change('operations.voucher.redeem', voucher, () => voucher.redeem(actor, now));
      await this.listeners.call(BookingListener, (listener) => listener.voucherRedeemed?.(admission));
      return { voucher, admission };
    });
  }

  /** Reverses a mistaken redemption: the people of the voucher are no longer checked in. */
  @Undoes('operations.voucher.redeem', {
    effect: 'operations.voucher.reopen',
    values: (entry) => [entry.subjectId, versionAfter(entry)] as const,
  })
  async reopen(voucherId: string, expected: ExpectedVersions): Promise<Redemption> {
    const { bookingId } = await this.repository.vouchers.get(voucherId);
    return this.database.transaction(async () => {
      const voucher = await this.lock({ bookingId, voucherId }, expected);
      const admission = await this.repository.admissionOf(voucher);
      const now = this.clock.now();
      await this.change('operations.voucher.reopen', voucher, () => voucher.reopen(now));
      await this.listeners.call(BookingListener, (listener) => listener.voucherReopened?.(admission));
      return { voucher, admission };
    });
  }

  /** Locks the booking, then reads its voucher. */
  private async lock(path: VoucherPath, expected: ExpectedVersions): Promise<Voucher> {
    await this.bookings.bookings.lock(path.bookingId);
    const voucher = await this.repository.get(path);
    assertVersion(expected, voucher);
    return voucher;
  }

  private async itemsNamed(
    { bookingId, items }: { bookingId: string; items: readonly VoucherItem[] },
    itemIds: readonly string[],
  ): Promise<VoucherItem[]> {
    const named: VoucherItem[] = [];
    for (const [index, itemId] of itemIds.entries()) {
      const field = `itemIds.${index}`;
      const found = items.find(({ id }) => id === itemId);
      if (!found) {
        const other = await this.bookings.items.findBy({ id: itemId, bookingId });
        if (!other) throw notFound({ field });
        throw unprocessable('voucher_not_applicable', 'Only items with a service have vouchers', { field });
      }
      if (!found.isLive)
        throw conflict('booking_item_cancelled', 'A cancelled booking item has no vouchers', { field });
      named.push(found);
    }
    return named;
  }

  private async isBalanceDue(bookingId: string): Promise<boolean> {
    const due: boolean[] = [];
    await this.listeners.call(BookingListener, async (listener) => {
      due.push((await listener.isBalanceDue?.(bookingId)) ?? false);
    });
    return due.includes(true);
  }

  private async insert(
    bookingId: string,
    targets: readonly VoucherTarget[],
    fixed?: { id: string; code: string },
  ): Promise<Voucher[]> {
    const createdAt = this.clock.now();
    const vouchers = targets.map((target) =>
      make(Voucher, {
        ...{ id: newId('vchr'), code: newVoucherCode(), bookingId, ...target, status: 'issued', createdAt },
        ...fixed,
      }),
    );
    if (vouchers.length > 0) await this.repository.vouchers.insertAll(vouchers);
    for (const voucher of vouchers) this.record('bookings.voucher.issue', voucher, { before: null });
    return vouchers;
  }

  private async change(
    action: keyof typeof EVENTS,
    voucher: Voucher,
    change: () => void,
    reason: string | null = null,
  ): Promise<Voucher> {
    const before = voucher.auditImage();
    change();
    await this.repository.vouchers.update(voucher);
    this.record(action, voucher, { before, reason });
    return voucher;
  }

  /** Neither the ledger nor an event contains the code, because it admits its bearer. */
  private record(
    action: keyof typeof EVENTS,
    voucher: Voucher,
    { before, reason = null }: { before: object | null; reason?: string | null },
  ): void {
    const subject = { subjectType: 'voucher', subjectId: voucher.id };
    this.ledger.record(action, { ...subject, before, after: voucher.auditImage(), reason });
    const { id: voucherId, bookingId, itemId: bookingItemId, travelerId, status, version } = voucher;
    const data = { voucherId, bookingId, bookingItemId, travelerId, status, version };
    for (const channel of [`bookings.${bookingId}`, 'bookings']) {
      this.outbox.add({ channel, event: `voucher.${EVENTS[action]}`, data });
    }
  }
}

function changeOf(entry: RecordedAction): VoucherChange {
  return { bookingId: parentIn(entry, 'bookingId'), voucherId: entry.subjectId, expected: versionAfter(entry) };
}
