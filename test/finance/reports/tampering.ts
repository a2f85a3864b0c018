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

/** Reads the current report, not the stored one. */
export async function verify(client: TestClient): Promise<Integrity> {
  const { status, body } = await client.get<{ data: Integrity }>(INTEGRITY);
  expect(status).toBe(200);
  return body.data;
}

/** The triggers that write histories, for tampering that should not be found by its missing version. */
export const HISTORIES: Readonly<Record<string, readonly string[]>> = {
  payment_schedules: ['payment_schedules_new_history', 'payment_schedules_history'],
  booking_items: ['booking_items_history'],
  bookings: ['bookings_status_history'],
};

/** A change by SQL; `kept` are the triggers of its tables that stay enabled. */
interface Change {
  sql: string;
  kept: Readonly<Record<string, readonly string[]>> | undefined;
}

/** Triggers that fill required columns stay enabled. */
const FILLING: Readonly<Record<string, readonly string[]>> = { invoices: ['invoices_search_text'] };

/** Changes rows of tables without the service and with their triggers disabled. */
export async function tamper(app: TestApp, tables: string | readonly string[], change: string | Change): Promise<void> {
  const { sql, kept = {} } = typeof change === 'string' ? { sql: change } : change;
  const names = [tables].flat();
  const disabled = names.map((table) => `alter table ${table} disable trigger user`);
  const enabled = names.flatMap((table) =>
    [...(FILLING[table] ?? []), ...(kept[table] ?? [])].map(
      (trigger) => `alter table ${table} enable trigger ${trigger}`,
    ),
  );
  const restored = names.map((table) => `alter table ${table} enable trigger user`);
  await app.sql([...disabled, ...enabled, sql, ...restored].join('; '));
}

export interface Tampering {
  tables: readonly string[];
  change: string;
  restore: string;
  kept?: Readonly<Record<string, readonly string[]>>;
}

/** Returns the rules that are violated between a change and its restoration; none may be violated before and after. */
export async function violatedBy(app: TestApp, client: TestClient, tampering: Tampering) {
  const { tables, change, restore, kept } = tampering;
  expect(broken(await verify(client))).toEqual({});
  await tamper(app, tables, { sql: change, kept });
  const found = broken(await verify(client));
  await tamper(app, tables, { sql: restore, kept });
  expect(broken(await verify(client))).toEqual({});
  return found;
}

/** The violated rules and the resources that violate them. */
export function broken({ checks }: Integrity): Record<string, Check['examples']> {
  const found = checks.filter(({ violations }) => violations > 0);
  return Object.fromEntries(found.map(({ name, examples }) => [name, examples]));
}

export function entry(
  subjectType: string,
  subjectId: string,
  [expected, actual]: readonly [number | string, number | string],
) {
  return [{ subjectType, subjectId, expectedCents: String(expected), actualCents: String(actual) }];
}
