import { PassThrough, type Readable } from 'node:stream';
import { Inject, Injectable, type StreamableFile } from '@nestjs/common';
import type { Logger } from 'pino';
import { Clock } from '../../../platform/clock/clock.js';
import { currentActor } from '../../../platform/context/request-context.js';
import { Database } from '../../../platform/database/database.js';
import { unprocessable } from '../../../platform/errors/app-error.js';
import { csvFile, MAX_CSV_ROWS, taken } from '../../../platform/http/csv-file.js';
import { pageBounds } from '../../../platform/http/dto.js';
import { LOG } from '../../../platform/observability/log.js';
import { RateLimits } from '../../../platform/admission/rate-limits.js';
import { orderOf, type Place, type Report } from './report.js';
import { csvHeader, csvRows, type ReportRow } from './report-csv.js';
import type { ReportQuery } from './report-query.dto.js';

/** Reports with an order of their own have no `sort`. */
type Sortable = ReportQuery & { sort?: string };

const BATCH = 1_000;

/** A page of the rows, and the totals of all rows. */
export interface ReportPage {
  data: ReportRow[];
  totals: ReportRow[];
  /** Set only by reports that convert amounts. */
  baseTotals?: ReportRow[];
  total: number;
  limit: number;
  offset: number;
}

/** Runs reports, as JSON with one statement, or as CSV from one snapshot. */
@Injectable()
export class ReportsService {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly limits: RateLimits,
    @Inject(LOG) private readonly log: Logger,
  ) {}

  /** Returns the report in the requested format. */
  async answer<Query extends Sortable>(report: Report<Query>, query: Query): Promise<ReportPage | StreamableFile> {
    if (query.format !== 'csv') return this.page(report, query);
    this.limits.take('report-export', currentActor().credentialId);
    return csvFile(await this.csv(report, query), report.name);
  }

  private async page<Query extends Sortable>(report: Report<Query>, query: Query): Promise<ReportPage> {
    const { place, values } = placing();
    const { limit, offset } = pageBounds(query);
    const sums = report.sums.map((column) => `sum("${column}") as "${column}"`).join(', ');
    const columns = Object.keys(report.columns).map((column) => `"${column}"`);
    const totals =
      report.totals?.(query, place, this.clock.today()) ??
      `select currency, count(*)::integer as count, ${sums} from report group by currency`;
    const baseTotals = report.baseTotals
      ? `, coalesce((select json_agg(sums order by sums) from (${report.baseTotals}) sums), '[]'::json) as "baseTotals"`
      : '';
    const [answer] = await this.database.query<Pick<ReportPage, 'data' | 'totals' | 'baseTotals' | 'total'>>(
      `with report as (${report.rows(query, place, this.clock.today())})
       select (select count(*) from report)::integer as total,
         coalesce((
           select json_agg(page) from (select ${columns.join(', ')} from report order by ${orderOf(report, query.sort)} limit ${limit} offset ${offset}) page
         ), '[]'::json) as data,
         coalesce((select json_agg(sums order by sums) from (${totals}) sums), '[]'::json) as totals${baseTotals}`,
      values,
    );
    const { data = [], totals: found = [], total = 0 } = answer ?? {};
    return {
      data: data.map(safe),
      totals: found.map(safe),
      ...(answer?.baseTotals ? { baseTotals: answer.baseTotals.map(safe) } : {}),
      ...{ total, limit, offset },
    };
  }

  /**
   * Streams all rows of one snapshot. It reads the first rows before it sends anything, so that an error of the report gets a
   * regular response. It reads the rest as fast as the client takes it; a client that takes too long loses its snapshot. Sent
   * rows cannot be repeated, so the download is cut off if a replica cancels the snapshot later.
   */
  private async csv<Query extends Sortable>(report: Report<Query>, query: Query): Promise<Readable> {
    const stream = new PassThrough();
    let isSent = false;
    return new Promise((resolve, reject) => {
      const read = async () => {
        const rows = await this.open(report, query);
        stream.write(csvHeader(report.columns));
        isSent = true;
        resolve(stream);
        const written = await this.write(report, stream);
        this.log.info({ report: report.name, rows, written, actor: currentActor().principal }, 'report exported');
      };
      const run = this.database.snapshot(read);
      // The stream ends after the connection is free, so that a client can export one report after another.
      run.then(
        () => stream.end(),
        (error: unknown) => {
          const reason = error instanceof Error ? error : new Error('The report failed');
          reject(reason);
          // A stream that is not sent has no listener for its errors.
          stream.destroy(isSent ? reason : undefined);
        },
      );
    });
  }

  /** Opens the cursor and returns the number of its rows. */
  private async open<Query extends Sortable>(report: Report<Query>, query: Query): Promise<number> {
    const { place, values } = placing();
    const text = report.rows(query, place, this.clock.today());
    const [counted] = await this.database.query<{ rows: number }>(
      `select count(*)::integer as rows from (select from (${text}) report limit ${MAX_CSV_ROWS + 1}) counted`,
      values,
    );
    const rows = counted?.rows ?? 0;
    if (rows > MAX_CSV_ROWS) {
      throw unprocessable('report_too_large', `The report has more than ${MAX_CSV_ROWS} rows; filter it further`, {
        field: 'format',
        maxRows: MAX_CSV_ROWS,
      });
    }
    // Amounts are text, because they may exceed 2^53-1.
    const columns = Object.keys(report.columns).map((column) => `report."${column}"::text as "${column}"`);
    await this.database.execute(
      `declare report no scroll cursor for select ${columns.join(', ')} from (${text}) report order by ${orderOf(report, query.sort)}`,
      values,
    );
    return rows;
  }

  private async write<Query>(report: Report<Query>, stream: PassThrough): Promise<number> {
    let written = 0;
    for (;;) {
      const rows = await this.database.query<ReportRow>(`fetch ${BATCH} from report`);
      if (rows.length === 0 || stream.destroyed) return written;
      written += rows.length;
      if (!stream.write(csvRows(report.columns, rows))) await taken(stream);
    }
  }
}

function placing(): { place: Place; values: unknown[] } {
  const values: unknown[] = [];
  return { values, place: (value, type) => `$${values.push(value)}::${type}` };
}

/** An amount beyond 2^53-1 is null instead of a rounded number. */
function safe(row: ReportRow): ReportRow {
  return Object.fromEntries(
    Object.entries(row).map(([name, value]) => [
      name,
      typeof value === 'number' && Math.abs(value) > Number.MAX_SAFE_INTEGER ? null : value,
    ]),
  );
}
