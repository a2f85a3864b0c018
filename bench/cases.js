import { randomUUID } from 'node:crypto';
import { invoiceCases } from './invoice-cases.js';
import { tripCases } from './trip-cases.js';

const INVOICES = '/v1/admin/finance/supplier-invoices';
const CHANNELS = '/v1/admin/distribution/channels';
const RULES = '/v1/admin/notifications/reminder-rules';
const OPERATORS = '/v1/admin/operations/operators';
const JSON_TYPE = { 'content-type': 'application/json' };
const ROWS = 64;

/** Each case prepares its rows and returns the requests to the service and to the floors that it is compared with. */
export const cases = [
  { name: 'create supplier invoice', prepare: async (world) => create(world, () => ({})) },
  {
    name: 'create, with Idempotency-Key',
    prepare: async (world) => create(world, () => ({ 'idempotency-key': randomUUID() })),
  },
  {
    name: 'create distribution channel',
    prepare: async (world) => ({
      service: () => send(`POST ${CHANNELS}`, staff(world), newChannel()),
      nest: () => send('POST /save', {}, newChannel()),
    }),
  },
  {
    name: 'compose reminder rule',
    prepare: async (world) => ({
      service: () => send(`POST ${RULES}/compose`, staff(world), newRule()),
      nest: () => send('POST /save', {}, newChannel()),
    }),
  },
  {
    name: 'get supplier invoice',
    prepare: async (world) => {
      const ids = await invoiceIds(world);
      return {
        service: () => get(`${INVOICES}/${any(ids)}`, staff(world)),
        bare: () => get(`/one?${any(ids)}`),
        nest: () => get(`/one/${any(ids)}`),
      };
    },
  },
  {
    name: 'list 50 supplier invoices',
    prepare: async (world) => {
      await invoiceIds(world);
      return { service: () => get(`${INVOICES}?limit=50`, staff(world)), bare: () => get('/list') };
    },
  },
  {
    name: 'list 50 ground operators',
    prepare: async (world) => {
      const ids = await invoiceIds(world);
      await Promise.all(ids.map((id) => call(world, send(`POST ${OPERATORS}`, staff(world), newOperator(id)))));
      return { service: () => get(`${OPERATORS}?limit=50`, staff(world)), nest: () => get(`/one/${any(ids)}`) };
    },
  },
  {
    name: 'patch supplier invoice',
    prepare: async (world) => {
      const ids = await invoiceIds(world);
      return {
        service: () => send(`PATCH ${INVOICES}/${any(ids)}`, staff(world), { notes: randomUUID() }),
        bare: () => send(`POST /update?${any(ids)}`, {}, {}),
      };
    },
  },
  {
    name: 'vault encrypt 32 bytes',
    prepare: async (world) => {
      const body = { plaintext: 'P1234567'.repeat(4) };
      return {
        service: () => send(`POST /vault/v1/${world.credentials.vaultSlug}/encrypt`, platform(world), body),
        nest: () => send('POST /seal', {}, body),
      };
    },
  },
  {
    name: 'token introspection',
    prepare: async (world) => {
      const clients = `/connect/v1/operators/${world.credentials.operatorId}/oauth-clients`;
      const scopes = ['connect:bookings:read'];
      const client = await call(world, send(`POST ${clients}`, platform(world), { scopes }));
      const credentials = { client_id: client.clientId, client_secret: client.clientSecret };
      const grant = send('POST /connect/v1/oauth/token', {}, { ...credentials, grant_type: 'client_credentials' });
      const { access_token: token } = await call(world, grant);
      const body = { ...credentials, token };
      return {
        service: () => send('POST /connect/v1/oauth/introspect', {}, body),
        nest: () => send('POST /introspect', {}, body),
      };
    },
  },
  {
    name: 'publish to one of 16 channels',
    prepare: async (world) => {
      const path = () => `/realtime/v1/channels/bench.${Math.floor(Math.random() * 16)}/messages`;
      const body = { event: 'measured', data: { n: 1, text: 'twenty characters...' } };
      return {
        service: () => send(`POST ${path()}`, platform(world), body),
        bare: () => send('POST /insert', {}, {}),
      };
    },
  },
  {
    name: 'history, newest 100',
    prepare: async (world) => {
      const path = '/realtime/v1/channels/bench.0/messages';
      for (let n = 0; n < 100; n += 1)
        await call(world, send(`POST ${path}`, platform(world), { event: 'measured', data: { n } }));
      return { service: () => get(path, platform(world)), bare: () => get('/history?bench.0') };
    },
  },
  {
    name: 'languages, all 184',
    prepare: async (world) => ({
      service: () => get('/data/geo/v1/reference/languages', platform(world)),
      nest: () => send('POST /seal', {}, {}),
    }),
  },
  ...invoiceCases,
  ...tripCases,
];

const staff = ({ credentials }) => ({ authorization: `Bearer ${credentials.staff.token}` });
const platform = ({ credentials }) => ({ authorization: `Bearer ${credentials.platformKey}` });
const any = (list) => list[Math.floor(Math.random() * list.length)];
const get = (path, headers = {}) => ({ method: 'GET', path, headers });
function send(operation, headers, body) {
  const [method, path] = operation.split(' ');
  return { method, path, headers: { ...headers, ...JSON_TYPE }, body: JSON.stringify(body) };
}

function newOperator(code) {
  return { name: 'Bench Transfers', code, contactName: 'Ioana Marin', serviceAreas: ['Tulcea', 'Constanta'] };
}

function newInvoice() {
  return {
    supplierName: 'Bench Hotels',
    invoiceNumber: randomUUID(),
    currency: 'EUR',
    totalCents: 10_000 + Math.floor(Math.random() * 90_000),
    issueDate: '2026-01-15',
  };
}

const newChannel = () => ({ name: randomUUID(), description: 'Resells tours', kind: 'reseller' });

function newRule() {
  const channels = [{ channel: 'email', templateSlug: 'balance-due' }];
  const stages = [{ offsetDays: -7, name: 'A week before', channels }];
  return { name: randomUUID(), trigger: 'balance_due', enabled: true, sendTime: '09:30', stages };
}

function create(world, headers) {
  return {
    service: () => send(`POST ${INVOICES}`, { ...staff(world), ...headers() }, newInvoice()),
    bare: () => send('POST /insert', {}, {}),
    nest: () => send('POST /save-invoice', {}, newInvoice()),
  };
}

async function invoiceIds(world) {
  const created = Array.from({ length: ROWS }, () => call(world, send(`POST ${INVOICES}`, staff(world), newInvoice())));
  return (await Promise.all(created)).map(({ data }) => data.id);
}

async function call({ url }, { method, path, headers, body }) {
  const answer = await fetch(url + path, { method, headers, body });
  if (!answer.ok) throw new Error(`${method} ${path} returned ${answer.status}: ${await answer.text()}`);
  return answer.json();
}
