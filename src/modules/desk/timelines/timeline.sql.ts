import type { TimelineKind } from './timeline.dto.js';

interface Source {
  readonly scope: string;
  /** The columns of an entry after its kind. */
  readonly columns: string;
  /** The rows of customer $1. */
  readonly from: string;
}

const BOOKINGS = `(select booking.id from bookings booking where booking.customer_id = $1)`;

/** The customer, and those that were merged into it. */
const MERGED = `(select id from customers where id = $1 or merged_into_id = $1)`;

const SOURCES: Readonly<Record<TimelineKind, Source>> = {
  booking: {
    scope: 'bookings:read',
    columns: `booking.id, booking.number as title, booking.status, booking.id as booking_id, booking.total_cents, booking.currency,
      booking.created_at`,
    from: 'bookings booking where booking.customer_id = $1',
  },
  trip: {
    scope: 'trips:read',
    columns: `trip.id, coalesce(trip.title, trip.id) as title, trip.status, trip.booking_id, trip.total_cents, trip.currency,
      trip.created_at`,
    from: `trip_envelopes trip where trip.customer_id = $1 or trip.booking_id in ${BOOKINGS}`,
  },
  invoice: {
    scope: 'finance:receivables',
    columns: `invoice.id, coalesce(invoice.number, invoice.id) as title, invoice.status, invoice.booking_id, invoice.total_cents,
      invoice.currency, invoice.created_at`,
    from: `invoices invoice where invoice.booking_id in ${BOOKINGS}`,
  },
  message: {
    scope: 'notifications:read',
    columns: `message.id, message.subject as title, message.status, found.booking_id, null::bigint, null::text, message.created_at`,
    from: `(
      select id, booking_id from notification_messages where booking_id in ${BOOKINGS} and kind <> 'test'
      union
      select id, booking_id from notification_messages where customer_id in ${MERGED}
      union
      select sent.id, run.booking_id
      from reminder_runs run join notification_messages sent on sent.run_id = run.id where run.booking_id in ${BOOKINGS}
      union
      select sent.id, contract.booking_id
      from contracts contract join notification_messages sent on sent.contract_id = contract.id
      where contract.booking_id in ${BOOKINGS}) found join notification_messages message on message.id = found.id`,
  },
  note: {
    scope: 'desk:read',
    columns: `note.id, left(note.text, 200) as title, null::text, null::text, null::bigint, null::text, note.created_at`,
    from: `notes note where note.subject_id = $1 and note.subject_type = 'customer'`,
  },
};

/** Whether a caller with these scopes may read entries of this kind. */
export function isReadable(kind: TimelineKind, mayRead: (scope: string) => boolean): boolean {
  return mayRead(SOURCES[kind].scope);
}

/**
 * A page of the entries of these kinds about customer $1 by the time of their creation, with the total in each row. $2 is the limit, $3 the offset. Of
 * each kind only the rows that can be on the page are sorted together.
 */
export function timelineStatement(kinds: readonly TimelineKind[], direction: 'ASC' | 'DESC'): string {
  const parts = kinds.map((kind) => {
    const { columns, from } = SOURCES[kind];
    return `(select '${kind}' as kind, one.* from (
      select ${columns} from ${from} order by created_at ${direction}, id ${direction} limit $2::int + $3::int) as one)`;
  });
  const counts = kinds.map((kind) => `(select count(*) from ${SOURCES[kind].from})`);
  return `
    with found (kind, id, title, status, "bookingId", "totalCents", currency, "createdAt") as (${parts.join(' union all ')}),
    page as (select * from found order by "createdAt" ${direction}, id ${direction} limit $2 offset $3)
    select (${counts.join(' + ')})::int as total,
      coalesce((select json_agg(page order by page."createdAt" ${direction}, page.id ${direction}) from page), '[]'::json) as data`;
}
