import { expect } from '@jest/globals';
import type { TestApp } from '../../setup/app.js';
import type { TestClient } from '../../setup/client.js';

export const INTEGRITY = '/v1/admin/finance/integrity';

export interface Check {
  name: string;
  rule: string;
  violations: number;
  examples: { subjectType: string; subjectId: string; expectedCents: string; actualCents: string }[];
}

export interface Integrity {
  conserved: boolean;
  checkedAt: string;
  checks: Check[];
}

/** The current report, not the stored one. */
export async function verify(client: TestClient): Promise<Integrity> {
  const { status, body } = await client.get<{ data: Integrity }>(INTEGRITY);
  expect(status).toBe(200);
  return body.data;
}

/** Changes rows of a table without the service and with its triggers disabled. */
export async function tamper(app: TestApp, table: string, change: string): Promise<void> {
  await app.sql(`alter table ${table} disable trigger user; ${change}; alter table ${table} enable trigger user`);
}

/** The violated rules and the resources that violate them. */
export function broken({ checks }: Integrity): Record<string, Check['examples']> {
  const found = checks.filter(({ violations }) => violations > 0);
  return Object.fromEntries(found.map(({ name, examples }) => [name, examples]));
}

export function entry(subjectType: string, subjectId: string, [expected, actual]: readonly [number, number]) {
  return [{ subjectType, subjectId, expectedCents: String(expected), actualCents: String(actual) }];
}
