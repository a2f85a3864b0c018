import { Injectable } from '@nestjs/common';
import { Clock } from '../../../../platform/clock/clock.js';
import { Database } from '../../../../platform/database/database.js';
import type { Rows } from '../../../../platform/database/rows.js';
import type { AccountMoney } from './booking-account.js';
import { Invoice } from './invoice.entity.js';
import { Payment, PaymentAllocation } from '../../books/index.js';
import { PaymentPlan } from './payment-plan.entity.js';
import { PaymentSchedule } from './payment-schedule.entity.js';

/** Amount by which the cancellation of an item reduced an installment; `waived` if its amount was already waived. */
export interface StoredReduction {
  scheduleId: string;
  cents: number;
  waived: boolean;
}

const MONEY = `select
    least(coalesce(sum(case direction when 'in' then amount_cents else -amount_cents end)
      filter (where status = 'completed'), 0), 9007199254740991)::float8 as "receivedCents",
    least(coalesce(sum(unapplied_cents) filter (where status = 'completed'), 0), 9007199254740991)::float8
      as "unappliedCents",
    coalesce(sum(covered_cents) filter (where status = 'requested'), 0)::float8 as "reservedCents",
    coalesce(sum(amount_cents - covered_cents)
      filter (where status = 'completed' and kind in ('refund', 'transfer_out')), 0)::float8 as "uncoveredCents"
  from payments where booking_id = $1`;

/** Reads and writes the rows of booking accounts. Each call is one statement. */
@Injectable()
export class BookingAccountsRepository {
  private readonly installments: Rows<PaymentSchedule>;
  private readonly invoices: Rows<Invoice>;
  private readonly payments: Rows<Payment>;

  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
  ) {
    this.installments = database.rows(PaymentSchedule);
    this.invoices = database.rows(Invoice);
    this.payments = database.rows(Payment);
  }

  /** Returns the current plan of a booking, and its money as `moneyOf`. */
  async planAndMoney(bookingId: string): Promise<{ plan: PaymentPlan | null; money: AccountMoney }> {
    const [found] = await this.database.read<PaymentPlan, AccountMoney & { id: string | null }>(PaymentPlan, {
      name: 'account-plan-and-money',
      text: `select ${this.database.columnsOf(PaymentPlan, 'plan')}, money.* from (${MONEY}) money
        left join payment_plans plan on plan.booking_id = $1 and plan.is_current`,
      values: [bookingId],
    });
    if (!found) throw new Error('An aggregate has a row');
    const { receivedCents, unappliedCents, reservedCents, uncoveredCents } = found.raw;
    return {
      plan: found.raw.id === null ? null : found.entity,
      money: { receivedCents, unappliedCents, reservedCents, uncoveredCents },
    };
  }

  /** What the customer owes by the plans of its bookings in the currency. */
  async openBalanceOf(customerId: string, currency: string): Promise<number> {
    const [found] = await this.database.query<{ cents: number }>(
      `select coalesce(sum(installment.amount_cents - installment.paid_cents), 0)::float8 as cents
       from bookings booking join payment_schedules installment on installment.booking_id = booking.id
       where booking.customer_id = $1 and booking.currency = $2 and installment.status = 'pending'
         and (booking.status <> 'draft' and (booking.status <> 'cancelled' or installment.type = 'fee'))`,
      [customerId, currency],
    );
    return found?.cents ?? 0;
  }

  async installmentsOf(bookingId: string): Promise<PaymentSchedule[]> {
    return this.installments.listBy({ bookingId }, ['id']);
  }

  async lockInstallments(bookingId: string): Promise<PaymentSchedule[]> {
    return this.installments.read({
      name: 'account-installments',
      text: `select ${this.installments.columns('installment')} from payment_schedules installment
        where installment.booking_id = $1 order by installment.id for no key update`,
      values: [bookingId],
    });
  }

  /** Includes drafts and void invoices. */
  async invoicesOf(bookingId: string): Promise<Invoice[]> {
    return this.invoices.listBy({ bookingId }, ['id']);
  }

  async lockInvoices(bookingId: string): Promise<Invoice[]> {
    return this.invoices.read({
      name: 'account-invoices',
      text: `select ${this.invoices.columns('invoice')} from invoices invoice
        where invoice.booking_id = $1 and invoice.type = 'invoice' order by invoice.id for no key update`,
      values: [bookingId],
    });
  }

  /** Returns the completed payments of a booking with unapplied money, the oldest first. */
  async lockUnappliedPayments(bookingId: string, { onlyAutomatic }: { onlyAutomatic: boolean }): Promise<Payment[]> {
    const payments = await this.payments.read({
      name: 'account-payments-unapplied',
      text: `select ${this.payments.columns('payment')} from payments payment
        where payment.booking_id = $1 and payment.status = 'completed' and payment.unapplied_cents > 0
          and (payment.auto_apply or not $2)
        order by payment.id for no key update`,
      values: [bookingId, onlyAutomatic],
    });
    return payments.sort(byDay);
  }

  /** Returns the completed refunds and outgoing transfers that are not covered completely, the oldest first. */
  async uncoveredRefunds(bookingId: string): Promise<Payment[]> {
    const refunds = await this.payments.read({
      name: 'account-refunds-uncovered',
      text: `select ${this.payments.columns('payment')} from payments payment
        where payment.booking_id = $1 and payment.status = 'completed' and payment.kind in ('refund', 'transfer_out')
          and payment.covered_cents < payment.amount_cents`,
      values: [bookingId],
    });
    return refunds.sort(byDay);
  }

  /** Limits each amount to 2^53-1, however much was overpaid. */
  async moneyOf(bookingId: string): Promise<AccountMoney> {
    const [found] = await this.database.prepared<AccountMoney>('account-money', MONEY, [bookingId]);
    return found ?? { receivedCents: 0, unappliedCents: 0, reservedCents: 0, uncoveredCents: 0 };
  }

  /** Adds to the covered amounts of refunds and outgoing transfers; subtracts a negative amount. */
  async addCovered(covers: ReadonlyMap<string, number>): Promise<void> {
    if (covers.size === 0) return;
    await this.database.prepared(
      'account-refunds-cover',
      `update payments refund
       set covered_cents = refund.covered_cents + cover.cents, version = refund.version + 1, updated_at = $3
       from unnest($1::text[], $2::bigint[]) as cover (id, cents) where refund.id = cover.id`,
      [[...covers.keys()], [...covers.values()], this.clock.now()],
    );
  }

  async lockPayments(ids: readonly string[]): Promise<Payment[]> {
    return this.payments.lockAll(ids);
  }

  /** Returns the live allocations of payments, the oldest first. */
  async allocationsOf(paymentIds: readonly string[]): Promise<PaymentAllocation[]> {
    return this.liveAllocations('of-payments', 'allocation.payment_id = any($1)', paymentIds);
  }

  /** Returns the live allocations to installments, the oldest first. */
  async allocationsTo(scheduleIds: readonly string[]): Promise<PaymentAllocation[]> {
    return this.liveAllocations('to-installments', 'allocation.schedule_id = any($1)', scheduleIds);
  }

  /** Returns the live allocations to an invoice, the oldest first. */
  async allocationsToInvoice(invoiceId: string): Promise<PaymentAllocation[]> {
    return this.liveAllocations('to-invoice', 'allocation.invoice_id = $1', invoiceId);
  }

  /** Returns the live allocations to refunds, the oldest first. */
  async allocationsToRefunds(refundIds: readonly string[]): Promise<PaymentAllocation[]> {
    return this.liveAllocations('to-refunds', 'allocation.refund_id = any($1)', refundIds);
  }

  /** Returns the live allocations to installments and invoices of the booking, the oldest first. */
  async allocationsOfBooking(bookingId: string): Promise<PaymentAllocation[]> {
    return this.liveAllocations('of-booking', `allocation.refund_id is null and ${OF_BOOKING}`, bookingId);
  }

  /** Returns the live allocations to installments of the booking that count on no invoice, the oldest first. */
  async allocationsWithoutInvoice(bookingId: string): Promise<PaymentAllocation[]> {
    const isWithout = 'allocation.schedule_id is not null and allocation.invoice_id is null';
    return this.liveAllocations('without-invoice', `${isWithout} and ${OF_BOOKING}`, bookingId);
  }

  /** Returns the live allocations to invoices of the booking that count on no installment, the oldest first. */
  async allocationsWithoutInstallment(bookingId: string): Promise<PaymentAllocation[]> {
    const isWithout = 'allocation.schedule_id is null and allocation.invoice_id is not null';
    return this.liveAllocations('without-installment', `${isWithout} and ${OF_BOOKING}`, bookingId);
  }

  async insertAllocations(allocations: PaymentAllocation[]): Promise<void> {
    if (allocations.length > 0) await this.database.repository(PaymentAllocation).insert(allocations);
  }

  async insertPlan(plan: PaymentPlan, installments: PaymentSchedule[]): Promise<void> {
    await this.database.insert(plan);
    await this.insertInstallments(installments);
  }

  async insertInstallments(installments: PaymentSchedule[]): Promise<void> {
    if (installments.length > 0) await this.database.repository(PaymentSchedule).insert(installments);
  }

  async insertReductions(bookingItemId: string, reductions: readonly StoredReduction[]): Promise<void> {
    await this.database.prepared(
      'installment-reductions-insert',
      `insert into installment_reductions (booking_item_id, schedule_id, cents, waived)
       select $1, * from unnest($2::text[], $3::bigint[], $4::boolean[])`,
      [
        bookingItemId,
        reductions.map(({ scheduleId }) => scheduleId),
        reductions.map(({ cents }) => cents),
        reductions.map(({ waived }) => waived),
      ],
    );
  }

  /** Returns the deleted rows, sorted by the position of their installment. */
  async deleteReductions(bookingItemId: string): Promise<StoredReduction[]> {
    return this.database.prepared<StoredReduction>(
      'installment-reductions-delete',
      `with taken as (delete from installment_reductions where booking_item_id = $1 returning *)
       select taken.schedule_id as "scheduleId", taken.cents::float8 as cents, taken.waived
       from taken join payment_schedules installment on installment.id = taken.schedule_id
       order by installment.position`,
      [bookingItemId],
    );
  }

  async savePlanDeviation({ id, offByCents }: PaymentPlan): Promise<void> {
    await this.database.query('update payment_plans set off_by_cents = $2 where id = $1', [id, offByCents]);
  }

  async saveInstallments(installments: readonly PaymentSchedule[]): Promise<void> {
    if (installments.length === 0) return;
    const now = this.clock.now();
    const saved = await this.database.prepared(
      'account-installments-save',
      `update payment_schedules installment
       set label = changed.label, due_date = changed.due_date, date_source = changed.date_source,
         amount_cents = changed.amount_cents, paid_cents = changed.paid_cents, status = changed.status,
         waived = changed.waived, notes = changed.notes, waive_reason = changed.waive_reason, version = installment.version + 1, updated_at = $11
       from unnest($1::text[], $2::integer[], $3::text[], $4::date[], $5::bigint[], $6::bigint[], $7::text[],
         $8::boolean[], $9::text[], $10::text[], $12::text[])
         as changed (id, version, label, due_date, amount_cents, paid_cents, status, waived, notes, waive_reason,
           date_source)
       where installment.id = changed.id and installment.version = changed.version returning installment.id`,
      [
        installments.map(({ id }) => id),
        installments.map(({ version }) => version),
        installments.map(({ label }) => label),
        installments.map(({ dueDate }) => dueDate),
        installments.map(({ amountCents }) => amountCents),
        installments.map(({ paidCents }) => paidCents),
        installments.map(({ status }) => status),
        installments.map(({ waived }) => waived),
        installments.map(({ notes }) => notes),
        installments.map(({ waiveReason }) => waiveReason),
        now,
        installments.map(({ dateSource }) => dateSource),
      ],
    );
    raiseVersions(installments, saved.length, now);
  }

  /** Writes only the columns that payments change. */
  async saveInvoiceBalances(invoices: readonly Invoice[]): Promise<void> {
    if (invoices.length === 0) return;
    const now = this.clock.now();
    const saved = await this.database.prepared(
      'account-invoices-save',
      `update invoices invoice
       set paid_cents = changed.paid_cents, status = changed.status, version = invoice.version + 1, updated_at = $5
       from unnest($1::text[], $2::integer[], $3::bigint[], $4::text[]) as changed (id, version, paid_cents, status)
       where invoice.id = changed.id and invoice.version = changed.version returning invoice.id`,
      [
        invoices.map(({ id }) => id),
        invoices.map(({ version }) => version),
        invoices.map(({ paidCents }) => paidCents),
        invoices.map(({ status }) => status),
        now,
      ],
    );
    raiseVersions(invoices, saved.length, now);
  }

  /** Writes only their unapplied amounts, and whether these settle debts automatically. */
  async saveUnapplied(payments: readonly Payment[]): Promise<void> {
    if (payments.length === 0) return;
    const now = this.clock.now();
    const saved = await this.database.prepared(
      'account-payments-save',
      `update payments payment
       set unapplied_cents = changed.unapplied_cents, auto_apply = changed.auto_apply, version = payment.version + 1,
         updated_at = $4
       from unnest($1::text[], $2::integer[], $3::bigint[], $5::boolean[])
         as changed (id, version, unapplied_cents, auto_apply)
       where payment.id = changed.id and payment.version = changed.version returning payment.id`,
      [
        payments.map(({ id }) => id),
        payments.map(({ version }) => version),
        payments.map(({ unappliedCents }) => unappliedCents),
        now,
        payments.map(({ autoApply }) => autoApply),
      ],
    );
    raiseVersions(payments, saved.length, now);
  }

  private async liveAllocations(name: string, condition: string, value: unknown): Promise<PaymentAllocation[]> {
    const found = await this.database.read(PaymentAllocation, {
      name: `allocations-${name}`,
      text: `select ${this.database.columnsOf(PaymentAllocation, 'allocation')} from payment_allocations allocation
        where ${condition} and allocation.reverses_id is null
          and not exists (select from payment_allocations reversal where reversal.reverses_id = allocation.id)
        order by allocation.created_at, allocation.id`,
      values: [value],
    });
    return found.map(({ entity }) => entity);
  }
}

const OF_BOOKING = 'allocation.payment_id in (select id from payments where booking_id = $1)';

/** A row whose version differs from the read one was written without the lock of its booking. */
function raiseVersions(
  rows: readonly { version: number; updatedAt: Date }[],
  savedCount: number,
  updatedAt: Date,
): void {
  if (savedCount !== rows.length) throw new Error('Rows of a booking account were changed without its lock');
  for (const row of rows) Object.assign(row, { version: row.version + 1, updatedAt });
}

function byDay(one: Payment, other: Payment): number {
  if (one.paidOn !== other.paidOn) return one.paidOn < other.paidOn ? -1 : 1;
  return one.id < other.id ? -1 : 1;
}
