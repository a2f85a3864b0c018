import { expect } from '@jest/globals';
import type { TestClient } from '../../setup/client.js';

export const PATH = '/v1/admin/finance/invoice-number-series';

/** The members of a series that the tests read; the contract tests check the others. */
export interface Series extends Record<string, unknown> {
  id: string;
  prefix: string;
  nextNumber: number;
  pattern: string;
  isDefault: boolean;
  active: boolean;
  warnings: string[];
  version: number;
}

export interface Envelope {
  data: Series;
}

let made = 0;

/** The body of a series whose numbers no other series produces. */
export function body(over: Record<string, unknown> = {}): Record<string, unknown> {
  made += 1;
  return { name: `Series ${made}`, prefix: `T${made}-`, isDefault: false, ...over };
}

export async function makeSeries(client: TestClient, over: Record<string, unknown> = {}): Promise<Series> {
  const { status, body: answer } = await client.post<Envelope>(PATH, body(over));
  expect(status).toBe(201);
  return answer.data;
}

export async function readSeries(client: TestClient, id: string): Promise<Series> {
  const { status, body: answer } = await client.get<Envelope>(`${PATH}/${id}`);
  expect(status).toBe(200);
  return answer.data;
}
