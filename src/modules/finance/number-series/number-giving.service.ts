import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import { type AppError, conflict, notFound } from '../../../platform/errors/app-error.js';
import { frameOf, type NumberFrame, periodKeyOf, type ResetPeriod } from './number-pattern.js';
import type { DocumentType } from './number-series.entity.js';

/** The counter that an issue takes its number from, and the number's frame. */
export interface NumberSource extends NumberFrame {
  seriesId: string;
  periodKey: string;
  issueDate: string;
}

interface Chosen {
  id: string;
  prefix: string;
  pattern: string;
  documentType: DocumentType;
  resetPeriod: ResetPeriod;
  isDefault: boolean;
  active: boolean;
}

/** In share: issues go on beside each other, and a change of the numbers' shape waits for them, and they for it. */
const CHOICE = `select id, prefix, pattern, document_type as "documentType", reset_period as "resetPeriod",
  is_default as "isDefault", active from invoice_number_series`;

/**
 * Takes the next number of a counter; no row where a later issue date was there before. To stand as the CTE `taken` in
 * the statement that stores the number: between the two nothing can fail, nobody waits longer than he must, and a
 * rollback gives the number back.
 */
export const TAKEN = `taken as (
  insert into invoice_number_counters as counter (series_id, period_key, next_number, given, last_issue_date)
  values ($1, $2, 2, 1, $3::date)
  on conflict (series_id, period_key) do update
  set next_number = counter.next_number + 1, given = counter.given + 1, last_issue_date = excluded.last_issue_date
  where counter.last_issue_date is null or counter.last_issue_date <= excluded.last_issue_date
  returning next_number - 1 as sequence,
    $4 || lpad((next_number - 1)::text, greatest($5::int, length((next_number - 1)::text)), '0') || $6 as number
)`;

/** The parameters $1 to $6 of `TAKEN`. */
export function takenFrom({ seriesId, periodKey, issueDate, before, digits, after }: NumberSource): unknown[] {
  return [seriesId, periodKey, issueDate, before, digits, after];
}

@Injectable()
export class NumberGiving {
  constructor(private readonly database: Database) {}

  /**
   * The named series, or the default of the type, or its only active one. Throws 404 with `field`, 409
   * `series_inactive`, `series_type_mismatch`, `no_active_series`.
   */
  async choose(documentType: DocumentType, seriesId: string | null, issueDate: string): Promise<NumberSource> {
    const chosen = seriesId === null ? await this.usual(documentType) : await this.named(seriesId, documentType);
    return {
      seriesId: chosen.id,
      periodKey: periodKeyOf(chosen.resetPeriod, issueDate),
      issueDate,
      ...frameOf(chosen, issueDate),
    };
  }

  /** Why `TAKEN` gave no row: 409 `issue_date_out_of_sequence`. */
  async outOfSequence({ seriesId, periodKey }: NumberSource): Promise<AppError> {
    const [counter] = await this.database.query<{ lastIssueDate: string }>(
      `select last_issue_date::text as "lastIssueDate" from invoice_number_counters
       where series_id = $1 and period_key = $2`,
      [seriesId, periodKey],
    );
    return conflict('issue_date_out_of_sequence', 'The series has a document with a later issue date', { ...counter });
  }

  private async named(id: string, documentType: DocumentType): Promise<Chosen> {
    const [series] = await this.database.prepared<Chosen>(
      'number-series-named',
      `${CHOICE} where id = $1 for key share`,
      [id],
    );
    if (!series) {
      throw notFound({ field: 'seriesId' });
    } else if (series.documentType !== documentType) {
      throw conflict('series_type_mismatch', `The series is for documents of type ${series.documentType}`, {
        documentType: series.documentType,
      });
    } else if (!series.active) {
      throw conflict('series_inactive', 'The series is not active');
    }
    return series;
  }

  private async usual(documentType: DocumentType): Promise<Chosen> {
    const [first, second] = await this.database.prepared<Chosen>(
      'number-series-usual',
      `${CHOICE} where document_type = $1 and active order by is_default desc, id limit 2 for key share`,
      [documentType],
    );
    if (first && (first.isDefault || !second)) return first;
    throw conflict('no_active_series', 'No default series; send seriesId or set a default', { documentType });
  }
}
