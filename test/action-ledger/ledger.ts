import { expect } from '@jest/globals';
import { type CommandResult, runCommand } from '../identity/command.js';
import type { TestApp } from '../setup/app.js';
import type { Answer } from '../setup/http.js';

export const ENTRIES = '/v1/admin/action-ledger/entries';
export const CHANNELS = '/v1/admin/distribution/channels';

export interface Entry {
  id: string;
  sequence: number;
  action: string;
  subjectType: string;
  subjectId: string;
  actorType: string;
  actorId: string;
  reason: string | null;
  reversesEntryId: string | null;
  reversedByEntryId: string | null;
  recordedByEntryId: string | null;
  reversible: boolean;
  state: string | null;
  outcome: string | null;
  correlationId: string;
  serverRequestId: string;
  createdAt: string;
}

export interface EntryPage {
  data: Entry[];
  nextCursor: string | null;
}

export interface Issue {
  path: string;
  message: string;
  code: string;
}

let made = 0;

/** A text that no other row of this database contains. */
export function unique(text: string): string {
  made += 1;
  return `${text} ${process.hrtime.bigint().toString(36)}-${made}`;
}

/** Creates a channel and returns its id. */
export async function newChannel(app: TestApp, terms: object = {}): Promise<string> {
  const answer = await app.as('owner').post<{ data: { id: string } }>(CHANNELS, { name: unique('Channel'), ...terms });
  if (answer.status !== 201) throw new Error(`The channel was refused: ${answer.text}`);
  return answer.body.data.id;
}

/** Creates a channel with this number of entries: its creation and updates. They share one chain. */
export async function channelWithEntries(app: TestApp, count: number): Promise<string> {
  const id = await newChannel(app);
  for (let n = 2; n <= count; n += 1) await app.as('owner').patch(`${CHANNELS}/${id}`, { description: `Change ${n}` });
  return id;
}

/** Creates a channel whose entries are in another chain: the chain of a random id is this one in 1 of 64 runs. */
export async function newChannelOutsideChain(app: TestApp, chain: number): Promise<string> {
  for (;;) {
    const id = await newChannel(app);
    const [created] = await placesOf(app, id);
    if (created?.chain !== chain) return id;
  }
}

/** Reads a page of the ledger; throws if the request is rejected. */
export async function page(app: TestApp, query: Record<string, string | number>): Promise<EntryPage> {
  const answer = await app.as('owner').get<EntryPage>(`${ENTRIES}?${search(query)}`);
  if (answer.status !== 200) throw new Error(`The list was refused: ${answer.text}`);
  return answer.body;
}

/** Reads all matching entries page by page, newest first. */
export async function walk(app: TestApp, query: Record<string, string | number>): Promise<Entry[]> {
  const found: Entry[] = [];
  let cursor: string | null = null;
  do {
    const { data, nextCursor }: EntryPage = await page(app, cursor === null ? query : { ...query, cursor });
    found.push(...data);
    cursor = nextCursor;
  } while (cursor !== null);
  return found;
}

export function search(query: Record<string, string | number>): string {
  const texts = Object.entries(query).map(([name, value]): [string, string] => [name, String(value)]);
  return new URLSearchParams(texts).toString();
}

/** Returns the whole body of an error with these issues. */
export function invalid(answer: Answer, issues: Issue[]): object {
  const fields: Record<string, string[]> = {};
  for (const { path, message } of issues) (fields[path] ??= []).push(message);
  return {
    error: 'The request is invalid',
    code: 'invalid_request',
    requestId: answer.headers['x-request-id'],
    details: { issues: issues.map((one) => expect.objectContaining({ ...one }) as object), fields },
  };
}

/** Returns the position of an entry in its chain. */
export interface Place {
  id: string;
  chain: number;
  position: number;
}

/** Returns the positions of a subject's entries, oldest first. */
export function placesOf(app: TestApp, subjectId: string): Promise<Place[]> {
  const columns = 'id, chain, position::int as position';
  return app.sql(`select ${columns} from action_ledger_entries where subject_id = $1 order by sequence`, [subjectId]);
}

/**
 * Runs `platform ledger verify` on the database of this worker. Its progress is omitted: the command shows it after a second, and
 * a loaded machine takes longer.
 */
export async function verifyByCommand(): Promise<CommandResult> {
  const { code, output } = await runCommand(['ledger', 'verify']);
  return { code, output: output.replace(/^verifying the ledger .*\n/, '') };
}
