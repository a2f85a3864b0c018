import { Injectable } from '@nestjs/common';
import { Clock } from '../../../../platform/clock/clock.js';
import { Database } from '../../../../platform/database/database.js';
import type { Rows } from '../../../../platform/database/rows.js';
import { pageBounds } from '../../../../platform/http/dto.js';
import { directionOf } from '../../../../platform/database/sort-rows.js';
import { BookingsService } from '../../../bookings/index.js';
import { type AccountMoney, BookingAccount } from '../account/booking-account.js';
import { BookingAccountsService } from '../account/booking-accounts.service.js';
import type { CreditNote } from '../account/credit-note.entity.js';
import { LockedPlan } from '../account/locked-plan.js';
import {
  BilledTaxesService,
  byCode,
  creditDueByGroup,
  type GroupCredit,
  Payment,
  type RatedGroup,
  rateExcesses,
  sumByGroup,
} from '../../books/index.js';
import { toPaymentSchedule } from '../plans/payment-schedule.dto.js';
import { toPaymentSummary } from '../payments/payment-response.dto.js';
import { IS_RECEIVABLE } from '../reminders/receivable.sql.js';
import type { BookingMoney, CustomerCredit, ListCustomerCredit } from './booking-money.dto.js';
import { type CreditDueGroup, toCreditDueGroup } from './credit-due.dto.js';
import { PastAccountsRepository } from './past-accounts.repository.js';

/** The address identifies a customer; a booking without one counts as a separate customer. */
const creditPage = (order: string) => `
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
  page as (select * from owing page where not $2::boolean or debt > 0 order by ${order} limit $3 offset $4)
  select (select count(*) from owing where not $2::boolean or debt > 0)::integer as total, page.name as "customerName",
    page.email as "customerEmail", page.currency, page.cents::float8 as "unappliedCents", page.debt::float8 as "debtCents",
    page.bookings
  from (select) as always left join page on true order by ${order}`;

/** The account of a booking and the sources of its amounts, now or at the end of a day. */
interface Shown {
  account: BookingAccount;
  payments: readonly Payment[];
  creditNotes: readonly CreditNote[];
  creditDue: readonly GroupCredit[];
  /** Rates with excess billing in other tax groups; none for a past day, because histories of items have no rate. */
  creditDueAtRates: readonly RatedGroup[];
}

/** Returns the amounts owed, billed and received, per booking and per customer. */
@Injectable()
export class BookingMoneyService {
  private readonly rows: Rows<Payment>;

  constructor(
    private readonly database: Database,
    private readonly bookings: BookingsService,
    private readonly accounts: BookingAccountsService,
    private readonly past: PastAccountsRepository,
    private readonly billedTaxes: BilledTaxesService,
    private readonly clock: Clock,
  ) {
    this.rows = database.rows(Payment);
  }

  /** With `asOf` null, the account is current. */
  async read(bookingId: string, asOf: string | null): Promise<BookingMoney> {
    const shown = asOf === null ? await this.currentAccount(bookingId) : await this.pastAccount(bookingId, asOf);
    return { ...termsOf(shown, asOf), ...partsOf(shown, asOf ?? this.clock.today()) };
  }

  async listCredit(query: ListCustomerCredit): Promise<{ rows: CustomerCredit[]; total: number }> {
    const { matchesDebt = false, customerEmail = null, sort = 'customerName' } = query;
    const [column, direction] = [sort.endsWith('unappliedCents') ? 'cents' : 'name', directionOf(sort)];
    const order = `page.${column} ${direction}, page.customer ${direction}, page.currency ${direction}`;
    const { limit, offset } = pageBounds(query);
    const found = await this.database.prepared<CustomerCredit & { total: number }>(
      `customer-credit-by-${column}-${direction}`,
      creditPage(order),
      [customerEmail, matchesDebt, limit, offset],
    );
    const rows = found.filter(({ currency }) => currency !== null).map(({ total: _total, ...credit }) => credit);
    return { rows, total: found[0]?.total ?? 0 };
  }

  private async currentAccount(bookingId: string): Promise<Shown> {
    const account = await this.accounts.read(bookingId);
    const items = await this.bookings.activeItems(bookingId);
    const billed = await this.billedTaxes.byRate(bookingId);
    const waivedCents = account.plan?.waivedCents() ?? 0;
    return {
      account,
      payments: await this.rows.listBy({ bookingId }, ['paidOn', 'id']),
      creditNotes: await this.past.creditNotesOf(bookingId, null),
      creditDue: creditDueByGroup(items, waivedCents, sumByGroup(billed)),
      creditDueAtRates: rateExcesses(items, waivedCents, billed),
    };
  }

  /** Computes the same account from dated rows and histories. */
  private async pastAccount(bookingId: string, day: string): Promise<Shown> {
    const current = await this.accounts.read(bookingId);
    const items = await this.past.itemsOf(bookingId, day);
    const installments = await this.past.installmentsOf(bookingId, day);
    const payments = await this.past.paymentsOf(bookingId, day);
    const totalCents = items.length === 0 ? null : items.reduce((sum, item) => sum + item.totalSellCents, 0);
    const booking = { ...current.booking, status: await this.past.statusOf(bookingId, day), totalCents };
    const invoices = await this.past.invoicesOf(bookingId, day);
    const account = new BookingAccount(booking, null, invoices, moneyOf(payments));
    if (current.plan) account.plan = new LockedPlan(booking, current.plan.plan, installments);
    const billed = await this.billedTaxes.byGroup(bookingId, { day });
    return {
      account,
      payments,
      creditNotes: await this.past.creditNotesOf(bookingId, day),
      creditDue: creditDueByGroup(items, account.plan?.waivedCents() ?? 0, billed),
      creditDueAtRates: [],
    };
  }
}

/** Sums the money of these payments as the account of a locked booking does. */
function moneyOf(payments: readonly Payment[]): AccountMoney {
  const sum = (figure: (payment: Payment) => number) => payments.reduce((cents, payment) => cents + figure(payment), 0);
  const isCompleted = ({ status }: Payment) => status === 'completed';
  return {
    receivedCents: sum((one) => (isCompleted(one) ? (one.direction === 'in' ? one.amountCents : -one.amountCents) : 0)),
    unappliedCents: sum((one) => (isCompleted(one) ? one.unappliedCents : 0)),
    reservedCents: sum((one) => (one.status === 'requested' ? one.coveredCents : 0)),
    uncoveredCents: sum((one) => one.uncoveredCents()),
  };
}

function partsOf(
  { account, payments, creditNotes }: Shown,
  today: string,
): Pick<BookingMoney, 'documents' | 'creditNotes' | 'installments' | 'payments'> {
  return {
    documents: account.invoices
      .filter((invoice) => invoice.number !== null && invoice.status !== 'void')
      .map((invoice) => ({
        id: invoice.id,
        number: invoice.number ?? '',
        issueDate: invoice.issueDate ?? '',
        status: invoice.status,
        totalCents: invoice.totalCents,
        creditedCents: invoice.creditedCents,
        paidCents: invoice.paidCents,
        balanceCents: invoice.balanceCents(),
      })),
    creditNotes: creditNotes.map((note) => ({
      id: note.id,
      invoiceId: note.originalInvoiceId,
      number: note.number ?? '',
      issueDate: note.issueDate ?? '',
      totalCents: note.totalCents,
    })),
    installments: account.installments.map((installment) =>
      toPaymentSchedule({ installment, departureDate: account.booking.departureDate }, today),
    ),
    payments: payments.map(toPaymentSummary),
  };
}

function termsOf(
  { account, creditDue, creditDueAtRates }: Shown,
  asOf: string | null,
): Omit<BookingMoney, 'documents' | 'creditNotes' | 'installments' | 'payments'> {
  const { receivedCents, money } = account;
  const { unappliedCents, reservedCents, uncoveredCents } = money;
  const claimCents = account.claimCents();
  const paidCents = account.installments.reduce((sum, installment) => sum + installment.paidCents, 0);
  return {
    bookingId: account.booking.id,
    currency: account.booking.currency,
    asOf,
    claimCents,
    billedCents: account.billedCents(),
    roomCents: account.roomCents(),
    creditDueCents: account.creditDueCents(),
    creditDueByTaxCode: groupsOf(creditDue, creditDueAtRates),
    receivedCents,
    unappliedCents,
    reservedCents,
    invoiceOnlyCents: receivedCents + uncoveredCents - unappliedCents - reservedCents - paidCents,
    uncoveredRefundCents: uncoveredCents,
    outstandingCents: account.installments.reduce((sum, installment) => sum + installment.outstandingCents(), 0),
    balanceCents: claimCents - receivedCents,
  };
}

/** Sorts by tax code and rate, with amounts without a tax code last. */
function groupsOf(creditDue: readonly GroupCredit[], atRates: readonly RatedGroup[]): CreditDueGroup[] {
  const groups = [
    ...creditDue.map((group) => ({ group, rate: null })),
    ...atRates.map((group) => ({ group: { ...group, wrongTax: false }, rate: group.rateBasisPoints })),
  ];
  return groups
    .sort((one, other) => byCode(one.group, other.group) || (one.rate ?? 0) - (other.rate ?? 0))
    .map(({ group, rate }) => toCreditDueGroup(group, rate));
}
