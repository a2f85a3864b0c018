import { expect } from '@jest/globals';
import type { TestApp } from '../setup/app.js';
import type { Answer } from '../setup/http.js';
import { CHANNELS, ENTRIES, type Entry, newChannel, page } from './ledger.js';

export type Detail = Entry & { before: object | null; after: object | null; failure: string | null };

export interface Preview {
  entryId: string;
  possible: boolean;
  refusal: { code: string; message: string; details: object } | null;
  outcome: string | null;
  before: object | null;
  after: object | null;
}

export interface ErrorBody {
  error: string;
  code: string;
  requestId: string;
  details: Record<string, unknown>;
}

export const REASON = 'Done by mistake';

/** Creates a channel with an update that removed something. */
export async function changedChannel(app: TestApp): Promise<string> {
  const id = await newChannel(app, { contactName: 'Petra Keller', metadata: { region: 'DACH' } });
  await app.as('owner').patch(`${CHANNELS}/${id}`, { contactName: null, metadata: null, status: 'inactive' });
  return id;
}

/** Returns the subject's newest entry with this action. */
export async function entryOf(app: TestApp, subjectId: string, action: string): Promise<Entry> {
  const [entry] = (await page(app, { subjectId, action, limit: 1 })).data;
  if (!entry) throw new Error(`${subjectId} has no entry ${action}`);
  return entry;
}

export function reverse(app: TestApp, id: string): Promise<Answer<{ data: Detail } & ErrorBody>> {
  return app.as('owner').post(`${ENTRIES}/${id}/reversals`, { reason: REASON });
}

export async function preview(app: TestApp, id: string): Promise<Preview> {
  const answer = await app.as('owner').get<{ data: Preview }>(`${ENTRIES}/${id}/reversal-preview`);
  expect([answer.status, answer.text]).toEqual([200, answer.text]);
  return answer.body.data;
}

/** Reverses the subject's newest entry with this action, expects the preview to match, and returns the reversal. */
export async function reversed(app: TestApp, subjectId: string, action: string): Promise<Detail> {
  const entry = await entryOf(app, subjectId, action);
  const { reversible } = entry;
  const { possible, refusal } = await preview(app, entry.id);
  expect({ reversible, possible, refusal }).toEqual({ reversible: true, possible: true, refusal: null });
  const answer = await reverse(app, entry.id);
  expect([answer.status, answer.text]).toEqual([201, answer.text]);
  return answer.body.data;
}

/**
 * Returns the reason that blocks the reversal of the subject's newest entry with this action, as in the error and in the
 * preview.
 */
export async function blocked(app: TestApp, subjectId: string, action: string): Promise<Record<string, unknown>> {
  const entry = await entryOf(app, subjectId, action);
  const { refusal } = await preview(app, entry.id);
  const answer = await reverse(app, entry.id);
  expect([answer.status, answer.body.code]).toEqual([409, 'reversal_conflict']);
  expect(refusal).toEqual({ code: answer.body.code, message: answer.body.error, details: answer.body.details });
  expect((await entryOf(app, subjectId, action)).reversedByEntryId).toBeNull();
  return answer.body.details;
}

/** Omits the members that change with time and version, to compare the rest. */
export function itself<T extends { version: number; updatedAt?: string }>(thing: T): Omit<T, 'version' | 'updatedAt'> {
  const { version: _version, updatedAt: _updatedAt, ...rest } = thing;
  return rest;
}
