import { setTimeout as pause } from 'node:timers/promises';
import { expect } from '@jest/globals';
import { CallOffRunner } from '../../../src/modules/desk/call-offs/call-off-runner.js';
import { asSystem } from '../../../src/platform/context/request-context.js';
import { addItem, type Booking, BOOKINGS, makeBooking, type One, type Page } from '../../bookings/bookings.js';
import { DEPARTURES, newDeparture } from '../../operations/departures.js';
import type { TestApp } from '../../setup/app.js';
import type { TestClient } from '../../setup/client.js';

export interface CallOff extends Record<string, unknown> {
  id: string;
  departureId: string;
  status: string;
  total: number;
  done: number;
  failed: number;
  skipped: number;
  counts: { action: string; status: string; items: number; people: number; units: number }[];
  amounts: Amounts[];
  warnings: { code: string }[];
  version: number;
}

export interface Amounts {
  currency: string;
  totalCents: number;
  refundedCents: number;
  creditedCents: number;
  openCents: number;
}

export interface CallOffItem extends Record<string, unknown> {
  id: string;
  bookingId: string | null;
  action: string;
  status: string;
  code: string | null;
  messageId: string | null;
  version: number;
}

export interface Preview extends Record<string, unknown> {
  amounts: Amounts[];
  actions: { action: string; items: number; failing: number; people: number; units: number }[];
  failures: { bookingId: string; code: string }[];
}

export const callOffsOf = (departureId: string) => `${DEPARTURES}/${departureId}/call-offs`;

export const callOffBody = (over: object = {}): object => ({
  reasonCode: 'weather',
  reason: 'Gale warning',
  default: { action: 'cancel' },
  ...over,
});

export const CUSTOMER = { customerName: 'Ada Lovelace', customerEmail: 'ada@example.com' };

/** A booking with this many seats of the departure at 59.00; confirmed unless `status` is draft. */
export async function soldBooking(
  client: TestClient,
  departureId: string,
  terms: { quantity?: number; booking?: object; item?: object; status?: 'draft'; paidCents?: number } = {},
): Promise<Booking> {
  const { quantity = 1, booking = {}, item = {}, status, paidCents = 0 } = terms;
  const made = await makeBooking(client, { ...CUSTOMER, ...booking });
  await addItem(client, made.id, { departureId, quantity, unitSellCents: 5_900, ...item });
  if (status !== 'draft') expect((await client.post(`${BOOKINGS}/${made.id}/confirmation`)).status).toBe(200);
  if (paidCents > 0) await pay(client, made.id, paidCents);
  return made;
}

export async function pay(client: TestClient, bookingId: string, amountCents: number): Promise<void> {
  const paidOn = new Date().toISOString().slice(0, 10);
  const payment = { bookingId, method: 'bank_transfer', currency: 'EUR', amountCents, paidOn };
  expect((await client.post('/v1/admin/finance/payments', payment)).status).toBe(201);
}

export async function preview(client: TestClient, departureId: string, over: object = {}): Promise<Preview> {
  const { status, body } = await client.post<One<Preview>>(`${callOffsOf(departureId)}/preview`, callOffBody(over));
  expect(status).toBe(200);
  return body.data;
}

export async function callOff(client: TestClient, departureId: string, over: object = {}): Promise<CallOff> {
  const answer = await client.post<One<CallOff>>(callOffsOf(departureId), callOffBody(over));
  if (answer.status !== 202) throw new Error(`The call-off was rejected: ${answer.text}`);
  return answer.body.data;
}

/** Works on all running call-offs of the database in this process. */
export const runCallOffs = (app: TestApp) => asSystem(() => app.nest.get(CallOffRunner, { strict: false }).resumeAll());

export async function readCallOff(client: TestClient, { departureId, id }: CallOff): Promise<CallOff> {
  return (await client.get<One<CallOff>>(`${callOffsOf(departureId)}/${id}`)).body.data;
}

/** Waits until the call-off has ended. */
export async function ended(client: TestClient, started: CallOff): Promise<CallOff> {
  for (;;) {
    const callOff = await readCallOff(client, started);
    if (callOff.status !== 'running') return callOff;
    await pause(50);
  }
}

/** A call-off in this state, of which the only booking was kept; its item is pending if `isPending`, otherwise it failed. */
export async function callOffIn(
  app: TestApp,
  status: 'running' | 'paused' | 'completed_with_failures',
  { isPending = false }: { isPending?: boolean } = {},
): Promise<{ id: string; callOffId: string; itemId: string }> {
  const owner = app.as('owner');
  const { id } = await newDeparture(app);
  await soldBooking(owner, id, { booking: { customerEmail: null } });
  const started = await callOff(owner, id, { default: { action: 'keep' } });
  const callOffId = started.id;
  await asSystem(() => app.nest.get(CallOffRunner, { strict: false }).run(callOffId));
  await ended(owner, started);
  const endedAt = status === 'completed_with_failures' ? 'now()' : 'null';
  await app.sql(`update call_offs set status = $2, ended_at = ${endedAt} where id = $1`, [callOffId, status]);
  const [item] = await app.sql<{ id: string }>(
    `update call_off_items set status = $2, code = $3, ended_at = ${isPending ? 'null' : 'now()'}
     where call_off_id = $1 returning id`,
    [callOffId, isPending ? 'pending' : 'failed', isPending ? null : 'capacity_exceeded'],
  );
  return { id, callOffId, itemId: item?.id ?? '' };
}

export async function itemsOf(client: TestClient, { departureId, id }: CallOff, query = ''): Promise<CallOffItem[]> {
  const url = `${callOffsOf(departureId)}/${id}/items?limit=200${query}`;
  const { status, body } = await client.get<Page<CallOffItem>>(url);
  expect(status).toBe(200);
  return body.data;
}
