/**
 * Selects the numbers of counters in order: documents by sequence, and between two documents the numbers without one, which are
 * recorded gaps and lost numbers. A counter whose next number is 1000 has 999 numbers. `counters` selects `series_id` and
 * `period_key`. `dated_on` is the issue date of the document or of the next one of its counter.
 */
export function sequenceEntries(counters: string): string {
  const ofCounter = (row: string) =>
    `join counter on counter.series_id = ${row}.series_id and counter.period_key = ${row}.period_key`;
  return `
  with counter as (${counters}), document as (
    select invoice.series_id, invoice.period_key, invoice.sequence, invoice.sequence as last_sequence, invoice.number,
      invoice.id, invoice.type, invoice.status, invoice.issue_date, release.created_at as released_at, release.reason,
      max(invoice.issue_date) filter (where release.invoice_id is null) over (
        partition by invoice.series_id, invoice.period_key
        order by invoice.sequence rows between unbounded preceding and 1 preceding) as latest
    from invoices invoice ${ofCounter('invoice')}
    left join document_date_releases release on release.invoice_id = invoice.id
  ), gap as (
    select gap.series_id, gap.period_key, from_sequence as sequence, to_sequence as last_sequence, reason
    from number_gaps gap ${ofCounter('gap')}
  ), used as (
    select series_id, period_key, sequence, last_sequence from document
    union all select series_id, period_key, sequence, last_sequence from gap
    union all
    select next.series_id, next.period_key, next_number, next_number from invoice_number_counters next ${ofCounter('next')}
  ), missing as (
    select series_id, period_key, before + 1 as sequence, sequence - 1 as last_sequence from (
      select *, max(last_sequence) over (
        partition by series_id, period_key
        order by sequence rows between unbounded preceding and 1 preceding) as last_before
      from used
    ) steps, lateral (select coalesce(last_before, 0) as before) earlier where sequence > before + 1
  ), entry as (
    select series_id, period_key, sequence, last_sequence, number, id, type, status, issue_date, released_at, reason,
      case when released_at is null and issue_date < latest then 'date_out_of_order' end as anomaly
    from document
    union all
    select series_id, period_key, sequence, last_sequence, null, null, null, null, null, null, reason, 'gap' from gap
    union all
    select series_id, period_key, sequence, last_sequence, null, null, null, null, null, null, null, 'missing_document'
    from missing
  )
  select entry.*, coalesce(issue_date, (
      select document.issue_date from invoices document
      where document.series_id = entry.series_id and document.period_key = entry.period_key
        and document.sequence > entry.last_sequence
      order by document.sequence limit 1
    )) as dated_on,
    to_char(released_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as released_at_text
  from entry`;
}
