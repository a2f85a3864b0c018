import { anyOf } from '../../../../platform/database/filter-rows.js';
import { containsWordsSql } from '../../../../platform/database/like.js';
import { rowCountSql } from '../../../../platform/database/row-counts.js';
import type { Statement } from '../../../../platform/database/statement.js';
import { pageBounds } from '../../../../platform/http/dto.js';
import type { ListInvoices } from './invoice.dto.js';
import { overdueInvoiceSql } from '../account/invoice.entity.js';

/**
 * Nullable columns sort nulls last in either direction; without this clause, an index of the other columns can be read
 * backwards.
 */
const ORDERS: Record<string, { column: string; nulls: string }> = {
  issueDate: { column: 'issue_date', nulls: ' nulls last' },
  dueDate: { column: 'due_date', nulls: ' nulls last' },
  totalCents: { column: 'total_cents', nulls: '' },
  createdAt: { column: 'created_at', nulls: '' },
};
const FIRST_VALUE = 3;
/** A stored column, because folding 100,000 invoices for each search takes seconds. */
const SEARCH_TEXT = 'invoice.search_text';

export interface ListContext {
  /** The organization's calendar day. */
  today: string;
  /** The booking whose number equals the searched text; null if there is none. */
  numberedBookingId: string | null;
}

/**
 * Selects a page and its total in one statement; a page beyond the end is one row with only the total. With several conditions
 * it is not prepared, because there would be hundreds of names; nor is a search, whose words a generic plan would fold again
 * for each invoice.
 */
export function listStatement(
  query: ListInvoices,
  { columns, ...context }: ListContext & { columns: string },
): Statement {
  const { limit, offset } = pageBounds(query);
  const { names, where, values } = conditionsOf(query, context);
  const isCounted = names.every((name) => name === 'status' || name === 'statuses');
  const kept = rowCountSql('invoices', {
    type: `'invoice'`,
    ...(query.status === undefined ? {} : { status: anyOf(query.status).sql(`$${FIRST_VALUE}`) }),
  });
  const sort = query.sort ?? '-createdAt';
  return {
    ...(names.length > 1 || query.search !== undefined ? {} : { name: ['invoices-list', sort, ...names].join(' ') }),
    text: `
      select counted.total, page.*
      from (select ${isCounted ? kept : `(select count(*) from invoices invoice ${where})`} as total) counted
      left join (
        select ${columns} from invoices invoice ${where}
        order by ${orderOf(sort)} limit $1 offset $2
      ) page on true`,
    values: [limit, offset, ...values],
  };
}

/** The values of the conditions begin at $3. */
function conditionsOf(query: ListInvoices, { today, numberedBookingId }: ListContext) {
  // Credit notes have their own list.
  const { bookingId, status, dueFrom, dueTo, issuedFrom, issuedTo, overdue, search } = query;
  const parts: { name: string; text: (place: string) => string; value: unknown }[] = [];
  const add = (name: string, text: (place: string) => string, value: unknown) => parts.push({ name, text, value });
  if (bookingId !== undefined) add('booking', (place) => `invoice.booking_id = ${place}`, bookingId);
  if (status !== undefined) {
    const { sql, value } = anyOf(status);
    add(status.length === 1 ? 'status' : 'statuses', (place) => `invoice.status = ${sql(place)}`, value);
  }
  if (dueFrom !== undefined) add('from', (place) => `invoice.due_date >= ${place}::date`, dueFrom);
  if (dueTo !== undefined) add('to', (place) => `invoice.due_date <= ${place}::date`, dueTo);
  if (issuedFrom !== undefined) add('issued-from', (place) => `invoice.issue_date >= ${place}::date`, issuedFrom);
  if (issuedTo !== undefined) add('issued-to', (place) => `invoice.issue_date <= ${place}::date`, issuedTo);
  if (overdue !== undefined)
    add('overdue', (place) => `coalesce(${overdueInvoiceSql(place)}, false) = ${overdue}`, today);
  if (search !== undefined) {
    if (numberedBookingId === null) add('search', (place) => containsWordsSql(SEARCH_TEXT, place), search);
    else {
      const text = (place: string) =>
        `(invoice.booking_id = (${place}::text[])[1] or ${containsWordsSql(SEARCH_TEXT, `(${place}::text[])[2]`)})`;
      add('search-number', text, [numberedBookingId, search]);
    }
  }
  const texts = parts.map(({ text }, index) => text(`$${FIRST_VALUE + index}`));
  return {
    names: parts.map(({ name }) => (name === 'overdue' ? `${name}=${overdue}` : name)),
    where: `where ${[`invoice.type = 'invoice'`, ...texts].join(' and ')}`,
    values: parts.map(({ value }) => value),
  };
}

function orderOf(sort: string): string {
  const direction = sort.startsWith('-') ? 'desc' : 'asc';
  const { column = 'created_at', nulls = '' } = ORDERS[sort.replace('-', '')] ?? {};
  return `invoice.${column} ${direction}${nulls}, invoice.id ${direction}`;
}
