import type { Type } from '@nestjs/common';
import { decimalOf } from '../money/money.js';
import type { CsvCell } from './csv.js';
import { membersOf } from './respond.js';

/** A row of a list as JSON contains it. */
export type ListRow = Readonly<Record<string, unknown>>;

export interface ListColumn {
  readonly name: string;
  readonly cell: (row: ListRow) => CsvCell;
}

/** Where @nestjs/swagger keeps the responses of a route, and the options of a member. */
const RESPONSES = 'swagger/apiResponse';
const MEMBER = 'swagger/apiModelProperties';

const ofHandlers = new WeakMap<object, readonly ListColumn[] | null>();

/**
 * Returns the columns of the list that a route answers with; null if it answers with something else, or declares its types of
 * content itself. They are the members of the response class, so that a list needs no declaration for its CSV.
 */
export function listColumnsOf(handler: object): readonly ListColumn[] | null {
  const known = ofHandlers.get(handler);
  if (known !== undefined) return known;
  const row = rowOf(handler);
  const columns = row && columnsOf(row);
  ofHandlers.set(handler, columns);
  return columns;
}

function rowOf(handler: object): Type<object> | null {
  const responses = Reflect.getMetadata(RESPONSES, handler) as Record<string, { type?: unknown }> | undefined;
  const page = responses?.['200']?.type;
  if (typeof page !== 'function') return null;
  const data = Reflect.getMetadata(MEMBER, page.prototype as object, 'data') as
    { isArray?: boolean; type?: () => unknown } | undefined;
  const row = data?.isArray === true ? data.type?.() : undefined;
  return typeof row === 'function' ? (row as Type<object>) : null;
}

/** An amount has a second column with the decimal number, without `Cents` in its name, if the row has its currency. */
function columnsOf(row: Type<object>): ListColumn[] {
  const members = membersOf(row);
  return members.flatMap((name): ListColumn[] => {
    const column = { name, cell: (one: ListRow) => cellOf(one[name]) };
    const decimal = name.replace(/Cents$/, '');
    const currency = name.startsWith('base') ? 'baseCurrency' : 'currency';
    if (decimal === name || members.includes(decimal) || !members.includes(currency)) return [column];
    return [column, { name: decimal, cell: (one) => decimalCell(one[name], one[currency]) }];
  });
}

/** Lists and objects are JSON. */
function cellOf(value: unknown): CsvCell {
  if (value === null || value === undefined) return null;
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') return value;
  return JSON.stringify(value);
}

function decimalCell(cents: unknown, currency: unknown): CsvCell {
  return typeof cents === 'number' && typeof currency === 'string' ? decimalOf(String(cents), currency) : null;
}
