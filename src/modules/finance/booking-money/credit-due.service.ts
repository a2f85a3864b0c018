import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import { pageBounds } from '../../../platform/http/dto.js';
import { BILLED } from '../tax-allocation/billed-taxes.service.js';
import type { CreditDue, ListCreditDue } from './credit-due.dto.js';

/**
 * What tax groups have on documents beyond what is owed, as `creditDueByGroup` computes it for one booking: what is waived is
 * split over the groups by largest remainder, the later group first among equals.
 */
const WRONG_GROUPS = `
  document_group as (
    select document.booking_id, coalesce(line.tax_code_id, 'given') as key, min(line.tax_code) as code,
      sum(case document.type when 'invoice' then line.total_cents else -line.total_cents end) as gross,
      sum(case document.type when 'invoice' then line.tax_cents else -line.tax_cents end) as tax
    from invoices document join invoice_lines line on line.invoice_id = document.id
    where ${BILLED} and document.purpose is null and ($1::text is null or document.booking_id = $1)
    group by 1, 2
  ),
  billed_booking as (select distinct booking_id from document_group),
  waiver as (
    select plan.booking_id, sum(installment.amount_cents) as cents
    from payment_schedules installment join payment_plans plan on plan.id = installment.plan_id and plan.is_current
    join billed_booking on billed_booking.booking_id = plan.booking_id where installment.waived group by 1
  ),
  item_group as (
    select item.booking_id, coalesce(item.tax_code_id, 'given') as key, min(item.tax_code) as code,
      sum(item.total_sell_cents) as gross, sum(item.tax_included_cents) as tax
    from booking_items item join billed_booking using (booking_id) where item.status <> 'cancelled' group by 1, 2
  ),
  part as (
    select item_group.*, greatest(0, gross) as part, sum(greatest(0, gross)) over (partition by booking_id) as whole,
      coalesce(waiver.cents, 0) as waiver
    from item_group left join waiver using (booking_id)
  ),
  share as (
    select *, coalesce(div(least(waiver, whole) * part, nullif(whole, 0)), 0) as share,
      coalesce(mod(least(waiver, whole) * part, nullif(whole, 0)), 0) as remainder
    from part
  ),
  ranked as (
    select *, least(waiver, whole) - sum(share) over (partition by booking_id) as missing,
      row_number() over (
        partition by booking_id order by remainder desc, code is null desc, code collate "C" desc, key collate "C" desc
      ) as place
    from share
  ),
  waived as (select *, share + case when place <= missing then 1 else 0 end as waived from ranked),
  rest as (
    select booking_id, key, coalesce(waived.code, document_group.code) as code,
      coalesce(waived.gross - waived.waived, 0) - coalesce(document_group.gross, 0) as gross,
      coalesce(waived.tax - round(coalesce(waived.tax * waived.waived / nullif(waived.gross, 0), 0)), 0)
        - coalesce(document_group.tax, 0) as tax
    from waived full join document_group using (booking_id, key)
  ),
  wrong as (select * from rest where gross < 0 or tax < 0 or tax > gross),
  grouped as (
    select booking_id, json_agg(json_build_object(
        'taxCodeId', nullif(key, 'given'), 'taxCode', code, 'grossCents', greatest(0, -gross),
        'taxCents', greatest(0, -tax), 'wrongTax', gross >= 0 or greatest(0, -tax) > -gross
      ) order by code collate "C" nulls last, key collate "C") as groups
    from wrong group by 1
  )`;

const CREDIT_DUE = `
  with ${WRONG_GROUPS},
  due as (
    select booking.id, booking.number, booking.status, booking.customer_name, booking.currency, grouped.groups
    from grouped join bookings booking on booking.id = grouped.booking_id
    where ($2::text is null or booking.status = $2) and ($3::text is null or booking.currency = $3)
  ),
  page as (select * from due order by number, id limit $4 offset $5)
  select (select count(*) from due)::integer as total, page.id as "bookingId", page.number as "bookingNumber",
    page.status as "bookingStatus", page.customer_name as "customerName", page.currency,
    (select sum((entry ->> 'grossCents')::bigint) from json_array_elements(page.groups) entry)::float8 as "creditDueCents",
    page.groups, array(
      select document.id from invoices document
      where document.booking_id = page.id and document.type = 'invoice' and document.purpose is null and ${BILLED}
        and document.credited_cents < document.total_cents and exists (
          select from invoice_lines line join wrong on wrong.key = coalesce(line.tax_code_id, 'given')
          where line.invoice_id = document.id and wrong.booking_id = page.id)
      order by document.issue_date desc, document.sequence desc, document.id
    ) as "invoiceIds"
  from (select) as always left join page on true order by page.number, page.id`;

/** The bookings whose documents exceed what is owed, so that credit notes are to be issued. */
@Injectable()
export class CreditDueService {
  constructor(private readonly database: Database) {}

  /** By booking number. */
  async list(query: ListCreditDue): Promise<{ rows: CreditDue[]; total: number }> {
    const { bookingId = null, bookingStatus = null, currency = null } = query;
    const { limit, offset } = pageBounds(query);
    const found = await this.database.prepared<CreditDue & { total: number }>('credit-due', CREDIT_DUE, [
      bookingId,
      bookingStatus,
      currency,
      limit,
      offset,
    ]);
    const rows = found.filter(({ groups }) => groups !== null).map(({ total: _total, ...due }) => due);
    return { rows, total: found[0]?.total ?? 0 };
  }
}
