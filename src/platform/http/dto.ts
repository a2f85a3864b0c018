import type { Type } from '@nestjs/common';
import { ApiProperty, type ApiPropertyOptions, PartialType } from '@nestjs/swagger';
import { currentContext, findContext, openContext } from '../context/request-context.js';
import { OneOf, Optional, Text } from './fields.js';
import { named } from './named-values.js';
import { QueryWhole } from './query-fields.js';

const patches = new WeakSet<object>();
const data = new WeakMap<object, DataMember[]>();
/** Inherited members included. */
const ofClass = new WeakMap<object, readonly DataMember[]>();

/** A member for the caller's own JSON, and its maximum size. */
export interface DataMember {
  name: string;
  maxBytes: number;
}

/**
 * The body of an update: every member is optional, null is accepted only if the create accepts it; `{}` is rejected.
 */
export function patchOf<T>(create: Type<T>): Type<Partial<T>> {
  const patch = PartialType(create, { skipNullProperties: false });
  patches.add(patch.prototype as object);
  return patch;
}

export function isPatch(dto: Type<unknown>): boolean {
  return ancestors(dto.prototype as object).some((prototype) => patches.has(prototype));
}

/**
 * The value is the caller's own JSON of at most N serialized bytes, kept unchanged. Other decorators of the member see
 * an empty value of the same kind.
 */
export function KeptAsData({ maxBytes }: { maxBytes: number }): PropertyDecorator {
  return (target, key) => {
    data.set(target, [...(data.get(target) ?? []), { name: String(key), maxBytes }]);
  };
}

export function keptAsData(dto: Type<unknown>): readonly DataMember[] {
  const members =
    ofClass.get(dto) ?? ancestors(dto.prototype as object).flatMap((prototype) => data.get(prototype) ?? []);
  ofClass.set(dto, members);
  return members;
}

/** `{data}`, the envelope of most responses of the staff surface. */
export function dataOf<T>(item: Type<T>): Type<{ data: T }> {
  class Envelope {
    data: T;
  }
  ApiProperty({ type: () => item, description: 'The resource.' })(Envelope.prototype, 'data');
  return Envelope;
}

/** `{data, total, limit, offset}`, the envelope of lists on the staff surface. */
export function pageOf<T>(item: Type<T>): Type<{ data: T[]; total: number; limit: number; offset: number }> {
  class PageEnvelope {
    data: T[];
    total: number;
    limit: number;
    offset: number;
  }
  const count = { type: 'integer', minimum: 0, maximum: Number.MAX_SAFE_INTEGER } as const;
  const describe = (property: string, options: ApiPropertyOptions) => {
    ApiProperty(options)(PageEnvelope.prototype, property);
  };
  const [limit, offset] = [{ type: 'integer', minimum: 1, maximum: 200 } as const, { ...count, maximum: 100_000 }];
  describe('data', { type: () => item, isArray: true, maxItems: 200, description: 'The entries of this page.' });
  describe('total', { ...count, description: 'Number of entries that match, on all pages.' });
  describe('limit', { ...limit, description: 'Maximum number of entries per page, as requested; 50 by default.' });
  describe('offset', { ...offset, description: 'Number of entries skipped before this page.' });
  return PageEnvelope;
}

/** `{data, totals, total, limit, offset}`, the envelope of a report: a page of its rows, and the totals of all rows. */
export function reportOf<Row, Totals>(row: Type<Row>, totals: Type<Totals>): Type<{ data: Row[]; totals: Totals[] }> {
  class ReportEnvelope extends pageOf(row) {
    totals: Totals[];
  }
  const description = 'Totals of all rows on all pages, by currency.';
  ApiProperty({ type: () => totals, isArray: true, maxItems: 400, description })(ReportEnvelope.prototype, 'totals');
  return ReportEnvelope;
}

/** The requested page of rows. A value out of range is rejected, never clamped. */
export class BoundsQuery {
  // Explicit, since the build reads comments and question marks only in files named *.dto.ts.
  @ApiProperty({ required: false, description: 'Maximum number of entries to return, 1 to 200; 50 by default.' })
  @Optional()
  @QueryWhole({ min: 1, max: 200 })
  limit?: number;

  @ApiProperty({ required: false, description: 'Number of entries to skip, 0 to 100000; 0 by default.' })
  @Optional()
  @QueryWhole({ min: 0, max: 100_000 })
  offset?: number;
}

const LIST_FORMATS = named('ListFormat', ['json', 'csv']);

/** The requested page of a list, or all of the list as CSV. `ListCsvInterceptor` answers the latter, for each list. */
export class PageQuery extends BoundsQuery {
  @ApiProperty({
    required: false,
    description:
      '`json` (default): a page; `csv`: all rows that match as a file, at most 100,000; `limit` and `offset` do not apply.',
  })
  @Optional()
  @OneOf(LIST_FORMATS)
  format?: (typeof LIST_FORMATS)[number];

  @ApiProperty({
    required: false,
    description:
      'Names of the columns of the CSV, separated by commas, in the order of the file; all columns by default.',
  })
  @Optional()
  @Text({ max: 2_000 })
  columns?: string;
}

/** The bounds of the page to read: the requested ones, or those of the export that is running. */
export function pageBounds(query: BoundsQuery): { limit: number; offset: number } {
  return findContext()?.exportPage ?? { limit: query.limit ?? 50, offset: query.offset ?? 0 };
}

/** Calls the handler of a list for this page instead of the requested one. */
export async function readingPage<T>(page: { limit: number; offset: number }, read: () => Promise<T>): Promise<T> {
  return openContext({ ...currentContext(), exportPage: page }, read);
}

function ancestors(prototype: object): object[] {
  const parent: unknown = Object.getPrototypeOf(prototype);
  return typeof parent === 'object' && parent !== null ? [prototype, ...ancestors(parent)] : [prototype];
}
