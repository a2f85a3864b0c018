import { ACCOUNT_ENTRIES } from '../../finance/index.js';
import { MAX_MESSAGES, MAX_NOTES, MAX_TASKS } from './booking-page.dto.js';

/** SQL: the rows of several statements as one row of JSON lists, so that a page needs fewer round trips. */
const together = (lists: Readonly<Record<string, string>>): string => {
  const columns = Object.entries(lists).map(([name, statement]) => {
    return `coalesce((select json_agg(one) from (${statement}) as one), '[]'::json) as "${name}"`;
  });
  return `select ${columns.join(', ')}`;
};

/** The items of booking $1. */
const ITEMS = `
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
const TRAVELERS = `
  select id, first_name as "firstName", last_name as "lastName", is_lead as "isLead", status
  from booking_travelers where booking_id = $1 order by position`;

export const ITEMS_AND_TRAVELERS = together({ items: ITEMS, travelers: TRAVELERS });

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

/** The last mails about booking $1, its installments and its contracts. */
export const MESSAGES = `
  select message.id, message.kind, message.status, message.subject, message.sent_at as "sentAt", message.created_at as "createdAt"
  from notification_messages message where message.id in (
    select id from notification_messages where booking_id = $1 and kind <> 'test'
    union all
    select sent.id from reminder_runs run join notification_messages sent on sent.run_id = run.id where run.booking_id = $1
    union all
    select sent.id from contracts contract join notification_messages sent on sent.contract_id = contract.id
    where contract.booking_id = $1)
  order by message.created_at desc, message.id desc limit ${MAX_MESSAGES}`;

/** The open tasks about booking $1. */
const TASKS = `
  select task.id, task.title, task.due_on as "dueOn", task.assignee_id as "assigneeId", assignee.name as "assigneeName", task.source,
    task.created_at as "createdAt"
  from tasks task left join users assignee on assignee.id = task.assignee_id
  where task.subject_id = $1 and task.subject_type = 'booking' and task.status = 'open'
  order by task.due_on nulls last, task.id limit ${MAX_TASKS}`;

/** The pinned notes on booking $1. */
const NOTES = `
  select note.id, note.text, note.visibility, author.name as "authorName", note.created_at as "createdAt"
  from notes note left join users author on author.id = note.author_id
  where note.subject_id = $1 and note.subject_type = 'booking' and note.pinned
  order by note.created_at desc, note.id desc limit ${MAX_NOTES}`;

export const TASKS_AND_NOTES = together({ tasks: TASKS, notes: NOTES });
