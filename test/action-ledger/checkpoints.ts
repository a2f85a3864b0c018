import { readFileSync, writeFileSync } from 'node:fs';
import pg from 'pg';
import { LedgerCheckpoints } from '../../src/modules/action-ledger/index.js';
import { asSystem } from '../../src/platform/context/request-context.js';
import type { TestApp } from '../setup/app.js';

const VERIFY = '/v1/admin/action-ledger/verify';

export interface Finding {
  code: string;
  chain: number | null;
  position: number | null;
  entryId: string | null;
  message: string;
}

export interface Verified {
  intact: boolean;
  entries: number;
  erasedPayloads: number;
  breaks: { chain: number; position: number; entryId: string | null; fault: string }[];
  findings: Finding[];
  checkpoints: number;
  newestCheckpointAt: string | null;
}

const FILE = () => process.env['LEDGER_CHECKPOINT_FILE'] ?? '';

/** The result of the route. */
export async function verified(app: TestApp): Promise<Verified> {
  const { status, body, text } = await app.as('owner').get<{ data: Verified }>(VERIFY);
  if (status !== 200) throw new Error(`The verification answered ${status} ${text}`);
  return body.data;
}

export async function codesOf(app: TestApp): Promise<string[]> {
  const { breaks, findings } = await verified(app);
  return [...breaks.map(({ fault }) => fault), ...findings.map(({ code }) => code)];
}

/** Signs the heads now. */
export function checkpoint(app: TestApp, restored: string | null = null): Promise<void> {
  return asSystem(() => app.nest.get(LedgerCheckpoints).write({ restored }));
}

export function readLines(): string[] {
  return readFileSync(FILE(), 'utf8').trimEnd().split('\n');
}

export function writeLines(lines: readonly string[]): void {
  writeFileSync(FILE(), lines.map((line) => `${line}\n`).join(''));
}

/** Runs a statement with the role of the service. */
export async function asService(text: string, values: unknown[] = []): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: process.env['DATABASE_URL'] });
  await client.connect();
  try {
    return (await client.query<object>(text, values)).rows;
  } finally {
    await client.end();
  }
}
