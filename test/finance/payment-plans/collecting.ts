import { expect } from '@jest/globals';
import type { TestApp } from '../../setup/app.js';
import type { TestClient } from '../../setup/client.js';
import { planPath } from './plans.js';

interface CollectionEntry {
  scheduleId: string | null;
  type: string;
  label: string;
  dueDate: string;
  amountCents: number;
  paidCents: number;
  status: string;
  basis: string;
}

/** The members of a collection plan that the tests read; the contract tests check the others. */
export interface Plan extends Record<string, unknown> {
  entries: CollectionEntry[];
  materialized: boolean;
  warnings: string[];
}

export async function collect(client: TestClient, bookingId: string, body?: object): Promise<Plan> {
  const { status, body: answer } = await client.post<{ data: Plan }>(planPath(bookingId), body);
  expect(status).toBe(200);
  return answer.data;
}

export const preview = (client: TestClient, bookingId: string, over: object = {}) =>
  collect(client, bookingId, { materialize: false, ...over });

export const dues = ({ entries }: Plan) => entries.map(({ amountCents, dueDate }) => `${amountCents} on ${dueDate}`);

/** The number of plans of the booking. */
export async function stored(app: TestApp, bookingId: string): Promise<number> {
  return (await app.sql('select from payment_plans where booking_id = $1', [bookingId])).length;
}
