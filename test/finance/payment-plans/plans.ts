import { expect } from '@jest/globals';
import type { TestApp } from '../../setup/app.js';
import type { TestClient } from '../../setup/client.js';
import type { Answer } from '../../setup/http.js';

const BOOKINGS = '/v1/admin/bookings';

/** The members of an installment that the tests read; the contract tests check the others. */
export interface Schedule {
  id: string;
  bookingId: string;
  label: string;
  dueDate: string;
  amountCents: number;
  paidCents: number;
  outstandingCents: number;
  currency: string;
  status: string;
  type: string;
  waived: boolean;
  notes: string | null;
  basis: string;
  dateSource: string;
  warnings: string[];
  position: number;
  version: number;
}

export interface Envelope {
  data: Schedule;
}

export const schedulesPath = (bookingId: string) => `/v1/admin/finance/bookings/${bookingId}/payment-schedules`;
export const planPath = (bookingId: string) => `/v1/admin/finance/bookings/${bookingId}/collection-plan`;

/** Returns the `YYYY-MM-DD` that is `days` days after this one. */
export function days(day: string, more: number): string {
  return new Date(Date.parse(`${day}T00:00:00Z`) + more * 86_400_000).toISOString().slice(0, 10);
}

/** Requires 30 % at booking and the rest 30 days before departure, or everything at once within 45 days. */
export const POLICY = {
  steps: [
    { label: 'Deposit', type: 'deposit', percentBasisPoints: 3000, anchor: 'booking', offsetDays: 0 },
    { label: 'Balance', type: 'balance', remainder: true, anchor: 'departure', offsetDays: -30 },
  ],
  minimumDays: 45,
  floorDays: 3,
};

/** Three steps, due today, in 10 and in 20 days. */
export const THIRDS = {
  steps: [
    { label: 'First', type: 'deposit', percentBasisPoints: 3000, anchor: 'booking', offsetDays: 0 },
    { label: 'Second', type: 'installment', percentBasisPoints: 3000, anchor: 'booking', offsetDays: 10 },
    { label: 'Third', type: 'balance', remainder: true, anchor: 'booking', offsetDays: 20 },
  ],
  noDateDays: 0,
};

interface Wanted {
  /** Makes one item for each price; none for an empty list. */
  prices?: number[];
  currency?: string;
  startDate?: string | null;
  paymentPolicy?: object | null;
}

/** A draft booking with items of these prices. */
export async function book(client: TestClient, wanted: Wanted = {}): Promise<string> {
  const { prices = [100_000], currency = 'EUR', startDate = null, paymentPolicy = POLICY } = wanted;
  const body = { customerName: 'Ada Lovelace', currency, startDate, paymentPolicy };
  const { status, body: answer } = await client.post<{ data: { id: string } }>(BOOKINGS, body);
  expect(status).toBe(201);
  for (const price of prices) await addItem(client, answer.data.id, price);
  return answer.data.id;
}

/** The id of the item. */
export async function addItem(client: TestClient, bookingId: string, unitSellCents: number): Promise<string> {
  const body = { type: 'unit', title: 'Seat', unitSellCents };
  const { status, body: answer } = await client.post<{ data: { id: string } }>(`${BOOKINGS}/${bookingId}/items`, body);
  expect(status).toBe(201);
  return answer.data.id;
}

export function priceItem(
  client: TestClient,
  [bookingId, itemId]: readonly [string, string],
  unitSellCents: number,
): Promise<Answer<unknown>> {
  return client.patch(`${BOOKINGS}/${bookingId}/items/${itemId}`, { unitSellCents });
}

/** Returns the response to a price change of the booking's first item. */
export async function repriced(app: TestApp, bookingId: string, unitSellCents: number): Promise<Answer<unknown>> {
  const [item] = await app.sql<{ id: string }>('select id from booking_items where booking_id = $1 order by id', [
    bookingId,
  ]);
  return priceItem(app.as('owner'), [bookingId, item?.id ?? ''], unitSellCents);
}

export async function reprice(app: TestApp, bookingId: string, unitSellCents: number): Promise<void> {
  expect((await repriced(app, bookingId, unitSellCents)).status).toBe(200);
}

export async function confirm(client: TestClient, bookingId: string): Promise<void> {
  expect((await client.post(`${BOOKINGS}/${bookingId}/confirmation`)).status).toBe(200);
}

export async function cancelBooking(client: TestClient, bookingId: string): Promise<void> {
  const answer = await client.post(`${BOOKINGS}/${bookingId}/cancellation`, { reason: 'The customer fell ill' });
  expect(answer.status).toBe(200);
}

/** The booking's installments, by due date. */
export async function schedulesOf(client: TestClient, bookingId: string): Promise<Schedule[]> {
  const { status, body } = await client.get<{ data: Schedule[] }>(`${schedulesPath(bookingId)}?limit=200`);
  expect(status).toBe(200);
  return body.data;
}

/** A draft booking with a stored plan of three installments: 30 %, 30 % and 40 %. */
export async function planned(
  client: TestClient,
  wanted: Omit<Wanted, 'paymentPolicy'> = {},
): Promise<[bookingId: string, Schedule, Schedule, Schedule]> {
  const bookingId = await book(client, { paymentPolicy: THIRDS, ...wanted });
  expect((await client.post(planPath(bookingId))).status).toBe(200);
  const [first, second, third] = await schedulesOf(client, bookingId);
  if (!first || !second || !third) throw new Error('The plan has no three installments');
  return [bookingId, first, second, third];
}

/** Patches an installment with a body, or with a body and a query such as `?rebalance=none`. */
export function change(
  client: TestClient,
  { bookingId, id }: Pick<Schedule, 'bookingId' | 'id'>,
  sent: object | readonly [body: object, query: string],
): Promise<Answer<Envelope>> {
  const [body, query] = isPair(sent) ? sent : [sent, ''];
  return client.patch<Envelope>(`${schedulesPath(bookingId)}/${id}${query}`, body);
}

function isPair(sent: object | readonly [object, string]): sent is readonly [object, string] {
  return Array.isArray(sent);
}

/** Amount and status of each installment, by due date, as `300 pending`; a waived one is marked. */
export async function outline(client: TestClient, bookingId: string): Promise<string[]> {
  const schedules = await schedulesOf(client, bookingId);
  return schedules.map(({ amountCents, status, waived }) => `${amountCents} ${waived ? 'waived' : status}`);
}

/** A payment of this amount that is allocated to this installment. */
export async function pay(app: TestApp, scheduleId: string, amountCents: number): Promise<void> {
  const [of] = await app.sql<{ bookingId: string; currency: string }>(
    'select booking_id as "bookingId", currency from payment_schedules where id = $1',
    [scheduleId],
  );
  const money = { method: 'cash', amountCents, paidOn: app.day(), allocations: [{ scheduleId, amountCents }] };
  const { status } = await app.as('owner').post('/v1/admin/finance/payments', { ...of, ...money });
  expect(status).toBe(201);
}

/** The difference between the plan and the total of its booking, in the database. */
export async function deviation(app: TestApp, bookingId: string): Promise<number> {
  const [row] = await app.sql<{ off: string }>(
    `select coalesce(sum(s.amount_cents) filter (where s.status <> 'cancelled' or s.waived), 0)
       - coalesce((select total_cents from bookings where id = $1), 0) as off
     from payment_schedules s where s.booking_id = $1`,
    [bookingId],
  );
  return Number(row?.off);
}

export interface Entry {
  action: string;
  reason: string | null;
  before: Record<string, unknown> | null;
  after: Record<string, unknown> | null;
}

/** The entries of the action ledger about something, oldest first. */
export async function entriesOf(client: TestClient, subjectType: string, id: string): Promise<Entry[]> {
  const { body: list } = await client.get<{ data: { id: string }[] }>(
    `/v1/admin/action-ledger/entries?subjectType=${subjectType}&subjectId=${id}`,
  );
  const entries = await Promise.all(
    list.data.map((entry) => client.get<{ data: Entry }>(`/v1/admin/action-ledger/entries/${entry.id}`)),
  );
  return entries.map((entry) => entry.body.data).reverse();
}

/** Waits for an event of this name on the booking's channel, and returns the names of all events. */
export async function eventsOf(app: TestApp, bookingId: string, last: string): Promise<string[]> {
  for (;;) {
    const { body: messages } = await app
      .as('platform')
      .get<{ event: string }[]>(`/realtime/v1/channels/bookings.${bookingId}/messages?limit=1000`);
    const events = messages.map(({ event }) => event).filter((event) => event.startsWith('payment_'));
    if (events.includes(last)) return events;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
