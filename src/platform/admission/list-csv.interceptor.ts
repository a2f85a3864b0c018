import { PassThrough, type Readable } from 'node:stream';
import { type CallHandler, type ExecutionContext, Inject, Injectable, type NestInterceptor } from '@nestjs/common';
import type { Request } from 'express';
import type { Logger } from 'pino';
import { firstValueFrom, type Observable, of } from 'rxjs';
import { currentActor, currentContext } from '../context/request-context.js';
import { Database } from '../database/database.js';
import { invalidField, unprocessable } from '../errors/app-error.js';
import { csvLines } from '../http/csv.js';
import { csvFile, MAX_CSV_ROWS, taken } from '../http/csv-file.js';
import { type ListColumn, listColumnsOf, type ListRow } from '../http/list-columns.js';
import { LOG } from '../observability/log.js';
import { RateLimits } from './rate-limits.js';

const BATCH = 1_000;

/** A page of a list, as its handler returns it. */
interface ListPage {
  data: ListRow[];
  /** Absent if the response states it in its headers. */
  total?: number;
}

/**
 * Answers `format=csv` of each list: it calls the handler of the list page by page in one snapshot, so that the file has the rows
 * and the order of the JSON pages under the same filters and scopes, and sends the rows as fast as the client takes them.
 */
@Injectable()
export class ListCsvInterceptor implements NestInterceptor {
  constructor(
    private readonly database: Database,
    private readonly limits: RateLimits,
    @Inject(LOG) private readonly log: Logger,
  ) {}

  async intercept(context: ExecutionContext, next: CallHandler): Promise<Observable<unknown>> {
    const request = context.switchToHttp().getRequest<Request>();
    const { format, columns: names } = request.query;
    if (format === undefined && names === undefined) return next.handle();
    const columns = listColumnsOf(context.getHandler());
    if (columns === null) return next.handle();
    if (format !== 'csv') {
      if (names !== undefined) throw invalidField('columns', 'columns requires format=csv', 'not_applicable');
      return next.handle();
    }
    const wanted = chosen(columns, names);
    this.limits.take('report-export', currentActor().credentialId);
    const name = request.path.slice(request.path.lastIndexOf('/') + 1);
    return of(csvFile(await this.open(next, wanted, name), name));
  }

  /** It reads the first page before it sends anything, so that an error gets a regular response. */
  private async open(next: CallHandler, columns: readonly ListColumn[], list: string): Promise<Readable> {
    const stream = new PassThrough();
    let isSent = false;
    return new Promise((resolve, reject) => {
      const read = async () => {
        const first = await pageAt(next, 0);
        assertBounded(first);
        stream.write(csvLines([columns.map(({ name }) => name)]));
        isSent = true;
        resolve(stream);
        const rows = await write(stream, { next, first, columns });
        this.log.info({ list, rows, actor: currentActor().principal }, 'list exported');
      };
      this.database.snapshotOfLists(read).then(
        () => stream.end(),
        (error: unknown) => {
          const reason = error instanceof Error ? error : new Error('The export failed');
          reject(reason);
          // A stream that is not sent has no listener for its errors.
          stream.destroy(isSent ? reason : undefined);
        },
      );
    });
  }
}

/** Writes the first page and all others. Returns the number of rows. */
async function write(
  stream: PassThrough,
  { next, first, columns }: { next: CallHandler; first: ListPage; columns: readonly ListColumn[] },
): Promise<number> {
  let [page, written] = [first, 0];
  for (;;) {
    const lines = csvLines(page.data.map((row) => columns.map(({ cell }) => cell(row))));
    written += page.data.length;
    if (!stream.write(lines)) await taken(stream);
    const isLast = page.total === undefined ? page.data.length < BATCH : written >= page.total;
    if (isLast || page.data.length === 0 || stream.destroyed) return written;
    page = await pageAt(next, written);
  }
}

/** The handler reads its bounds by `pageBounds`. Each subscription calls it again. */
async function pageAt(next: CallHandler, offset: number): Promise<ListPage> {
  currentContext().exportPage = { limit: BATCH, offset };
  return (await firstValueFrom(next.handle())) as ListPage;
}

function assertBounded({ total = 0 }: ListPage): void {
  if (total <= MAX_CSV_ROWS) return;
  throw unprocessable('list_too_large', `The list has more than ${MAX_CSV_ROWS} rows; filter it further`, {
    field: 'format',
    maxRows: MAX_CSV_ROWS,
  });
}

/** The columns in the order in which the request names them. */
function chosen(columns: readonly ListColumn[], names: unknown): readonly ListColumn[] {
  if (names === undefined) return columns;
  const allowed = columns.map(({ name }) => name);
  const wanted = typeof names === 'string' ? names.split(',', columns.length + 1) : [];
  const found = wanted.flatMap((name) => columns.filter((column) => column.name === name));
  if (found.length > 0 && found.length === wanted.length && new Set(wanted).size === wanted.length) return found;
  const message = `columns must be one or more of ${allowed.join(', ')}, separated by commas`;
  throw invalidField('columns', message, 'unknown_value', { allowed });
}
