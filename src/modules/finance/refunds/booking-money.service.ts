import { Injectable } from '@nestjs/common';
import { Clock } from '../../../platform/clock/clock.js';
import { Database } from '../../../platform/database/database.js';
import type { Rows } from '../../../platform/database/rows.js';
import { pageBounds } from '../../../platform/http/dto.js';
import type { BookingAccount } from '../booking-account/booking-account.js';
import { BookingAccountsService } from '../booking-account/booking-accounts.service.js';
import { Payment } from '../booking-account/payment.entity.js';
import { toPaymentSchedule } from '../payment-plans/payment-schedule.dto.js';
import { toPaymentSummary } from '../payments/payment-response.dto.js';
import { IS_RECEIVABLE } from '../reminders/receivable.sql.js';
import type { BookingMoney, CustomerCredit, ListCustomerCredit } from './booking-money.dto.js';

/** A customer is found by the address; a booking without one is a customer of its own. */
const CREDIT = `
  with unapplied as (
    select booking.id, booking.number, booking.customer_name, lower(booking.customer_email) as email, booking.currency,
      coalesce(lower(booking.customer_email), booking.id) as customer, sum(payment.unapplied_cents) as cents
    from payments payment join bookings booking on booking.id = payment.booking_id
    where payment.status = 'completed' and payment.unapplied_cents > 0
      and ($1::text is null or lower(booking.customer_email) = lower($1))
    group by booking.id
  ),
  credit as (
    select customer, currency, min(customer_name) as name, min(email) as email, sum(cents) as cents,
      json_agg(json_build_object('bookingId', id, 'bookingNumber', number, 'unappliedCents', cents) order by id) as bookings
    from unapplied group by customer, currency
  ),
  owing as (
    select credit.*, (
      select coalesce(sum(open.cents), 0) from bookings booking, lateral (
        select installment.amount_cents - installment.paid_cents as cents from payment_schedules installment
        where installment.booking_id = booking.id and installment.status = 'pending' and ${IS_RECEIVABLE}
        union all
        select refund.amount_cents - refund.covered_cents from payments refund
        where refund.booking_id = booking.id and refund.status = 'completed' and refund.kind in ('refund', 'transfer_out')
      ) open
      where booking.currency = credit.currency
        and (lower(booking.customer_email) = credit.email or booking.id = credit.customer)
    ) as debt
    from credit
  ),
  page as (select * from owing where not $2::boolean or debt > 0 order by customer, currency limit $3 offset $4)
  select (select count(*) from owing where not $2::boolean or debt > 0)::integer as total, page.name as "customerName",
    page.email as "customerEmail", page.currency, page.cents::float8 as "unappliedCents", page.debt::float8 as "debtCents",
    page.bookings
  from (select) as always left join page on true order by page.customer, page.currency`;

/** What is owed, billed and received, per booking and per customer. */
@Injectable()
export class BookingMoneyService {
  private readonly rows: Rows<Payment>;

  constructor(
    private readonly database: Database,
    private readonly accounts: BookingAccountsService,
    private readonly clock: Clock,
  ) {
    this.rows = database.rows(Payment);
  }

  /** Throws 404. */
  async read(bookingId: string): Promise<BookingMoney> {
    const account = await this.accounts.read(bookingId);
    const payments = await this.rows.listBy({ bookingId }, ['paidOn', 'id']);
    return { ...termsOf(account), ...this.partsOf(account, payments) };
  }

  async listCredit(query: ListCustomerCredit): Promise<{ rows: CustomerCredit[]; total: number }> {
    const { matchesDebt = false, customerEmail = null } = query;
    const { limit, offset } = pageBounds(query);
    const found = await this.database.prepared<CustomerCredit & { total: number }>('customer-credit', CREDIT, [
      customerEmail,
      matchesDebt,
      limit,
      offset,
    ]);
    const rows = found.filter(({ currency }) => currency !== null).map(({ total: _total, ...credit }) => credit);
    return { rows, total: found[0]?.total ?? 0 };
  }

  private partsOf(
    account: BookingAccount,
    payments: readonly Payment[],
  ): Pick<BookingMoney, 'documents' | 'installments' | 'payments'> {
    const today = this.clock.today();
    return {
      documents: account.invoices
        .filter((invoice) => invoice.number !== null && invoice.status !== 'void')
        .map((invoice) => ({
          id: invoice.id,
          number: invoice.number ?? '',
          status: invoice.status,
          totalCents: invoice.totalCents,
          creditedCents: invoice.creditedCents,
          paidCents: invoice.paidCents,
          balanceCents: invoice.balanceCents(),
        })),
      installments: account.installments.map((installment) => toPaymentSchedule(installment, today)),
      payments: payments.map(toPaymentSummary),
    };
  }
}

function termsOf(account: BookingAccount): Omit<BookingMoney, 'documents' | 'installments' | 'payments'> {
  const { receivedCents, money } = account;
  const { unappliedCents, reservedCents, uncoveredCents } = money;
  const claimCents = account.claimCents();
  const paidCents = account.installments.reduce((sum, installment) => sum + installment.paidCents, 0);
  return {
    bookingId: account.booking.id,
    currency: account.booking.currency,
    claimCents,
    billedCents: account.billedCents(),
    roomCents: account.roomCents(),
    creditDueCents: account.creditDueCents(),
    receivedCents,
    unappliedCents,
    reservedCents,
    invoiceOnlyCents: receivedCents + uncoveredCents - unappliedCents - reservedCents - paidCents,
    uncoveredRefundCents: uncoveredCents,
    outstandingCents: account.installments.reduce((sum, installment) => sum + installment.outstandingCents(), 0),
    balanceCents: claimCents - receivedCents,
  };
}
