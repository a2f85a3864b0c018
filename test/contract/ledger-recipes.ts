import { randomUUID } from 'node:crypto';
import type { TestApp } from '../setup/app.js';

export interface Subject {
  type: string;
  id: string;
}

/** One successful call of a route: where to, with what, and what its entry is about. */
export interface Prepared {
  token?: string;
  /** Path parameters by name. */
  parameters?: Record<string, string>;
  body?: object;
  /** The subject, which sometimes only the answer tells; null: the call changes nothing. */
  subject: ((answer: Row) => Subject | Promise<Subject>) | null;
}

type Recipe = (app: TestApp) => Promise<Prepared>;

/** Whatever an answer holds about the thing, unwrapped. */
export interface Row {
  id: string;
  [member: string]: unknown;
}

const CHANNELS = '/v1/admin/distribution/channels';
const CONTRACTS = '/v1/admin/legal/contracts';
const INVOICES = '/v1/admin/finance/supplier-invoices';
const USERS = '/v1/admin/identity/users';
const TOKENS = '/v1/admin/identity/api-tokens';
const SESSIONS = '/v1/admin/identity/sessions';
const CLIENTS = '/connect/v1/operators/{operatorId}/oauth-clients';

/** How to make a successful call of every mutating route of the staff and connect surfaces. */
export const recipes: Record<string, Recipe> = {
  [`POST ${CHANNELS}`]: async (app) => ({ ...staff(app), body: channel(), subject: made('channel') }),
  [`PATCH ${CHANNELS}/{id}`]: async (app) => {
    const { id } = await post(app, CHANNELS, channel());
    return { ...staff(app), ...on('channel', id), body: { description: 'Changed' } };
  },

  [`POST ${CONTRACTS}`]: async (app) => ({ ...staff(app), body: contract(), subject: made('contract') }),
  [`PATCH ${CONTRACTS}/{id}`]: async (app) => {
    const { id } = await post(app, CONTRACTS, contract());
    return { ...staff(app), ...on('contract', id), body: { title: 'Changed' } };
  },
  [`POST ${CONTRACTS}/{id}/issuance`]: async (app) => {
    const { id } = await post(app, CONTRACTS, contract());
    return { ...staff(app), ...on('contract', id) };
  },
  [`POST ${CONTRACTS}/{id}/dispatch`]: async (app) => {
    const { id } = await post(app, CONTRACTS, contract());
    await post(app, `${CONTRACTS}/${id}/issuance`);
    return { ...staff(app), ...on('contract', id), body: { recipientEmail: 'clara@example.com' } };
  },
  [`POST ${CONTRACTS}/{id}/voiding`]: async (app) => {
    const { id } = await post(app, CONTRACTS, contract());
    return { ...staff(app), ...on('contract', id), body: { reason: 'Called off' } };
  },

  [`POST ${INVOICES}`]: async (app) => ({ ...staff(app), body: invoice(), subject: made('supplier_invoice') }),
  [`PATCH ${INVOICES}/{id}`]: async (app) => {
    const { id } = await post(app, INVOICES, invoice());
    return { ...staff(app), ...on('supplier_invoice', id), body: { notes: 'Changed' } };
  },
  [`POST ${INVOICES}/{id}/approval`]: async (app) => {
    const { id } = await post(app, INVOICES, invoice());
    return { ...staff(app), ...on('supplier_invoice', id) };
  },
  [`POST ${INVOICES}/{id}/reopening`]: async (app) => {
    const { id } = await post(app, INVOICES, invoice());
    await post(app, `${INVOICES}/${id}/approval`);
    return { ...staff(app), ...on('supplier_invoice', id), body: { reason: 'Wrong supplier' } };
  },
  [`POST ${INVOICES}/{id}/voiding`]: async (app) => {
    const { id } = await post(app, INVOICES, invoice());
    return { ...staff(app), ...on('supplier_invoice', id), body: { reason: 'Not ours' } };
  },

  [`POST ${USERS}`]: async (app) => ({ ...staff(app), body: user(), subject: made('user') }),
  [`PATCH ${USERS}/{id}`]: async (app) => {
    const { id } = await post(app, USERS, user());
    return { ...staff(app), ...on('user', id), body: { name: 'Changed' } };
  },
  [`POST ${TOKENS}`]: async (app) => ({ ...staff(app), body: apiToken(), subject: made('api_token') }),
  [`DELETE ${TOKENS}/{id}`]: async (app) => {
    const { id } = await post(app, TOKENS, apiToken());
    return { ...staff(app), ...on('api_token', id) };
  },
  [`POST ${SESSIONS}`]: async (app) => {
    const { email, password } = app.credentials.staff;
    return { body: { email, password }, subject: (opened) => sessionOf(app, String(opened['token'])) };
  },
  [`DELETE ${SESSIONS}/current`]: async (app) => {
    const token = await login(app);
    return { token, subject: () => sessionOf(app, token) };
  },
  [`DELETE ${SESSIONS}/{id}`]: async (app) => {
    const [ended, token] = [await sessionOf(app, await login(app)), await login(app)];
    return { token, ...on(ended.type, ended.id) };
  },

  [`POST ${CLIENTS}`]: async (app) => ({
    ...platform(app),
    body: { scopes: ['connect:bookings:read'] },
    subject: made('oauth_client'),
  }),
  [`DELETE ${CLIENTS}/{clientId}`]: async (app) => {
    const { id, clientId } = await newClient(app);
    const { token, parameters } = platform(app);
    return {
      token,
      parameters: { ...parameters, clientId: String(clientId) },
      subject: () => ({ type: 'oauth_client', id }),
    };
  },
  'PATCH /connect/v1/connector-providers/{providerKey}': async (app) => ({
    ...platform(app),
    body: { applicationFormSchema: { type: 'object' } },
    subject: () => ({ type: 'connector_provider', id: app.credentials.providerKey }),
  }),
  'POST /connect/v1/oauth/token': async (app) => {
    const { clientId, clientSecret } = await newClient(app);
    const body = { grant_type: 'client_credentials', client_id: clientId, client_secret: clientSecret };
    return { body, subject: null };
  },
};

const channel = () => ({ name: `Channel ${randomUUID()}` });
const contract = () => ({ title: 'Travel contract', body: '<p>Seven days.</p>' });
const user = () => ({
  email: `${randomUUID()}@example.com`,
  name: 'Somebody',
  roles: ['viewer'],
  password: 'a long sentence of their own',
});
const apiToken = () => ({ name: 'Of a test', scopes: ['finance:read'] });
const invoice = () => ({
  supplierName: 'Hotel Bellevue',
  invoiceNumber: randomUUID(),
  currency: 'EUR',
  totalCents: 10_000,
  issueDate: '2027-01-31',
});

const made = (type: string) => (answer: Row) => ({ type, id: answer.id });
const on = (type: string, id: string) => ({ parameters: { id }, subject: () => ({ type, id }) });

function staff(app: TestApp): { token: string } {
  return { token: app.credentials.staff.token };
}

function platform(app: TestApp): { token: string; parameters: Record<string, string> } {
  const { platformKey: token, operatorId, providerKey } = app.credentials;
  return { token, parameters: { operatorId, providerKey } };
}

/** What an answer is about: `{data}` on the staff surface, the thing itself on connect. */
export function unwrapped(body: Row | { data: Row }): Row {
  return 'data' in body ? (body.data as Row) : body;
}

async function post(app: TestApp, path: string, body?: object): Promise<Row> {
  const answer = await app.as('owner').post<{ data: Row }>(path, body);
  if (answer.status >= 300) throw new Error(`POST ${path} was refused: ${answer.text}`);
  return answer.body.data;
}

async function login(app: TestApp): Promise<string> {
  const { email, password } = app.credentials.staff;
  return String((await post(app, SESSIONS, { email, password }))['token']);
}

async function newClient(app: TestApp): Promise<Row> {
  const path = `/connect/v1/operators/${app.credentials.operatorId}/oauth-clients`;
  const answer = await app.as('platform').post<Row>(path, { scopes: ['connect:bookings:read'] });
  if (answer.status >= 300) throw new Error(`POST ${path} was refused: ${answer.text}`);
  return answer.body;
}

/** The session behind a token `vss_<public id>_<secret>`. */
async function sessionOf(app: TestApp, token: string): Promise<Subject> {
  const [row] = await app.sql<{ id: string }>('select id from staff_sessions where public_id = $1', [
    token.split('_')[1],
  ]);
  return { type: 'staff_session', id: row?.id ?? 'unknown' };
}
