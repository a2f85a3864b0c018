import { expect } from '@jest/globals';
import { addItem, BOOKINGS, confirmedBooking, type Item, makeBooking } from '../../bookings/bookings.js';
import type { TestApp } from '../../setup/app.js';
import type { TestClient } from '../../setup/client.js';
import { bookingWith } from '../payments/bookings.js';

export { retryWhileBusy as insisting } from '../payments/payments.js';

export const commissionsOf = (itemId: string) => `/v1/admin/finance/booking-items/${itemId}/commissions`;

/** The members of a commission that the tests read; the contract tests check the others. */
export interface Commission extends Record<string, unknown> {
  id: string;
  bookingId: string;
  bookingItemId: string;
  status: string;
  amountCents: number;
  adjustsId: string | null;
  version: number;
}

export interface One {
  data: Commission;
}

export interface All {
  data: Commission[];
}

export const terms = (over: object = {}): object => ({
  recipientType: 'agency',
  recipientName: 'Alpine Resellers',
  rateBasisPoints: 1000,
  ...over,
});
export const fixed = (amountCents: number, over: object = {}): object => ({
  recipientType: 'agent',
  recipientName: 'Reto',
  commissionModel: 'fixed',
  amountCents,
  ...over,
});

export async function earn(client: TestClient, itemId: string, body: object = terms()): Promise<Commission> {
  const answer = await client.post<One>(commissionsOf(itemId), body);
  expect([answer.status, answer.text]).toEqual([201, answer.text]);
  return answer.body.data;
}

export async function linesOf(client: TestClient, itemId: string): Promise<Commission[]> {
  return (await client.get<All>(commissionsOf(itemId))).body.data;
}

export async function readLine(client: TestClient, { bookingItemId, id }: Commission): Promise<Commission> {
  return (await client.get<One>(`${commissionsOf(bookingItemId)}/${id}`)).body.data;
}

export const change = ({ bookingItemId, id }: Commission) => `${commissionsOf(bookingItemId)}/${id}`;

/** An item of a draft with a price of 1200.00, 200.00 tax included, and a cost of 1000.00. */
export async function soldItem(client: TestClient, over: object = {}): Promise<Item> {
  return addItem(client, (await makeBooking(client)).id, { ...SOLD, ...over });
}

const SOLD = { unitSellCents: 120_000, taxIncludedCents: 20_000, costCents: 100_000, costCurrency: 'EUR' };

/** An item of a confirmed booking that has departed: commissions that wait for the departure only are payable at once. */
export async function departedItem(client: TestClient, over: object = {}): Promise<Item> {
  const item = { ...SOLD, serviceDate: '2026-01-01', ...over };
  return (await confirmedBooking(client, { item })).item;
}

/** A confirmed booking of one item, whose price is the sum of the installments. */
export async function billedItem(
  app: TestApp,
  amounts: readonly number[],
): Promise<{ bookingId: string; itemId: string; schedules: readonly string[] }> {
  const installments = amounts.map((amount, n): [string, number] => [`2026-02-0${n + 1}`, amount]);
  const { id: bookingId, schedules } = await bookingWith(app, { status: 'confirmed', installments });
  const [item] = await app.sql<{ id: string }>('select id from booking_items where booking_id = $1', [bookingId]);
  return { bookingId, itemId: item?.id ?? '', schedules };
}

export const cancelItem = (client: TestClient, { bookingId, id }: Pick<Item, 'bookingId' | 'id'>) =>
  client.post(`${BOOKINGS}/${bookingId}/items/${id}/cancellation`);

/** Events of a commission in the order in which they were published. */
export async function eventNamesOf(app: TestApp, commissionId: string, count: number): Promise<string[]> {
  for (;;) {
    const rows = await app.sql<{ event: string }>(
      `select m.event from realtime_messages m join realtime_channels c on c.id = m.channel_id
       where c.name = 'finance.commissions' and m.data->>'commissionId' = $1 order by m.seq`,
      [commissionId],
    );
    if (rows.length >= count) return rows.map(({ event }) => event);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
