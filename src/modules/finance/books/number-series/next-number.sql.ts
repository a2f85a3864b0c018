import type { NumberFrame } from './number-pattern.js';

/** The counter that assigns the next number, and the form of that number. */
export interface NumberSource extends NumberFrame {
  seriesId: string;
  periodKey: string;
  issueDate: string;
}

/**
 * A CTE that assigns the next number of a counter; it returns no row if the series has a document with a later issue date. Use
 * it in the statement that stores the number, so that nothing can fail between the two, the counter is locked briefly, and a
 * rollback leaves no gap.
 */
export const NEXT_NUMBER = `next_number as (
  insert into invoice_number_counters as counter (series_id, period_key, next_number, given, last_issue_date)
  values ($1, $2, 2, 1, $3::date)
  on conflict (series_id, period_key) do update
  set next_number = counter.next_number + 1, given = counter.given + 1, last_issue_date = excluded.last_issue_date
  where counter.last_issue_date is null or counter.last_issue_date <= excluded.last_issue_date
  returning next_number - 1 as sequence,
    $4 || lpad((next_number - 1)::text, greatest($5::int, length((next_number - 1)::text)), '0') || $6 as number
)`;

/** The parameters $1 to $6 of `NEXT_NUMBER`. */
export function nextNumberValues({ seriesId, periodKey, issueDate, before, digits, after }: NumberSource): unknown[] {
  return [seriesId, periodKey, issueDate, before, digits, after];
}
