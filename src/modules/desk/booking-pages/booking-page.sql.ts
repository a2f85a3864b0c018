import { ACCOUNT_ENTRIES } from '../../finance/index.js';
import { MAX_MESSAGES } from './booking-page.dto.js';

/** The items of booking $1. */
export const ITEMS = `
  select item.id, item.type, item.title, item.status, item.quantity, item.total_sell_cents::float8 as "totalSellCents",
    item.service_date as "serviceDate", item.departure_id as "departureId",
    coalesce(product.name, departure.product_id) as "productName",
    to_char(departure.starts_at at time zone departure.time_zone, 'YYYY-MM-DD HH24:MI') as "localStart",
    item.supplier_status as "supplierStatus"
  from booking_items item
  left join departures departure on departure.id = item.departure_id
  left join products product on product.id = departure.product_id
  where item.booking_id = $1
  order by item.service_date nulls last, item.created_at, item.id`;

/** The travelers of booking $1. */
export const TRAVELERS = `
  select id, first_name as "firstName", last_name as "lastName", is_lead as "isLead", status
  from booking_travelers where booking_id = $1 order by position`;

/** The entries of the account of booking $1, with the balance after each. */
export const STATEMENT = `
  select entry.date as "on", entry.entry as kind, entry.id as "documentId", coalesce(entry.number, entry.reference) as text,
    greatest(entry.cents, 0)::float8 as "debitCents", greatest(-entry.cents, 0)::float8 as "creditCents",
    sum(entry.cents) over (order by entry.date, entry.place, entry.id)::float8 as "balanceCents"
  from bookings booking cross join lateral (${ACCOUNT_ENTRIES}) entry (date, place, entry, id, number, reference, cents)
  where booking.id = $1
  order by entry.date, entry.place, entry.id`;

/** The contracts of booking $1. */
export const CONTRACTS = `
  select id as reference, contract_number as "contractNumber", title, status, issued_at as "issuedAt"
  from contracts where booking_id = $1 order by created_at desc, id desc`;

/** The last mails about booking $1 and its contracts. */
export const MESSAGES = `
  select message.id, message.kind, message.status, message.subject, message.sent_at as "sentAt", message.created_at as "createdAt"
  from notification_messages message where message.id in (
    select sent.id from reminder_runs run join notification_messages sent on sent.run_id = run.id where run.booking_id = $1
    union all
    select sent.id from contracts contract join notification_messages sent on sent.contract_id = contract.id
    where contract.booking_id = $1)
  order by message.created_at desc, message.id desc limit ${MAX_MESSAGES}`;
