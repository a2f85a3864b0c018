import { expect } from '@jest/globals';
import type { TestApp } from '../setup/app.js';
import type { TestClient } from '../setup/client.js';

export { invalid, problem, staffWith } from '../finance/invoices.js';
export { retryWhileBusy as insisting } from '../finance/payments/payments.js';

export const BOOKINGS = '/v1/admin/bookings';

/** The members of a booking that the tests read; the contract tests check the others. */
export interface Booking extends Record<string, unknown> {
  id: string;
  number: string;
  status: string;
  totalCents: number | null;
  departureDate: string | null;
  version: number;
}

export interface Item extends Record<string, unknown> {
  id: string;
  bookingId: string;
  status: string;
  totalSellCents: number;
  version: number;
}

export interface One<T> {
  data: T;
}

export interface Page<T> {
  data: T[];
  total: number;
  limit: number;
  offset: number;
}

export const bookingBody = (over: object = {}): object => ({ currency: 'EUR', customerName: 'Ada Lovelace', ...over });
export const itemBody = (over: object = {}): object => ({
  type: 'unit',
  title: 'Seat',
  unitSellCents: 10_000,
  ...over,
});

export async function makeBooking(client: TestClient, over: object = {}): Promise<Booking> {
  const { status, body } = await client.post<One<Booking>>(BOOKINGS, bookingBody(over));
  expect(status).toBe(201);
  return body.data;
}

export async function addItem(client: TestClient, bookingId: string, over: object = {}): Promise<Item> {
  const { status, body } = await client.post<One<Item>>(`${BOOKINGS}/${bookingId}/items`, itemBody(over));
  expect(status).toBe(201);
  return body.data;
}

export async function readBooking(client: TestClient, id: string): Promise<Booking> {
  return (await client.get<One<Booking>>(`${BOOKINGS}/${id}`)).body.data;
}

export async function readItem(client: TestClient, { id, bookingId }: Item): Promise<Item> {
  return (await client.get<One<Item>>(`${BOOKINGS}/${bookingId}/items/${id}`)).body.data;
}

/** A confirmed booking with one item. */
export async function confirmedBooking(
  client: TestClient,
  { booking = {}, item = {} }: { booking?: object; item?: object } = {},
): Promise<{ booking: Booking; item: Item }> {
  const { id } = await makeBooking(client, booking);
  const added = await addItem(client, id, item);
  const { status, body } = await client.post<One<Booking>>(`${BOOKINGS}/${id}/confirmation`);
  expect(status).toBe(200);
  return { booking: body.data, item: added };
}

export interface Entry extends Record<string, unknown> {
  action: string;
  actorType: string;
  reason: string | null;
  before: Record<string, unknown> | null;
  after: Record<string, unknown> | null;
}

/** The ledger entries of a subject, oldest first. */
export async function entriesAbout(client: TestClient, id: string): Promise<Entry[]> {
  const path = '/v1/admin/action-ledger/entries';
  const { body } = await client.get<{ data: { id: string }[] }>(`${path}?subjectId=${id}&limit=200`);
  const entries = await Promise.all(body.data.map((entry) => client.get<One<Entry>>(`${path}/${entry.id}`)));
  return entries.map((entry) => entry.body.data).reverse();
}

export interface PublishedEvent {
  event: string;
  data: Record<string, unknown>;
}

/** Waits for `count` messages of the booking's own channel. */
export async function eventsOf(app: TestApp, bookingId: string, count: number): Promise<PublishedEvent[]> {
  for (;;) {
    const path = `/realtime/v1/channels/bookings.${bookingId}/messages?limit=1000`;
    const { body } = await app.as('platform').get<PublishedEvent[]>(path);
    // Events of its payment plan are published on the same channel.
    const own = body.filter(({ event }) => event.startsWith('booking'));
    if (own.length >= count) return own.map(({ event, data }) => ({ event, data }));
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
