import { sequenceEntries } from '../books/index.js';
import { assertOrder, conditions, equals, isOneOf, type Report } from './report.js';
import type { NumberingQuery } from './report-query.dto.js';

/** Lists the numbers of all series with their use, so that an auditor finds each gap and its reason. */
export const NUMBERING: Report<NumberingQuery> = {
  name: 'numbering',
  columns: {
    seriesId: 'text',
    seriesName: 'text',
    documentType: 'text',
    periodKey: 'text',
    sequence: 'count',
    lastSequence: 'count',
    number: 'text',
    documentId: 'text',
    status: 'text',
    issueDate: 'text',
    releasedAt: 'text',
    reason: 'text',
    anomaly: 'text',
  },
  rows: (query, place, today) => {
    assertOrder(query);
    const counters = `
      select counter.series_id, counter.period_key from invoice_number_counters counter
      join invoice_number_series series on series.id = counter.series_id
      ${conditions(
        equals('series.id', query.seriesId, place),
        isOneOf('series.document_type', query.documentType, place),
        equals('counter.period_key', query.periodKey, place),
      )}`;
    // Numbers after the last document were skipped or lost until today.
    const datedOn = `coalesce(entry.dated_on, ${place(today, 'date')})`;
    return `
      select entry.series_id as "seriesId", series.name as "seriesName", series.document_type as "documentType",
        entry.period_key as "periodKey", entry.sequence, entry.last_sequence as "lastSequence", entry.number,
        entry.id as "documentId", entry.status, entry.issue_date as "issueDate", entry.released_at_text as "releasedAt",
        entry.reason, entry.anomaly
      from (${sequenceEntries(counters)}) entry join invoice_number_series series on series.id = entry.series_id
      where ${datedOn} between ${query.from === undefined ? `'-infinity'` : place(query.from, 'date')}
        and ${query.to === undefined ? `'infinity'` : place(query.to, 'date')}
        ${query.anomalous === undefined ? '' : `and (entry.anomaly is not null) = ${query.anomalous}`}`;
  },
  order: '"documentType", "seriesName", "seriesId", "periodKey", sequence',
  sums: [],
  totals: () => `
    select "documentType", count(*)::integer as count, count("documentId")::integer as documents,
      coalesce(sum("lastSequence" - sequence + 1) filter (where anomaly = 'gap'), 0) as "skippedNumbers",
      coalesce(sum("lastSequence" - sequence + 1) filter (where anomaly = 'missing_document'), 0) as "missingNumbers",
      (count(*) filter (where anomaly = 'date_out_of_order'))::integer as "datesOutOfOrder"
    from report group by "documentType"`,
};
