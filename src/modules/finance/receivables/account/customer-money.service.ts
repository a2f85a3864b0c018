import { Injectable } from '@nestjs/common';
import { Clock } from '../../../../platform/clock/clock.js';
import { Database } from '../../../../platform/database/database.js';
import type { Rows } from '../../../../platform/database/rows.js';
import { unprocessable } from '../../../../platform/errors/app-error.js';
import { AccountAuditService } from './account-audit.service.js';
import { AllocationsService } from './allocations.service.js';
import type { BookingAccount } from './booking-account.js';
import { BookingAccountsRepository } from './booking-accounts.repository.js';
import { coverOf } from './open-debts.js';
import { Payment, type Reversal } from '../../books/index.js';

/** Pays money of a customer out of a booking, and reverses payments. The account must be locked. */
@Injectable()
export class CustomerMoneyService {
  private readonly rows: Rows<Payment>;

  constructor(
    database: Database,
    private readonly repository: BookingAccountsRepository,
    private readonly allocations: AllocationsService,
    private readonly audit: AccountAuditService,
    private readonly clock: Clock,
  ) {
    this.rows = database.rows(Payment);
  }

  /**
   * Inserts a refund or an outgoing transfer and covers it with unapplied money of its receipt, or without a receipt with
   * unapplied money of the booking, the latest payments first.
   */
  async payOut(account: BookingAccount, payment: Payment): Promise<void> {
    const unapplied = await this.repository.lockUnappliedPayments(account.booking.id, { onlyAutomatic: false });
    const usable = unapplied.filter(({ id }) => payment.receiptId === null || id === payment.receiptId).reverse();
    const available = usable.reduce((sum, { unappliedCents }) => sum + unappliedCents, 0);
    if (payment.amountCents > available) {
      throw unprocessable('over_refunded', 'The amount exceeds the unapplied money', {
        field: 'amountCents',
        available,
      });
    }
    payment.coveredCents = payment.amountCents;
    await this.rows.insert(payment);
    let left = payment.amountCents;
    const covers = usable.flatMap((receipt) => {
      const part = Math.min(left, receipt.unappliedCents);
      left -= part;
      return part > 0 ? [{ payment: receipt, shares: [coverOf(payment.id, part)] }] : [];
    });
    await this.allocations.apply(account, covers, { counts: false });
  }

  /** Fails a requested refund; its money becomes unapplied again. */
  async failRefund(account: BookingAccount, id: string, reason: string): Promise<Payment> {
    await this.uncover(account, id);
    const refund = await this.rows.lock(id);
    const before = refund.auditImage([]);
    refund.fail(reason, this.clock.now());
    await this.rows.update(refund);
    this.audit.refundChanged('fail', refund, { before, reason });
    return refund;
  }

  /**
   * Reverses a locked payment of the booking: the debts that it settled are open again, and the money that covered it becomes
   * unapplied. Requested refunds that it covered fail. Call `applyMoney` afterwards.
   */
  async reverse(account: BookingAccount, { id }: Payment, reversal: Reversal): Promise<Payment> {
    const live = await this.allocations.ofPayment(id);
    await this.allocations.reverse(live, reversal.postingDate);
    await this.allocations.count(account, live, 'unpaid');
    await this.failUncovered(account, [...new Set(live.flatMap(({ refundId }) => refundId ?? []))], reversal.reason);
    await this.uncover(account, id, reversal.postingDate);

    const payment = await this.rows.lock(id);
    if (!payment.isCovered()) payment.unappliedCents = payment.amountCents;
    const now = this.clock.now();
    payment.reverse(reversal, now);
    payment.updatedAt = now;
    await this.rows.update(payment);
    return payment;
  }

  /** A requested refund is covered completely, or fails. */
  private async failUncovered(account: BookingAccount, refundIds: readonly string[], reason: string): Promise<void> {
    for (const refund of await this.repository.lockPayments(refundIds)) {
      if (refund.status === 'requested') await this.failRefund(account, refund.id, reason);
    }
  }

  private async uncover(account: BookingAccount, refundId: string, day = this.clock.today()): Promise<void> {
    const covers = await this.repository.allocationsToRefunds([refundId]);
    const released = covers.map((allocation) => ({ allocation, cents: allocation.amountCents }));
    await this.allocations.release(account, released, { day });
  }
}
