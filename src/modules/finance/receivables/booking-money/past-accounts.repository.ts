import { Injectable } from '@nestjs/common';
import { Database } from '../../../../platform/database/database.js';
import type { BookingStatus } from '../../../bookings/index.js';
import { CreditNote } from '../account/credit-note.entity.js';
import { Invoice } from '../account/invoice.entity.js';
import { Payment, type TaxedItem } from '../../books/index.js';
import { PaymentSchedule, type ScheduleType } from '../account/payment-schedule.entity.js';
import { allocatedTo, type AsOf, versionOf } from '../account/as-of.sql.js';

/** Reads the rows of one booking as of the end of a day. Each read is one statement; $1 is the booking, $2 the day. */
@Injectable()
export class PastAccountsRepository {
  constructor(private readonly database: Database) {}

  /** Selects a draft if the booking did not exist yet. */
  async statusOf(bookingId: string, day: string): Promise<BookingStatus> {
    const [found] = await this.database.prepared<{ status: BookingStatus }>(
      'past-booking-status',
      `select version.status from (select $1::text as id) booking
       cross join lateral ${versionOf(AS_OF, 'status', 'booking.id')} version`,
      [bookingId, day],
    );
    return found?.status ?? 'draft';
  }

  /**
   * Selects the items that were not cancelled. Their histories have no rate: an item counts at its present rate, and has a part at
   * earlier rates if it has not changed since.
   */
  async itemsOf(bookingId: string, day: string): Promise<TaxedItem[]> {
    const found = await this.database.prepared<Omit<TaxedItem, 'taxKind'>>(
      'past-booking-items',
      `select version.tax_code_id as "taxCodeId", code.code as "taxCode",
         version.total_sell_cents::float8 as "totalSellCents", version.tax_included_cents::float8 as "taxIncludedCents",
         case when version.tax_code_id = item.tax_code_id then item.tax_rate_basis_points end as "taxRateBasisPoints",
         case when same.item then item.earlier_rate_cents else 0 end::float8 as "earlierRateCents",
         case when same.item then item.earlier_rate_tax_cents else 0 end::float8 as "earlierRateTaxCents"
       from booking_items item cross join lateral ${versionOf(AS_OF, 'item', 'item.id')} version
       cross join lateral (
         select (version.tax_code_id, version.total_sell_cents, version.tax_included_cents)
           = (item.tax_code_id, item.total_sell_cents, item.tax_included_cents) as item
       ) same
       left join tax_codes code on code.id = version.tax_code_id
       where item.booking_id = $1 and not version.cancelled`,
      [bookingId, day],
    );
    return found.map((item) => ({ ...item, taxKind: null }));
  }

  /** Selects the installments of the current plan in order. */
  async installmentsOf(bookingId: string, day: string): Promise<PaymentSchedule[]> {
    const found = await this.database.read<PaymentSchedule, PastInstallment>(PaymentSchedule, {
      name: 'past-installments',
      text: `select ${this.database.columnsOf(PaymentSchedule, 'installment')}, version.due_date::text as then_due,
          version.amount_cents::float8 as then_cents, version.type as then_type, version.cancelled as then_cancelled,
          version.waived as then_waived, paid.cents::float8 as then_paid
        from payment_schedules installment
        join payment_plans plan on plan.id = installment.plan_id and plan.is_current
        cross join lateral ${versionOf(AS_OF, 'installment', 'installment.id')} version
        cross join lateral ${allocatedTo(AS_OF, 'schedule_id', 'installment.id')} paid
        where installment.booking_id = $1 order by installment.position`,
      values: [bookingId, day],
    });
    return found.map(({ entity, raw }) => {
      const status = raw.then_cancelled ? 'cancelled' : raw.then_paid === raw.then_cents ? 'paid' : 'pending';
      return Object.assign(entity, {
        dueDate: raw.then_due,
        amountCents: raw.then_cents,
        type: raw.then_type,
        waived: raw.then_waived,
        paidCents: raw.then_paid,
        status,
      } satisfies Partial<PaymentSchedule>);
    });
  }

  /** Selects the issued invoices that were not void. */
  async invoicesOf(bookingId: string, day: string): Promise<Invoice[]> {
    const found = await this.database.read<Invoice, { then_credited: number; then_paid: number }>(Invoice, {
      name: 'past-invoices',
      text: `select ${this.database.columnsOf(Invoice, 'invoice')}, credited.cents::float8 as then_credited,
          paid.cents::float8 as then_paid
        from invoices invoice
        cross join lateral (
          select coalesce(sum(note.total_cents), 0) as cents from invoices note
          where note.original_invoice_id = invoice.id and note.number is not null and note.issue_date <= $2::date
        ) credited
        cross join lateral ${allocatedTo(AS_OF, 'invoice_id', 'invoice.id')} paid
        where invoice.booking_id = $1 and invoice.type = 'invoice' and invoice.number is not null
          and invoice.issue_date <= $2::date and (invoice.voided_on is null or invoice.voided_on > $2::date)
        order by invoice.id`,
      values: [bookingId, day],
    });
    return found.map(({ entity, raw }) => {
      const balances = { creditedCents: raw.then_credited, paidCents: raw.then_paid, voidedAt: null, voidReason: null };
      const invoice = Object.assign(entity, balances);
      invoice.status = invoice.statusFor(invoice.paidCents);
      return invoice;
    });
  }

  /** Selects the issued credit notes of the booking; without a day all of them. */
  async creditNotesOf(bookingId: string, day: string | null): Promise<CreditNote[]> {
    const found = await this.database.read(CreditNote, {
      name: 'past-credit-notes',
      text: `select ${this.database.columnsOf(CreditNote, 'note')} from invoices note
        where note.booking_id = $1 and note.type = 'credit_note' and note.number is not null
          and ($2::date is null or note.issue_date <= $2::date) order by note.issue_date, note.id`,
      values: [bookingId, day],
    });
    return found.map(({ entity }) => entity);
  }

  /** Selects the posted payments and the requested refunds, the oldest first. */
  async paymentsOf(bookingId: string, day: string): Promise<Payment[]> {
    const found = await this.database.read<Payment, PastPayment>(Payment, {
      name: 'past-payments',
      text: `select ${this.database.columnsOf(Payment, 'payment')}, applied.cents::float8 as then_applied,
          covered.cents::float8 as then_covered, payment.posting_date <= $2::date as then_posted,
          coalesce(payment.reversal_posting_date <= $2::date, false) as then_reversed,
          (select min(effective_on)::text from payment_allocations where refund_id = payment.id) as then_requested
        from payments payment
        cross join lateral ${allocatedTo(AS_OF, 'payment_id', 'payment.id')} applied
        cross join lateral ${allocatedTo(AS_OF, 'refund_id', 'payment.id')} covered
        where payment.booking_id = $1 and case when payment.kind = 'refund' then exists (
            select from payment_allocations share
            where share.refund_id = payment.id and share.reverses_id is null and share.effective_on <= $2::date)
          else payment.posting_date <= $2::date end`,
      values: [bookingId, day],
    });
    return found.map(({ entity, raw }) => paymentThen(entity, raw)).sort(byDay);
  }
}

const AS_OF: AsOf = { day: '$2::date', known: null };

interface PastInstallment {
  then_due: string;
  then_cents: number;
  then_type: ScheduleType;
  then_cancelled: boolean;
  then_waived: boolean;
  then_paid: number;
}

interface PastPayment {
  then_applied: number;
  then_covered: number;
  then_posted: boolean;
  then_reversed: boolean;
  /** Selects the period during which money was reserved for a refund. */
  then_requested: string | null;
}

const NOT_REVERSED = {
  reversedAt: null,
  reversalReason: null,
  reversalKind: null,
  reversedOn: null,
  reversalPostingDate: null,
};

function paymentThen(payment: Payment, raw: PastPayment): Payment {
  const isCovered = payment.isCovered();
  const status = statusThen(payment, raw);
  const requestedOn = raw.then_requested ?? payment.paidOn;
  return Object.assign(payment, {
    status,
    unappliedCents: isCovered ? 0 : payment.amountCents - raw.then_applied,
    coveredCents: raw.then_covered,
    ...(status === 'requested' ? { paidOn: requestedOn, postingDate: requestedOn, reference: null } : {}),
    ...(status === 'reversed' ? {} : NOT_REVERSED),
    ...(status === 'failed' ? {} : { failedAt: null, failureReason: null }),
  });
}

/** A refund is posted when it is completed; if it fails, the money that covers it is released. */
function statusThen({ kind, status }: Payment, raw: PastPayment): Payment['status'] {
  if (raw.then_reversed) return 'reversed';
  if (kind !== 'refund') return 'completed';
  if (status === 'failed') return raw.then_covered === 0 ? 'failed' : 'requested';
  return status !== 'requested' && raw.then_posted ? 'completed' : 'requested';
}

function byDay(one: Payment, other: Payment): number {
  if (one.paidOn !== other.paidOn) return one.paidOn < other.paidOn ? -1 : 1;
  return one.id < other.id ? -1 : 1;
}
