import { Injectable } from '@nestjs/common';
import { Env } from '../../../platform/config/env.js';
import { Database } from '../../../platform/database/database.js';
import { Listens } from '../../../platform/discovery/listeners.js';
import {
  bookingIdsOf,
  type ErasureBlocker,
  type HeldData,
  latestOf,
  type Person,
  PersonalDataHolder,
} from '../../customers/index.js';
import { IS_RECEIVABLE } from '../receivables/index.js';

interface DocumentRow {
  /** Last day of the retention period. */
  keptUntil: string;
}

/** Days of accounting records are kept until the end of their year and then some years. */
const keptUntil = (day: string, years: string): string =>
  `(make_date(extract(year from ${day})::int, 12, 31) + make_interval(years => ${years}))::date::text`;

/** Invoices and payments of a person, which the law requires to keep. */
@Injectable()
@Listens(PersonalDataHolder, 30)
export class FinanceData implements PersonalDataHolder {
  readonly module = 'finance';

  constructor(
    private readonly database: Database,
    private readonly env: Env,
  ) {}

  async blockersOf(person: Person): Promise<ErasureBlocker[]> {
    const [open] = await this.database.query<{ isOwed: boolean; hasCredit: boolean }>(
      `select
         exists (
           select from invoices where booking_id = any($1) and type = 'invoice' and status in ('issued', 'partially_paid'))
         or exists (
           select from payment_schedules installment join bookings booking on booking.id = installment.booking_id
           where installment.booking_id = any($1) and installment.status = 'pending'
             and installment.amount_cents > installment.paid_cents and ${IS_RECEIVABLE}) as "isOwed",
         exists (
           select from payments where booking_id = any($1)
             and (status = 'requested' or status = 'completed' and unapplied_cents > 0))
         or exists (
           select from cancellation_settlements settlement where booking_id = any($1) and status = 'open' and exists (
             select from payments payment where payment.booking_id = settlement.booking_id and payment.status = 'completed')
         ) as "hasCredit"`,
      [bookingIdsOf(person)],
    );
    return [
      ...(open?.isOwed ? (['balance_open'] as const) : []),
      ...(open?.hasCredit ? (['credit_open'] as const) : []),
    ];
  }

  async collect(person: Person): Promise<HeldData[]> {
    const values = [bookingIdsOf(person), this.env.accountingRetentionYears];
    const invoices = await this.database.query<DocumentRow>(
      `select number, type, status, issue_date as "issueDate", payer_name as "payerName", payer_address as "payerAddress",
         payer_tax_id as "payerTaxId", currency, total_cents::float8 as "totalCents",
         ${keptUntil('coalesce(issue_date, created_at::date)', '$2')} as "keptUntil"
       from invoices where booking_id = any($1) order by id`,
      values,
    );
    const payments = await this.database.query<DocumentRow>(
      `select direction, kind, method, reference, status, paid_on as "paidOn", currency, amount_cents::float8 as "amountCents",
         ${keptUntil('posting_date', '$2')} as "keptUntil"
       from payments where booking_id = any($1) order by id`,
      values,
    );
    return [held('invoices', invoices), held('payments', payments)];
  }

  /** Nothing: the job of the ledger and the periods of the law end them. */
  async erase(): Promise<number> {
    return 0;
  }
}

function held(kind: string, records: readonly DocumentRow[]): HeldData {
  return { dataClass: 'accounting', kind, keptUntil: latestOf(records.map((row) => row.keptUntil)), records };
}
