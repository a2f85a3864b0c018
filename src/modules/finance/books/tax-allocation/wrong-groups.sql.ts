import { BILLED, type RateExcess } from './billed-taxes.service.js';
import { waivedTax } from './waived-tax.sql.js';

/**
 * Selects the amounts of each tax group that documents bill beyond the amount owed, as `creditDueByGroup` does for one booking:
 * a waived amount is split among the groups by largest remainder, the later group first among equals. The common table
 * expression `wrong` has a row for each such group of the bookings with a `document` that meets the condition, and for each rate
 * of `excesses`, the placeholder of a parameter made by `asParameter`.
 */
export function wrongGroups(condition: string, excesses: string): string {
  return `
  document_group as (
    select document.booking_id, coalesce(line.tax_code_id, 'given') as key, min(line.tax_code) as code,
      sum(case document.type when 'invoice' then line.total_cents else -line.total_cents end) as gross,
      sum(case document.type when 'invoice' then line.tax_cents else -line.tax_cents end) as tax
    from invoices document join invoice_lines line on line.invoice_id = document.id
    where ${BILLED} and document.purpose is null and (${condition})
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
  waived as (
    select shared.*, ${waivedTax({ bookingId: 'shared.booking_id', key: 'shared.key', cents: 'shared.waived' })} as waived_tax
    from (select *, share + case when place <= missing then 1 else 0 end as waived from ranked) shared
  ),
  rest as (
    select booking_id, key, coalesce(waived.code, document_group.code) as code,
      coalesce(waived.gross - waived.waived, 0) - coalesce(document_group.gross, 0) as gross,
      coalesce(waived.tax - waived.waived_tax, 0) - coalesce(document_group.tax, 0) as tax
    from waived full join document_group using (booking_id, key)
  ),
  wrong as (
    select booking_id, key, code, null::integer as rate, gross, tax from rest where gross < 0 or tax < 0 or tax > gross
    union all
    select booking_id, key, code, rate, -gross, -tax from json_to_recordset(${excesses}::json)
      as excess (booking_id text, key text, code text, rate integer, gross bigint, tax bigint)
  ),
  grouped as (
    select booking_id, json_agg(json_build_object(
        'taxCodeId', nullif(key, 'given'), 'taxCode', code, 'taxRateBasisPoints', rate, 'grossCents', greatest(0, -gross),
        'taxCents', greatest(0, -tax), 'wrongTax', gross >= 0 or greatest(0, -tax) > -gross
      ) order by code collate "C" nulls last, key collate "C", rate) as groups
    from wrong group by 1
  )`;
}

/** Makes the parameter of `wrongGroups`. */
export function asParameter(excesses: readonly RateExcess[]): string {
  return JSON.stringify(
    excesses.map(({ bookingId, excess: { key, taxCode, rateBasisPoints, grossCents, taxCents } }) => {
      return { booking_id: bookingId, key, code: taxCode, rate: rateBasisPoints, gross: grossCents, tax: taxCents };
    }),
  );
}
