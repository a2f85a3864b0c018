import { Injectable } from '@nestjs/common';
import { Clock } from '../../../../platform/clock/clock.js';
import { Database } from '../../../../platform/database/database.js';
import { filterRows } from '../../../../platform/database/filter-rows.js';
import type { Rows } from '../../../../platform/database/rows.js';
import { conflict, invalidField, notFound, unprocessable } from '../../../../platform/errors/app-error.js';
import { pageBounds } from '../../../../platform/http/dto.js';
import { newId } from '../../../../platform/ids/id.js';
import { sortRows } from '../../../../platform/database/sort-rows.js';
import { type RecordedAction, type ReversalResult, Reverses } from '../../../action-ledger/index.js';
import type { BookingSummary } from '../../../bookings/index.js';
import { AccountAuditService, transferImage } from '../account/account-audit.service.js';
import type { BookingAccount } from '../account/booking-account.js';
import { BookingAccountsService } from '../account/booking-accounts.service.js';
import { CustomerMoneyService } from '../account/customer-money.service.js';
import { Payment, PaymentDaysService } from '../../books/index.js';
import { newCustomerPayment } from '../payments/new-payment.js';
import type { CreateTransfer } from './refund.dto.js';
import type { ListTransfers, Transfer } from './transfer-response.dto.js';

interface Accounts {
  source: BookingAccount;
  target: BookingAccount;
}

/** Moves unapplied money between two bookings of a customer, with an outgoing and an incoming payment and without a bank. */
@Injectable()
export class TransfersService {
  private readonly rows: Rows<Payment>;

  constructor(
    private readonly database: Database,
    private readonly accounts: BookingAccountsService,
    private readonly money: CustomerMoneyService,
    private readonly days: PaymentDaysService,
    private readonly audit: AccountAuditService,
    private readonly clock: Clock,
  ) {
    this.rows = database.rows(Payment);
  }

  async get(id: string): Promise<Transfer> {
    return this.sidesOf(id);
  }

  /** Newest first. */
  async list({ bookingId, status, ...page }: ListTransfers): Promise<{ transfers: Transfer[]; total: number }> {
    const found = this.rows.query('payment').where(`payment.kind = 'transfer_out'`);
    filterRows(found, 'payment.status', status);
    if (bookingId !== undefined) {
      const ofBooking = 'select transfer_id from payments where booking_id = :bookingId and transfer_id is not null';
      found.andWhere(`payment.transferId in (${ofBooking})`, { bookingId });
    }
    sortRows(found, page.sort ?? '-createdAt');
    const { rows: outgoing, total } = await this.rows.page(found, pageBounds(page));
    const incoming = await this.rows.read({
      name: 'transfers-incoming',
      text: `select ${this.rows.columns('payment')} from payments payment
        where payment.kind = 'transfer_in' and payment.transfer_id = any ($1)`,
      values: [outgoing.map(({ transferId }) => transferId)],
    });
    const transfers = outgoing.flatMap((from) => {
      const to = incoming.find(({ transferId }) => transferId === from.transferId);
      return to ? [{ from, to }] : [];
    });
    return { transfers, total };
  }

  async create(
    bookingId: string,
    { toBookingId, amountCents, reason }: CreateTransfer,
    transferId = newId('ptrf'),
  ): Promise<Transfer> {
    if (toBookingId === bookingId)
      throw invalidField('toBookingId', 'toBookingId must be another booking', 'same_as_source');
    return this.database.transaction(async () => {
      const { source, target } = await this.lockBoth(bookingId, toBookingId);
      assertSameCustomer(source.booking, target.booking);
      const { currency } = source.booking;
      const [paidOn, now] = [this.clock.today(), this.clock.now()];
      const moved = { currency, amountCents, method: 'other', reason, paidOn, transferId } as const;
      const from = newCustomerPayment(
        { ...moved, bookingId },
        { id: newId('pay'), kind: 'transfer_out', status: 'completed', now },
      );
      const to = newCustomerPayment(
        { ...moved, bookingId: toBookingId },
        { id: newId('pay'), kind: 'transfer_in', status: 'completed', now },
      );
      const postingDate = await this.days.postingDateOf(paidOn);
      for (const side of [from, to]) side.postingDate = postingDate;
      await this.money.payOut(source, from);
      await this.rows.insert(to);
      this.audit.transferChanged('create', { from, to }, { before: null, reason });
      await this.accounts.applyMoney(target);
      return { from, to };
    });
  }

  async reverse(transferId: string, reason: string): Promise<Transfer> {
    return this.database.transaction(async () => {
      const { before, transfer } = await this.reverseLocked(transferId, reason);
      this.audit.transferChanged('reverse', transfer, { before, reason });
      return transfer;
    });
  }

  @Reverses('finance.transfer.create', { effect: 'finance.transfer.reverse' })
  async reverseCreation({ subjectId }: RecordedAction, reason: string): Promise<ReversalResult> {
    const { before, transfer } = await this.reverseLocked(subjectId, reason);
    this.audit.publishTransfer('reverse', transfer);
    return { before, after: transferImage(transfer) };
  }

  private async reverseLocked(transferId: string, reason: string): Promise<{ before: object; transfer: Transfer }> {
    const found = await this.sidesOf(transferId);
    const { source, target } = await this.lockBoth(found.from.bookingId ?? '', found.to.bookingId ?? '');
    const sides = await this.sidesOf(transferId);
    sides.from.assertCompleted('reversed');
    const unappliedCents = await this.accounts.unappliedCents(target.booking.id);
    if (unappliedCents < sides.from.amountCents) {
      throw conflict('transfer_used', 'The money of the transfer is used; release it first', { unappliedCents });
    }
    const before = transferImage(sides);
    const today = this.clock.today();
    const postingDate = await this.days.reversalPostingDateOf(today, sides.from.paidOn);
    const reversal = { kind: 'mistake', reason, reversedOn: today, postingDate } as const;
    const to = await this.money.reverse(target, sides.to, reversal);
    const from = await this.money.reverse(source, sides.from, reversal);
    await this.accounts.applyMoney(target);
    await this.accounts.applyMoney(source);
    return { before, transfer: { from, to } };
  }

  private async sidesOf(transferId: string): Promise<Transfer> {
    const sides = await this.rows.listBy({ transferId }, ['id']);
    const from = sides.find(({ kind }) => kind === 'transfer_out');
    const to = sides.find(({ kind }) => kind === 'transfer_in');
    if (!from || !to) throw notFound();
    return { from, to };
  }

  /** Locks in the order of ids, so that two transfers in opposite directions cannot deadlock. */
  private async lockBoth(sourceId: string, targetId: string): Promise<Accounts> {
    const lockTarget = () => this.accounts.lock(targetId, { field: 'toBookingId' });
    if (targetId < sourceId) {
      const target = await lockTarget();
      return { target, source: await this.accounts.lock(sourceId) };
    }
    const source = await this.accounts.lock(sourceId);
    return { source, target: await lockTarget() };
  }
}

/** Bookings without an address belong to unknown customers. */
function assertSameCustomer(source: BookingSummary, target: BookingSummary): void {
  const isSame =
    source.customerEmail !== null && source.customerEmail.toLowerCase() === target.customerEmail?.toLowerCase();
  if (!isSame) throw conflict('customer_mismatch', 'The bookings are not of the same customer');
  if (source.currency === target.currency) return;
  throw unprocessable('currency_mismatch', 'The bookings must have the same currency', {
    field: 'toBookingId',
    expected: source.currency,
    actual: target.currency,
  });
}
