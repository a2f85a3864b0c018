import { waivedTax } from '../books/index.js';
import type { IntegrityCheck } from './integrity-checks.js';

const BILLED = `document.number is not null and document.status <> 'void' and document.type in ('invoice', 'credit_note')
  and document.purpose is null`;

const GIVEN = 'given';

const SIGNED = (column: string) => `case document.type when 'invoice' then ${column} else -${column} end`;

/**
 * Selects gross and tax of the active items of each booking and tax group, less its part of the waived amount. Shares are in
 * proportion to the gross; the missing units go to the largest remainders, and among equals to the later group. The tax of a
 * share is that of the rates of the items.
 */
const OWED = `
  select shared.booking_id, shared.tax_group, shared.gross - shared.share as gross,
    shared.tax - ${waivedTax({ bookingId: 'shared.booking_id', key: 'shared.tax_group', cents: 'shared.share' })} as tax
  from (
    select ranked.*, case when waived = 0 then 0 else div(base * waived, nullif(whole, 0))
      + case when place <= waived - sum(div(base * waived, nullif(whole, 0))) over (partition by booking_id) then 1 else 0 end
      end as share
    from (
      select parts.*, row_number() over (
        partition by booking_id order by mod(base * waived, nullif(whole, 0)) desc nulls last,
          tax_group = '${GIVEN}' desc, tax_code collate "C" desc, tax_group collate "C" desc) as place
      from (
        select grouped.*, sum(base) over (partition by booking_id) as whole,
          least(coalesce(cents, 0), sum(base) over (partition by booking_id)) as waived
        from (
          select booking_id, coalesce(tax_code_id, '${GIVEN}') as tax_group, max(tax_code) as tax_code,
            sum(total_sell_cents) as gross, sum(tax_included_cents) as tax,
            greatest(sum(total_sell_cents), 0) as base
          from booking_items where status <> 'cancelled' group by 1, 2
        ) grouped
        left join (
          select booking_id, sum(amount_cents) as cents from payment_schedules where waived group by 1
        ) waivers using (booking_id)
      ) parts
    ) ranked
  ) shared`;

/** Selects the billed amounts of each booking and tax group. */
const ON_DOCUMENTS = `
  select document.booking_id, coalesce(line.tax_code_id, '${GIVEN}') as tax_group,
    sum(${SIGNED('line.total_cents')}) as gross, sum(${SIGNED('line.tax_cents')}) as tax,
    count(*) filter (where document.type = 'credit_note') as credited_lines,
    max(max(document.issued_at) filter (where document.type = 'invoice')) over (partition by document.booking_id)
      as last_issued_at,
    bool_or(bool_or(document.lines_source = 'manual' and document.type = 'invoice'))
      over (partition by document.booking_id) as has_manual_lines
  from invoices document join invoice_lines line on line.invoice_id = document.id
  where ${BILLED} group by document.booking_id, coalesce(line.tax_code_id, '${GIVEN}')`;

/**
 * Selects the parts of active items at earlier rates, and the amounts that documents bill at different rates. A discount that never
 * had another rate has no part. Omits tax codes whose items have several rates, and bookings with lines that staff entered.
 */
const EARLIER_PARTS = `
  with billed as materialized (
    select document.booking_id, line.tax_code_id, line.tax_rate_basis_points as rate,
      sum(${SIGNED('line.total_cents')}) as gross, sum(${SIGNED('line.tax_cents')}) as tax
    from invoices document join invoice_lines line on line.invoice_id = document.id
    where ${BILLED} and line.tax_code_id is not null group by 1, 2, 3
  )
  select owed.booking_id, owed.gross, owed.items, owed.earlier, owed.earlier_tax, coalesce(sum(elsewhere.gross), 0) as elsewhere,
    coalesce(sum(elsewhere.tax), 0) as elsewhere_tax
  from (
    select booking_id, tax_code_id, min(tax_rate_basis_points) as rate, count(*) as items,
      sum(case when total_sell_cents < 0 and earlier_rate_cents = 0 then 0 else total_sell_cents end) as gross,
      sum(case when abs(total_sell_cents) < abs(earlier_rate_cents) then total_sell_cents else earlier_rate_cents end) as earlier,
      sum(case when abs(total_sell_cents) < abs(earlier_rate_cents) then tax_included_cents else earlier_rate_tax_cents end)
        as earlier_tax
    from booking_items where tax_code_id is not null and status <> 'cancelled' and tax_kind <> 'margin_scheme'
    group by 1, 2
    having min(tax_rate_basis_points) = max(tax_rate_basis_points) and not bool_or(tax_rate_changed)
  ) owed
  left join billed elsewhere on elsewhere.booking_id = owed.booking_id and elsewhere.tax_code_id = owed.tax_code_id
    and elsewhere.rate is distinct from owed.rate
  where not exists (
    select from invoices document
    where document.booking_id = owed.booking_id and document.lines_source = 'manual' and document.type = 'invoice' and ${BILLED})
  group by owed.booking_id, owed.tax_code_id, owed.gross, owed.items, owed.earlier, owed.earlier_tax`;

/** Returns the text of a pattern before or after its sequence. Tokens in the prefix are literal. */
const FILLED = (part: string) => `replace(replace(replace(replace(${part}, '{YYYY}', to_char(issue_date, 'YYYY')),
  '{YY}', to_char(issue_date, 'YY')), '{MM}', to_char(issue_date, 'MM')), '{prefix}', prefix)`;

const DAY = (expression: string) => `to_char(${expression}, 'YYYYMMDD')::integer`;

/** Sums net, tax and gross of document parts, for comparison with the document. */
const DIFFERENCE = (pairs: readonly (readonly [expected: string, actual: string])[]) => `
  cross join lateral (
    select expected, actual from (values ${pairs.map((pair) => `(${pair.join(', ')})`).join(', ')}) pairs (expected, actual)
    where expected <> actual limit 1
  ) difference`;

/** Rules about documents: their parts, taxes, credited amounts and numbers. */
export const DOCUMENT_CHECKS: readonly IntegrityCheck[] = [
  {
    name: 'document_sums',
    rule: 'Lines, head and, once issued, tax summary of a document have the same net, tax and gross amount in each currency',
    broken: `
      select document.type, document.id, difference.expected, difference.actual
      from invoices document
      left join (
        select invoice_id, sum(net_cents) as net, sum(tax_cents) as tax, sum(total_cents) as gross
        from invoice_lines group by 1
      ) lines on lines.invoice_id = document.id
      left join (
        select invoice_id, sum(net_cents) as net, sum(tax_cents) as tax, sum(gross_cents) as gross,
          sum(base_net_cents) as base_net, sum(base_gross_cents) as base_gross
        from invoice_tax_lines group by 1
      ) summary on summary.invoice_id = document.id and document.number is not null
      ${DIFFERENCE([
        ['coalesce(lines.gross, 0)', 'document.total_cents'],
        ['coalesce(lines.tax, 0)', 'document.tax_cents'],
        ['coalesce(lines.net, 0)', 'document.subtotal_cents'],
        ['case when number is null then total_cents else coalesce(summary.gross, 0) end', 'total_cents'],
        ['case when number is null then tax_cents else coalesce(summary.tax, 0) end', 'tax_cents'],
        ['case when number is null then subtotal_cents else coalesce(summary.net, 0) end', 'subtotal_cents'],
        ['coalesce(summary.base_gross, 0)', 'coalesce(base_total_cents, 0)'],
        ['coalesce(summary.base_net, 0)', 'coalesce(base_subtotal_cents, 0)'],
      ])}
      union all
      select 'supplier_invoice', bill.id, difference.expected, difference.actual
      from supplier_invoices bill
      join (
        select invoice_id, sum(quantity::numeric * unit_amount_cents) as net, sum(tax_amount_cents) as tax,
          sum(total_amount_cents) as gross
        from supplier_invoice_lines group by 1
      ) lines on lines.invoice_id = bill.id
      ${DIFFERENCE([
        ['lines.gross', 'bill.total_cents'],
        ['lines.tax', 'bill.tax_cents'],
        ['lines.net', 'bill.subtotal_cents'],
      ])}`,
  },
  {
    name: 'billed_within_claim',
    rule: 'The issued documents of a confirmed booking do not exceed its price, unless the price fell in the last 30 days',
    broken: `
      select 'booking' as type, booking.id, claim.cents as expected, billed.cents as actual
      from bookings booking
      join (
        select booking_id, sum(${SIGNED('total_cents')}) as cents from invoices document where ${BILLED} group by 1
      ) billed on billed.booking_id = booking.id
      cross join lateral (
        select coalesce(booking.total_cents, 0) - coalesce(sum(amount_cents), 0) as cents from payment_schedules
        where booking_id = booking.id and waived
      ) claim
      where booking.status in ('confirmed', 'in_progress', 'completed') and billed.cents > claim.cents
        and not exists (
          select from booking_items item join booking_item_history history on history.item_id = item.id
          where item.booking_id = booking.id and history.effective_on > app_today() - 30)
        and not exists (
          select from payment_schedules schedule join payment_schedule_history history on history.schedule_id = schedule.id
          where schedule.booking_id = booking.id and history.waived and history.effective_on > app_today() - 30)`,
  },
  {
    name: 'tax_on_documents',
    rule: 'No tax group bills more than its items, unless they changed since, nor a different tax once everything is billed',
    // Each credited line may be off by one unit. Lines that staff entered may be in any tax group. An item that changes
    // while an invoice is issued waits for it, so that its version may be recorded under a slightly earlier time.
    broken: `
      with on_documents as (${ON_DOCUMENTS}), owed as (${OWED}),
      rests as (
        select billed.booking_id, billed.tax as billed_tax, credited_lines, last_issued_at,
          coalesce(owed.gross, 0) - billed.gross as gross,
          coalesce(owed.tax, 0) as owed_tax
        from on_documents billed join bookings booking on booking.id = billed.booking_id
        left join owed using (booking_id, tax_group)
        where booking.status <> 'cancelled' and not has_manual_lines
      )
      select 'booking' as type, booking_id as id, owed_tax as expected, billed_tax as actual
      from rests
      where (
          gross < 0 or billed_tax > owed_tax + credited_lines
          or gross = 0 and abs(owed_tax - billed_tax) > credited_lines
        )
        and not exists (
          select from booking_items item join booking_item_history history on history.item_id = item.id
          where item.booking_id = rests.booking_id and history.recorded_at > last_issued_at - interval '1 minute')
        and not exists (
          select from payment_schedules schedule join payment_schedule_history history on history.schedule_id = schedule.id
          where schedule.booking_id = rests.booking_id and history.waived
            and history.recorded_at > last_issued_at - interval '1 minute')`,
  },
  {
    name: 'tax_of_items',
    rule: 'An item with a tax code has its tax at its rate, which is that of its service day or its creation, or is flagged; its part at earlier rates equals the amounts that documents bill at these rates',
    // Amounts that were billed before the rate changed keep their tax. A fee has the rate of its item.
    broken: `
      select 'booking_item' as type, item.id, taxed.cents as expected, item.tax_included_cents as actual
      from booking_items item
      cross join lateral (
        select coalesce(item.service_date, (
          select min(history.effective_on) from booking_item_history history where history.item_id = item.id
        )) as day
      ) supply
      left join lateral (
        select rate.kind, rate.rate_basis_points as points from tax_code_rates rate
        where rate.tax_code_id = item.tax_code_id and rate.rate_basis_points = item.tax_rate_basis_points
          and supply.day between rate.valid_from and coalesce(rate.valid_to, 'infinity')
      ) rate on true
      cross join lateral (
        select case
          when item.tax_kind = 'margin_scheme' then 0
          when abs(total_sell_cents) < abs(earlier_rate_cents) then
            round(earlier_rate_tax_cents::numeric * total_sell_cents / earlier_rate_cents)
          else earlier_rate_tax_cents + sign(total_sell_cents - earlier_rate_cents) * div(
            2 * abs(total_sell_cents - earlier_rate_cents)::numeric * tax_rate_basis_points + 10000 + tax_rate_basis_points,
            2 * (10000 + tax_rate_basis_points)) end as cents
      ) taxed
      where item.tax_code_id is not null and item.status <> 'cancelled' and (
        item.tax_included_cents <> taxed.cents
        or not item.tax_rate_changed and item.fee_of_item_id is null and rate.kind is distinct from item.tax_kind)
      union all
      select 'booking', booking_id, least(gross, greatest(elsewhere, 0)), earlier
      from (${EARLIER_PARTS}) parts
      where earlier <> 0 and (earlier <> least(gross, greatest(elsewhere, 0))
        or gross >= elsewhere and abs(earlier_tax - elsewhere_tax) > items)`,
  },
  {
    name: 'credit_bounds',
    rule: 'Issued credits are within the lines and the total of their invoice, which is issued and of the same booking; in full they also have its amounts in the base currency',
    broken: `
      select 'invoice' as type, invoice.id, coalesce(notes.cents, 0) as expected, invoice.credited_cents as actual
      from invoices invoice
      left join (
        select original_invoice_id, sum(total_cents) as cents from invoices
        where original_invoice_id is not null and number is not null group by 1
      ) notes on notes.original_invoice_id = invoice.id
      where invoice.type = 'invoice' and (
        invoice.credited_cents <> coalesce(notes.cents, 0)
        or invoice.paid_cents + invoice.credited_cents > invoice.total_cents)
      union all
      select 'credit_note', note.id, original.total_cents, note.total_cents
      from invoices note join invoices original on original.id = note.original_invoice_id
      where note.number is not null and (
        original.type <> 'invoice' or original.number is null or original.status = 'void'
        or (original.booking_id, original.currency) <> (note.booking_id, note.currency))
      union all
      select 'invoice', credited.invoice_id, coalesce(line.total_cents, 0), credited.total
      from (
        select note.original_invoice_id as invoice_id, line.original_position as position,
          sum(line.total_cents) as total, sum(line.tax_cents) as tax
        from invoices note join invoice_lines line on line.invoice_id = note.id
        where note.original_invoice_id is not null and note.number is not null group by 1, 2
      ) credited
      left join invoice_lines line on line.invoice_id = credited.invoice_id and line.position = credited.position
      where line.invoice_id is null
        or credited.total not between least(line.total_cents, 0) and greatest(line.total_cents, 0)
        or credited.tax not between least(line.tax_cents, 0) and greatest(line.tax_cents, 0)
      union all
      select 'invoice', invoice.id, invoice.base_total_cents, sum(coalesce(note.base_total_cents, 0))
      from invoices invoice join invoices note on note.original_invoice_id = invoice.id and note.number is not null
      where invoice.exchange_rate is not null and invoice.credited_cents = invoice.total_cents
      group by invoice.id
      having sum(coalesce(note.base_total_cents, 0)) <> invoice.base_total_cents
        or sum(coalesce(note.base_tax_cents, 0)) <> invoice.base_tax_cents`,
  },
  {
    name: 'numbers_gapless',
    rule: 'Each number of a counter up to the next one is on one document or in a recorded gap',
    broken: `
      select 'invoice_number_series' as type, series_id as id, before + 1 as expected, sequence as actual
      from (
        select series_id, sequence, coalesce(max(last_sequence) over (
          partition by series_id, period_key order by sequence, last_sequence
          rows between unbounded preceding and 1 preceding), 0) as before
        from (
          select series_id, period_key, sequence, sequence as last_sequence from invoices where number is not null
          union all
          select series_id, period_key, from_sequence, to_sequence from number_gaps
          union all
          select series_id, period_key, next_number, next_number from invoice_number_counters
        ) used
      ) steps where sequence <> before + 1
      union all
      select 'invoice_number_series', series_id, 0, count(*) from invoices document
      where number is not null and not exists (
        select from invoice_number_counters counter
        where counter.series_id = document.series_id and counter.period_key = document.period_key)
      group by series_id, period_key`,
  },
  {
    name: 'numbers_in_order',
    rule: 'Dates of documents do not fall in the order of their numbers, except released ones; counters know the last date',
    broken: `
      with dated as (
        select document.id, document.type, document.series_id, document.period_key, issue_date, max(issue_date) over (
          partition by document.series_id, document.period_key order by sequence
          rows between unbounded preceding and 1 preceding) as latest
        from invoices document
        where number is not null and not exists (
          select from document_date_releases release where release.invoice_id = document.id)
      )
      select type, id, ${DAY('latest')} as expected, ${DAY('issue_date')} as actual from dated where issue_date < latest
      union all
      select 'invoice_number_series', series_id, coalesce(${DAY('last.day')}, 0), coalesce(${DAY('last_issue_date')}, 0)
      from invoice_number_counters counter
      left join (select series_id, period_key, max(issue_date) as day from dated group by 1, 2) last
        using (series_id, period_key)
      where counter.last_issue_date is distinct from last.day`,
  },
  {
    name: 'numbers_of_pattern',
    rule: 'The number of a document is the pattern of its series with its sequence, in the period of its issue date',
    broken: `
      with series as materialized (
        select id, prefix, reset_period, substring(pattern from '^(.*)[{]SEQ(?::[0-9]+)?[}]') as before,
          substring(pattern from '[{]SEQ(?::[0-9]+)?[}](.*)$') as after,
          coalesce(substring(pattern from '[{]SEQ:([0-9]+)[}]')::integer, 1) as digits
        from invoice_number_series
      )
      select type, id, made as expected, number as actual
      from (
        select document.type, document.id, document.number, period_key,
          case reset_period when 'never' then 'all' when 'yearly' then to_char(issue_date, 'YYYY')
            else to_char(issue_date, 'YYYY-MM') end as period,
          ${FILLED('before')} || lpad(sequence::text, greatest(length(sequence::text), digits), '0')
            || ${FILLED('after')} as made
        from invoices document join series on series.id = document.series_id
        where document.number is not null
      ) numbered where number <> made or period_key <> period`,
  },
];
