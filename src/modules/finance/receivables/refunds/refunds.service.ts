import { Injectable } from '@nestjs/common';
import { Clock } from '../../../../platform/clock/clock.js';
import { Database } from '../../../../platform/database/database.js';
import type { Rows } from '../../../../platform/database/rows.js';
import { invalidField, notFound } from '../../../../platform/errors/app-error.js';
import { assertVersion, type ExpectedVersions } from '../../../../platform/http/if-match.js';
import { newId } from '../../../../platform/ids/id.js';
import { daysAfter } from '../../../../platform/time/calendar.js';
import {
  assertUnchangedSince,
  type RecordedAction,
  type ReversalResult,
  Reverses,
} from '../../../action-ledger/index.js';
import { AccountAuditService } from '../account/account-audit.service.js';
import type { BookingAccount } from '../account/booking-account.js';
import { BookingAccountsService } from '../account/booking-accounts.service.js';
import { CustomerMoneyService } from '../account/customer-money.service.js';
import { FinanceSettingsService, Payment, PaymentDaysService } from '../../books/index.js';
import { newCustomerPayment } from '../payments/new-payment.js';
import type { CompleteRefund, RequestRefund } from './refund.dto.js';

/** Manages refunds of unapplied money, which are requested, then completed or failed. */
@Injectable()
export class RefundsService {
  private readonly rows: Rows<Payment>;

  constructor(
    private readonly database: Database,
    private readonly accounts: BookingAccountsService,
    private readonly money: CustomerMoneyService,
    private readonly days: PaymentDaysService,
    private readonly settings: FinanceSettingsService,
    private readonly audit: AccountAuditService,
    private readonly clock: Clock,
  ) {
    this.rows = database.rows(Payment);
  }

  async get(id: string): Promise<Payment> {
    return assertRefund(await this.rows.get(id));
  }

  /** Reserves unapplied money. Errors name the members of `input` below the path `within`. */
  async request(
    bookingId: string,
    input: RequestRefund,
    { id = newId('pay'), within = '' }: { id?: string; within?: string } = {},
  ): Promise<Payment> {
    return this.database.transaction(async () => {
      const account = await this.accounts.lock(bookingId);
      await this.assertReceipt(bookingId, input, `${within}paymentId`);
      const { refundDays } = await this.settings.get();
      const today = this.clock.today();
      const { amountCents, method, reason, paymentId = null, dueOn = daysAfter(today, refundDays) } = input;
      if (dueOn < today) throw invalidField('dueOn', 'dueOn must not be before today', 'in_the_past');
      const { currency } = account.booking;
      const refund = newCustomerPayment(
        { bookingId, currency, amountCents, method, reason, paidOn: today, receiptId: paymentId, dueOn },
        { id, kind: 'refund', status: 'requested', now: this.clock.now() },
      );
      await this.money.payOut(account, refund);
      this.audit.refundChanged('request', refund, { before: null, reason });
      return refund;
    });
  }

  /** Records that the money was sent. */
  async complete(id: string, input: CompleteRefund, expected: ExpectedVersions): Promise<Payment> {
    return this.database.transaction(async () => {
      const { refund } = await this.lock(id, expected);
      refund.assertRequested('completed');
      const before = refund.auditImage([]);
      const { paidOn, reference = null } = input;
      const postingDate = await this.days.postingDateOf(paidOn);
      refund.complete({ paidOn, postingDate, reference }, this.clock.now());
      await this.rows.update(refund);
      this.audit.refundChanged('complete', refund, { before });
      return refund;
    });
  }

  /** Records that the money could not be sent; it becomes unapplied again. */
  async fail(id: string, reason: string, expected: ExpectedVersions): Promise<Payment> {
    return this.database.transaction(async () => {
      const { account, refund } = await this.lock(id, expected);
      refund.assertRequested('failed');
      const failed = await this.money.failRefund(account, id, reason);
      await this.accounts.applyMoney(account);
      return failed;
    });
  }

  /** Fails a refund that was requested by mistake. */
  @Reverses('finance.refund.request', { effect: 'finance.refund.fail' })
  async reverseRequest(entry: RecordedAction, reason: string): Promise<ReversalResult> {
    const { account, refund } = await this.lock(entry.subjectId, null);
    assertUnchangedSince(entry, refund);
    refund.assertRequested('failed');
    const before = refund.auditImage([]);
    const failed = await this.money.failRefund(account, refund.id, reason);
    await this.accounts.applyMoney(account);
    return { before, after: failed.auditImage([]) };
  }

  private async lock(id: string, expected: ExpectedVersions): Promise<{ account: BookingAccount; refund: Payment }> {
    const { bookingId } = await this.get(id);
    const account = await this.accounts.lock(bookingId ?? '');
    const refund = await this.rows.lock(id);
    assertVersion(expected, refund);
    return { account, refund };
  }

  /** Money of a card must go back to that card. */
  private async assertReceipt(bookingId: string, { method, paymentId }: RequestRefund, field: string): Promise<void> {
    if (paymentId === undefined) {
      if (method === 'card') throw invalidField(field, `${field} is required for card`, 'required');
      return;
    }
    const receipt = await this.rows.get(paymentId, { field });
    if (receipt.bookingId !== bookingId || receipt.direction !== 'in') throw notFound({ field });
  }
}

function assertRefund(payment: Payment): Payment {
  if (payment.kind !== 'refund') throw notFound();
  return payment;
}
