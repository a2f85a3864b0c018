import { randomUUID } from 'node:crypto';
import type { TestApp } from '../setup/app.js';
import type { Answer } from '../setup/http.js';

export const RULES = '/v1/admin/notifications/reminder-rules';
export const COMPOSE = `${RULES}/compose`;

export interface Stage {
  id: string;
  ruleId: string;
  offsetDays: number;
  position: number;
  name: string | null;
  sendIfLateByHours: number;
  channels: Record<string, unknown>[];
}

export interface Rule {
  id: string;
  name: string;
  trigger: string;
  enabled: boolean;
  stages: Stage[];
  warnings: { code: string; path: string; message: string }[];
  planning: { requestedAt: string; finishedAt: string | null; targets: number; runs: number } | null;
  version: number;
  [member: string]: unknown;
}

export interface Issue {
  path: string;
  message: string;
  code: string;
}

export interface ErrorBody {
  error: string;
  code: string;
  requestId: string;
  details: { issues: Issue[]; fields: Record<string, string[]> };
}

/** Creates a rule with a unique name; `terms` contain the members that matter to the test. */
export const rule = (terms: object = {}) => ({
  name: `Rule ${randomUUID()}`,
  trigger: 'balance_due',
  stages: [{ offsetDays: -7, channels: [{ channel: 'email' }] }],
  ...terms,
});

export async function newRule(app: TestApp, terms: object = {}): Promise<Rule> {
  const answer: Answer<Rule> = await app.as('owner').post(COMPOSE, rule(terms));
  if (answer.status !== 201) throw new Error(`The rule was rejected: ${answer.text}`);
  return answer.body;
}

export async function readRule(app: TestApp, id: string): Promise<Rule> {
  return (await app.as('owner').get<{ data: Rule }>(`${RULES}/${id}`)).body.data;
}

export interface Run {
  id: string;
  bookingId: string;
  stage: string;
  runAt: string;
  ruleId: string;
  scheduleId: string | null;
  invoiceId: string | null;
  channel: string;
  recipient: string | null;
  status: string;
  reason: string | null;
  daysFromAnchor: number;
  attempts: number;
}

export const runsPath = (bookingId: string) => `/v1/admin/finance/bookings/${bookingId}/reminder-runs`;

/** The runs of a rule for a booking, the earliest first. */
export async function runsOf(app: TestApp, bookingId: string, ruleId: string): Promise<Run[]> {
  const { body } = await app.as('owner').get<{ data: Run[] }>(`${runsPath(bookingId)}?sort=runAt&limit=200`);
  return body.data.filter((run) => run.ruleId === ruleId);
}

/** Disables the rules of the demo data, so that a test has only its own. */
export async function onlyOwnRules(app: TestApp): Promise<void> {
  await app.sql('update reminder_rules set enabled = false');
}

export interface Message {
  id: string;
  kind: string;
  runId: string | null;
  contractReference: string | null;
  status: string;
  [member: string]: unknown;
}

/** The messages that were or would have been sent, newest first. */
export async function messagesOf(app: TestApp, runId?: string): Promise<Message[]> {
  const query = runId === undefined ? '' : `&runId=${runId}`;
  const path = `/v1/admin/notifications/messages?limit=200${query}`;
  return (await app.as('owner').get<{ data: Message[] }>(path)).body.data;
}
