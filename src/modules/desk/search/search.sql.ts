import { containsWordsSql } from '../../../platform/database/like.js';
import { RECORD_KINDS, type RecordKind } from './search.dto.js';

/** SQL: tests whether a text of `fold` contains the words of the query ($1). */
const words = (text: string): string => containsWordsSql(text, '$1');

/** SQL: tests whether a text contains the digits of the query ($3), which is null unless the query is a telephone number. */
const digits = (text: string): string => `($3::text is not null and ${text} like $3)`;

/** The digits of a telephone number as it was typed, without a `(0)` that is not dialled abroad; the expression of an index. */
const PHONE_DIGITS = `regexp_replace(replace(booking.customer_phone, '(0)', ''), '\\D', '', 'g')`;

/** The newest records of a kind, in which a common name is found several times: reading its index entries would take longer. */
const RECENT = 1_000;

interface Source {
  scope: string;
  /** The columns of a found record. */
  columns: string;
  /** The tables with the conditions. */
  from: string;
  newest: string;
  /** How the newest records are found by a name, unless an older one comes before them; absent if names do not find records. */
  recent?: { table: string; alias: string; condition: string; unless?: string };
}

/**
 * How the records of each kind are found. Each condition of a booking has an index of its own, which `or` would not use.
 */
const SOURCES: Readonly<Record<RecordKind, Source>> = {
  customer: {
    scope: 'customers:read',
    columns: `customer.id, null::text as number, customer.display_name as title, customer.status, null::date as day,
      customer.contact_keys @> array[$4] as "isExact"`,
    from: `customers customer where customer.status in ('active', 'archived')
      and (${words('customer.search_text')} or ${digits('customer.search_text')})`,
    newest: 'customer.created_at desc, customer.id desc',
    recent: {
      ...{ table: 'customers', alias: 'customer' },
      condition: `customer.status in ('active', 'archived') and ${words('customer.search_text')}`,
    },
  },
  booking: {
    scope: 'bookings:read',
    columns: `booking.id, booking.number, booking.customer_name as title, booking.status, booking.departure_date as day,
      lower(booking.number) = $4 or coalesce(lower(booking.customer_email), '') = $4 as "isExact"`,
    from: `bookings booking where booking.id in (
      select booking.id from bookings booking where ${words('booking.search_text')}
      union all select booking.id from bookings booking where ${digits(PHONE_DIGITS)}
      union all select traveler.booking_id from booking_travelers traveler where ${words('traveler.search_text')})`,
    newest: 'booking.created_at desc, booking.id desc',
    recent: {
      ...{ table: 'bookings', alias: 'booking' },
      condition: `(${words('booking.search_text')} or exists (
        select from booking_travelers traveler where traveler.booking_id = booking.id and ${words('traveler.search_text')}))`,
      // Staff may choose a number without digits.
      unless: 'exists (select from bookings where number in ($2, upper($2)))',
    },
  },
  trip: {
    scope: 'trips:read',
    columns: `trip.id, null::text as number, coalesce(trip.title, trip.traveler_party #>> '{billing,name}', trip.id) as title,
      trip.status, null::date as day,
      coalesce(lower(trip.traveler_party #>> '{billing,email}'), '') = $4 as "isExact"`,
    from: `trip_envelopes trip where ${words('trip.search_text')}`,
    newest: 'trip.created_at desc, trip.id desc',
    recent: { table: 'trip_envelopes', alias: 'trip', condition: words('trip.search_text') },
  },
  invoice: {
    scope: 'finance:receivables',
    columns: `invoice.id, invoice.number, invoice.payer_name as title, invoice.status, invoice.issue_date as day,
      coalesce(lower(invoice.number), '') = $4 as "isExact"`,
    from: `invoices invoice where invoice.id in (
      select invoice.id from invoices invoice where ${words('invoice.search_text')}
      union all select invoice.id from bookings booking join invoices invoice on invoice.booking_id = booking.id
      where ${words('booking.search_text')} and lower(booking.number) = $4)`,
    newest: 'invoice.created_at desc, invoice.id desc',
    recent: { table: 'invoices', alias: 'invoice', condition: words('invoice.search_text') },
  },
  contract: {
    scope: 'legal:read',
    columns: `contract.id, contract.contract_number as number, contract.title, contract.status,
      (contract.issued_at at time zone $5)::date as day,
      coalesce(lower(contract.contract_number), '') = $4 or coalesce(lower(contract.recipient_email), '') = $4 as "isExact"`,
    from: `contracts contract where ${words('contract.search_text')}`,
    newest: 'contract.created_at desc, contract.id desc',
    recent: { table: 'contracts', alias: 'contract', condition: words('contract.search_text') },
  },
  departure: {
    scope: 'operations:read',
    columns: `departure.id, null::text as number, coalesce(product.name, departure.product_id) as title, departure.status,
      departure.start_date as day, departure.product_id = $2 as "isExact"`,
    from: `departures departure left join products product on product.id = departure.product_id
      where departure.product_id in (
        select product.id from products product where ${words('product.search_text')}
        union all select $2)`,
    // Upcoming departures come first, the soonest at the top.
    newest: '(departure.starts_at < $6), abs(extract(epoch from departure.starts_at - $6)), departure.id',
  },
};

/** The kinds that a caller with these scopes may find. */
export function kindsFor(mayRead: (scope: string) => boolean): RecordKind[] {
  return RECORD_KINDS.filter((kind) => mayRead(SOURCES[kind].scope));
}

/**
 * Finds records of these kinds in one statement. The values are the query, the query as a number, the LIKE pattern of its digits or
 * null, the query as an e-mail address, the time zone of the organization, the current instant and the limit per kind. A query that is
 * a name, so neither a number nor an address, has no exact matches that would come before newer ones: if enough of the newest records
 * match it, no others are read.
 */
export function searchStatement(kinds: readonly RecordKind[], { isName }: { isName: boolean }): string {
  const parts = kinds.map((kind, place) => {
    const found = isName ? foundByName(SOURCES[kind]) : foundIn(SOURCES[kind]);
    return `(select ${place} as place, '${kind}' as kind, row_number() over () as rank, one.* from (${found}) as one)`;
  });
  // The parameters have a type even if no kind uses them.
  return `with given as (select $1::text, $2::text, $3::text, $4::text, $5::text, $6::timestamptz, $7::int)
    select kind, id, number, title, status, day, "isExact" from (${parts.join(' union all ')}) as found
    order by "isExact" desc, place, rank`;
}

function foundIn({ columns, from, newest }: Source, condition = 'true'): string {
  return `select ${columns} from ${from} and ${condition} order by "isExact" desc, ${newest} limit $7`;
}

function foundByName(source: Source): string {
  const { columns, newest, recent } = source;
  if (!recent) return foundIn(source);
  const { table, alias, condition, unless = 'false' } = recent;
  const isEnough = `((select count(*) from recent) >= $7 and not ${unless})`;
  return `with recent as materialized (
      select ${columns} from (select * from ${table} order by created_at desc, id desc limit ${RECENT}) as ${alias}
      where ${condition} order by ${newest} limit $7)
    select * from recent where ${isEnough}
    union all (${foundIn(source, `not ${isEnough}`)})`;
}
