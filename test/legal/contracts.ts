import { setTimeout } from 'node:timers/promises';
import type { TestApp } from '../setup/app.js';
import type { Answer } from '../setup/http.js';

export const CONTRACTS = '/v1/admin/legal/contracts';
export const PUBLIC = '/v1/public/legal/contracts';

export interface Contract {
  id: string;
  reference: string;
  title: string;
  status: string;
  contractNumber: string | null;
  body: string;
  bodySha256: string | null;
  language: string;
  recipientEmail: string | null;
  version: number;
  [member: string]: unknown;
}

export type ContractAnswer = Answer<{ data: Contract; error?: string; code?: string; requestId?: string }>;

/** A new draft; `terms` contain the members that matter to the test. */
export async function draft(app: TestApp, terms: object = {}): Promise<Contract> {
  const body = { title: 'Travel contract', body: '<p>Seven days.</p>', ...terms };
  const answer = await app.as('owner').post<{ data: Contract }>(CONTRACTS, body);
  if (answer.status !== 201) throw new Error(`The draft was rejected: ${answer.text}`);
  return answer.body.data;
}

export function issue(app: TestApp, id: string): Promise<ContractAnswer> {
  return app.as('owner').post(`${CONTRACTS}/${id}/issuance`);
}

export function dispatch(app: TestApp, id: string, body?: object): Promise<ContractAnswer> {
  return app.as('owner').post(`${CONTRACTS}/${id}/dispatch`, body);
}

export function declareVoid(app: TestApp, id: string, reason = 'Called off'): Promise<ContractAnswer> {
  return app.as('owner').post(`${CONTRACTS}/${id}/voiding`, { reason });
}

export function withdraw(app: TestApp, id: string, body: object = {}): Promise<ContractAnswer> {
  return app.as('owner').post(`${CONTRACTS}/${id}/withdrawal`, body);
}

const MADE = {
  draft: async () => undefined,
  issued: (app: TestApp, id: string) => issue(app, id),
  sent: async (app: TestApp, id: string) => {
    await issue(app, id);
    return dispatch(app, id, { recipientEmail: 'clara@example.com' });
  },
  void: (app: TestApp, id: string) => declareVoid(app, id),
  signed: async (app: TestApp, id: string) => {
    await MADE.sent(app, id);
    await app.sql(
      `update contracts set status = 'signed', signed_at = now(), signed_statement = 'I agree.' where public_id = $1`,
      [id],
    );
  },
  /** No operation reaches this state yet; it is visible already. */
  executed: async (app: TestApp, id: string) => {
    await MADE.sent(app, id);
    await app.sql(`update contracts set status = 'executed' where public_id = $1`, [id]);
  },
  expired: async (app: TestApp, id: string) => {
    await issue(app, id);
    const expire = `update contracts set status = 'expired', expires_at = now(), expired_at = now() where public_id = $1`;
    await app.sql(expire, [id]);
  },
};

export type Status = keyof typeof MADE;

/** A contract in this state. */
export async function contractIn(app: TestApp, status: Status, terms: object = {}): Promise<Contract> {
  const { id } = await draft(app, terms);
  await MADE[status](app, id);
  return read(app, id);
}

export async function read(app: TestApp, id: string): Promise<Contract> {
  return (await app.as('owner').get<{ data: Contract }>(`${CONTRACTS}/${id}`)).body.data;
}

async function referenceOf(app: TestApp, id: string): Promise<string> {
  return (await read(app, id)).reference;
}

/** The ledger entries of a contract, oldest first, with before and after. */
export async function ledgerOf(app: TestApp, id: string): Promise<Record<string, unknown>[]> {
  const entries = '/v1/admin/action-ledger/entries';
  const query = `subjectType=contract&subjectId=${await referenceOf(app, id)}&limit=200`;
  const { body } = await app.as('owner').get<{ data: { id: string }[] }>(`${entries}?${query}`);
  const details = body.data.map((entry) =>
    app.as('owner').get<{ data: Record<string, unknown> }>(`${entries}/${entry.id}`),
  );
  return (await Promise.all(details)).map((answer) => answer.body.data).reverse();
}

interface ContractEvent {
  event: string;
  data: { id?: string; contractReference: string; contractNumber: string | null; version: number };
}

/** The messages about a contract on `legal.contracts`, as soon as there are `count`; the relay needs a moment. */
export async function eventsOf(app: TestApp, id: string, count: number): Promise<ContractEvent[]> {
  const reference = await referenceOf(app, id);
  const history = '/realtime/v1/channels/legal.contracts/messages?limit=1000';
  for (let attempt = 0; ; attempt += 1) {
    const { body } = await app.as('platform').get<ContractEvent[]>(history);
    // The relay adds the id of the event, by which a consumer recognises duplicates.
    const own = body
      .filter(({ data }) => data.contractReference === reference)
      .map(({ event, data: { id: _eventId, ...data } }) => ({ event, data }));
    if (own.length >= count) return own;
    if (attempt === 100) throw new Error(`Only ${own.length} of ${count} events of ${id} came`);
    await setTimeout(50);
  }
}

/** The mails for a contract, oldest first. */
export async function mailsOf(app: TestApp, id: string): Promise<object[]> {
  const reference = await referenceOf(app, id);
  return app.sql(
    'select recipient, subject, text from notification_messages where contract_id = $1 order by created_at, id',
    [reference],
  );
}

/** A staff token of the owner with these scopes only. */
export async function tokenWith(app: TestApp, scopes: string[]): Promise<string> {
  const body = { name: 'Test', scopes };
  const created = await app.as('owner').post<{ data: { token: string } }>('/v1/admin/identity/api-tokens', body);
  return created.body.data.token;
}

export function travelTo(app: TestApp, instant: string): void {
  app.travel({ ms: Date.parse(instant) - app.now().getTime() });
}
