import { beforeAll, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { Agent } from 'node:http';
import { join } from 'node:path';
import { asSystem } from '../../src/platform/context/request-context.js';
import { IntegrityService } from '../../src/modules/finance/reports/integrity.service.js';
import { PLATFORM_SCOPES } from '../../src/platform/auth/scopes.js';
import { confirmedBooking } from '../bookings/bookings.js';
import { newKey, provision } from '../connect/partners.js';
import { operationsOf, type Placed, readDocument, resolved } from '../contract/served-document.js';
import { isPublic, needsSubscription } from '../fuzz/draft.js';
import { exampleBody, exampleParameters } from '../fuzz/example.js';
import { Document } from '../fuzz/schema.js';
import { received } from '../finance/payments/bookings.js';
import { invoicing } from '../finance/payments/invoiced.js';
import { recorded } from '../finance/payments/payments.js';
import { hire, makeToken, SESSIONS } from '../identity/staff.js';
import { subscriptionToken } from '../realtime/subscriptions.js';
import { bodyFor, nameOf, pathWith, surfaceOf } from '../security/calls.js';
import { startApp, type TestApp } from '../setup/app.js';
import { send } from '../setup/http.js';
import { Bystander, type Errand, type Served } from './bursts/bystander.js';
import { LISTED_OPERATIONS, unexpectedAnswers } from './bursts/expected-answers.js';
import { MeasuredProcess } from './request-cost/measured-process.js';

/** `npm run test:system -- --full test/system/bursts` sends each burst three times. */
const REPETITIONS = process.env.FULL_TESTS === 'true' ? 3 : 1;
const IN_FLIGHT = 40;
const BOOKINGS = 20_000;
/** Bookings with an issued invoice and a payment. */
const INVOICED = 4_000;
const MOST_SLOWED = 10;
const WITHIN_MS = 360_000 * REPETITIONS;
/** Reads come first and deletions last, so that no request deletes rows that a later one needs. */
const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];
/** Bursts of reads on the control. */
const CONTROL_BURSTS = 15;
/** The service may close the connection of a caller that exceeds its limits. */
const CLOSED = { status: 0, body: undefined };
/** These operations need further scopes: those that they grant, those of the action that they reverse, or those of the records that they name. */
const NEED_ALL_SCOPES = new Set([
  ...['attachments_create', 'attachments_delete', 'attachments_download', 'attachments_get', 'attachments_upload'],
  ...['bookings_dispatch', 'invoices_dispatch', 'notificationMessages_create', 'recordDocuments_dispatch'],
  ...['recordDocuments_create', 'recordDocuments_download', 'recordDocuments_get'],
  'waitingEntries_accept',
  ...['callOffs_create', 'callOffs_preview', 'callOffs_updateItem', 'callOffs_pause', 'callOffs_resume'],
  ...['callOffs_retry', 'callOffs_abandon'],
  ...['apiTokens_create', 'grants_create', 'grants_update', 'invitations_create', 'invitations_resend'],
  ...['clientSecrets_list', 'clientSecrets_revoke', 'clientSecrets_rotate'],
  ...['connectorProviders_list', 'connectorProviders_update', 'ledgerEntries_previewReversal', 'ledgerEntries_reverse'],
  ...['oauthClients_get', 'oauthClients_create', 'oauthClients_list', 'oauthClients_revoke'],
  ...['notes_create', 'notes_delete', 'notes_get', 'notes_listRevisions', 'notes_update'],
  ...['rooming_getList', 'tasks_create', 'tasks_get', 'tasks_update'],
  'partnerSubscriptions_create',
  ...['bulkOperations_create', 'bulkOperations_pause', 'bulkOperations_resume', 'bulkOperations_cancel'],
  'bulkOperations_retry',
  ...['users_removeSecondFactor', 'users_update'],
  ...['partnerWebhookEndpoints_create', 'partnerWebhookEndpoints_rotateSecret', 'partnerWebhookEndpoints_update'],
  ...['webhookEndpoints_create', 'webhookEndpoints_rotateSecret', 'webhookEndpoints_update'],
]);

/** The operator whose webhooks the demo data has. */
const OWNER_OF_WEBHOOKS = 'op_demo_receiver';

let app: TestApp;
let operations: Placed[];
let document: Document;
let errands: Errand[];

beforeAll(async () => {
  app = await startApp({ env: { JOBS: 'false' } });
  const served = resolved(await readDocument(app));
  document = new Document(served);
  operations = operationsOf(served).sort((a, b) => METHODS.indexOf(a.method) - METHODS.indexOf(b.method));
  const bookingId = await invoicedBooking();
  await copies(bookingId);
  await app.sql('analyze');
  // Stores the report as the hourly job does, because requests return the stored report if the tables are too large.
  await asSystem(() => app.nest.get(IntegrityService).verifyAndStore());
  errands = await errandsOf(bookingId);
}, 360_000);

/** With installments, an issued invoice and a payment, so that lists and reports have as much to read as a year. */
async function invoicedBooking(): Promise<string> {
  const owner = app.as('owner');
  const { booking } = await confirmedBooking(owner);
  await invoicing(() => owner).issued(booking.id);
  await recorded(owner, received(booking.id, 1_000));
  return booking.id;
}

const OF_BOOKING = 'row.booking_id = $1';
const OF_INVOICE = 'row.invoice_id in (select id from invoices where booking_id = $1)';
const OF_PAYMENT = 'row.payment_id in (select id from payments where booking_id = $1)';

/** The rows of the booking `$1`, its documents and its money, and how often they are copied. */
const COPIED = [
  { table: 'bookings', condition: 'row.id = $1', count: BOOKINGS },
  { table: 'booking_items', condition: OF_BOOKING, count: BOOKINGS },
  { table: 'payment_plans', condition: OF_BOOKING, count: BOOKINGS },
  { table: 'payment_schedules', condition: OF_BOOKING, count: BOOKINGS },
  { table: 'invoices', condition: OF_BOOKING, count: INVOICED },
  { table: 'payments', condition: OF_BOOKING, count: INVOICED },
  { table: 'invoice_lines', condition: OF_INVOICE, count: INVOICED },
  { table: 'invoice_tax_lines', condition: OF_INVOICE, count: INVOICED },
  { table: 'payment_allocations', condition: OF_PAYMENT, count: INVOICED },
];

/** Prefixes of the ids of these rows. */
const COPIED_IDS = ['book', 'bkit', 'plan', 'psch', 'inv', 'pay', 'pall'];

/**
 * Inserts copies of a booking, its documents and its money without the service. The ids of a copy differ from the original ids
 * in their first six characters, in every column.
 */
async function copies(bookingId: string): Promise<void> {
  for (const rows of COPIED) await copyRows(rows, bookingId);
  // The next invoice of the series must not get the number of a copy.
  await app.sql(
    `update invoice_number_counters set next_number = next_number + $2, given = given + $2
     where (series_id, period_key) in (select series_id, period_key from invoices where booking_id = $1)`,
    [bookingId, INVOICED],
  );
}

async function copyRows({ table, condition, count }: (typeof COPIED)[number], bookingId: string): Promise<void> {
  const columns = await app.sql<{ name: string }>(
    `select quote_ident(column_name) as name from information_schema.columns
     where table_name = $1 and is_generated = 'NEVER' and is_identity = 'NO'`,
    [table],
  );
  const names = columns.map(({ name }) => name);
  await app.sql(`alter table ${table} disable trigger user`);
  const copied = await app.sql(
    `insert into ${table} (${names.join(', ')})
     select ${names.map((name) => `copy.${name}`).join(', ')}
     from ${table} as row, generate_series(1, $2::integer) as n,
       jsonb_populate_record(row, regexp_replace(to_jsonb(row)::text, '"(' || $3 || ')_[0-9a-z]{6}([0-9a-z]{20})"',
         '"\\1_' || lpad(n::text, 6, '0') || '\\2"', 'g')::jsonb
         || case when to_jsonb(row) ? 'number' then jsonb_build_object('number', 'COPY-' || n) else '{}' end
         || case when to_jsonb(row) ? 'sequence' then jsonb_build_object('sequence', (to_jsonb(row) ->> 'sequence')::bigint + n) else '{}' end) as copy
     where ${condition} returning 1`,
    [bookingId, count, COPIED_IDS.join('|')],
  );
  expect(copied.length).toBeGreaterThanOrEqual(count);
  await app.sql(`alter table ${table} enable trigger user`);
}

/** With a credential, a booking and a vault that no burst names. */
async function errandsOf(bookingId: string): Promise<Errand[]> {
  const { user, session, password } = await hire(app, ['sales']);
  const slug = `bystander-${randomUUID().slice(0, 8)}`;
  await provision(app, { vaults: [{ slug }] });
  const key = await newKey(app, ['vault:write']);
  return [
    { name: 'login', method: 'POST', path: SESSIONS, body: { email: user.email, password } },
    { name: 'booking', method: 'GET', path: `/v1/admin/bookings/${bookingId}`, token: session },
    { name: 'encrypt', method: 'POST', path: `/vault/v1/${slug}/encrypt`, token: key, body: { plaintext: 'passport' } },
  ];
}

/** The cheapest credential that may call the operation; none if it needs none. */
async function credentialFor(operation: Placed): Promise<string | undefined> {
  if (isPublic(operation)) return undefined;
  if (needsSubscription(operation)) return subscriptionToken(app);
  const scope = operation['x-required-scope'];
  const needsAll = NEED_ALL_SCOPES.has(operation.operationId);
  if (surfaceOf(operation) !== 'staff') {
    const scopes = needsAll ? ['connect:*', ...PLATFORM_SCOPES] : scope === undefined ? [] : [scope];
    const isOfOperator = operation.path.startsWith('/connect/v1/webhooks/');
    return newKey(app, scopes, isOfOperator ? OWNER_OF_WEBHOOKS : null);
  }
  if (scope === undefined) return (await hire(app, ['viewer'])).session;
  return (await makeToken(app.as('owner'), [needsAll ? '*' : scope])).token;
}

it(
  `${IN_FLIGHT} requests in flight of any operation keep no other caller from its work`,
  async () => {
    const [service, control] = await Promise.all([
      MeasuredProcess.start('server-process.js', { JOBS: 'false', TRUSTED_PROXIES: '127.0.0.1' }),
      MeasuredProcess.start(join('..', 'bursts', 'busy-server.js')),
    ]);
    const url = new URL(service.url);
    for (const operation of operations.slice(0, 1)) await burst(url, operation, 'warm');

    const beside = await during(url, async (bystander) => {
      bystander.during = 'control';
      const reads = operations.filter(({ method }) => method === 'GET').slice(0, CONTROL_BURSTS);
      for (const [n, operation] of reads.entries()) await burst(new URL(control.url), operation, `c${n}`);
    });
    const unexpected: { operationId: string; answers: string[] }[] = [];
    const attacked = await during(url, async (bystander) => {
      for (const [n, operation] of operations.entries()) {
        for (let turn = 0; turn < REPETITIONS; turn += 1) {
          bystander.during = nameOf(operation);
          const { operationId } = operation;
          const answers = unexpectedAnswers(operationId, await burst(url, operation, `${n}-${turn}`));
          if (answers.length > 0) unexpected.push({ operationId, answers });
        }
      }
    });

    const slowest = [...attacked].sort((a, b) => b.ms - a.ms).slice(0, 10);
    const compared = errands.map(({ name }) => ({
      name,
      attackedMs: p95(attacked.filter((served) => served.name === name)),
      besideMs: p95(beside.filter((served) => served.name === name)),
    }));
    print([
      ...compared.map(
        (p) => `p95 of ${p.name}: ${Math.round(p.attackedMs)} ms, ${Math.round(p.besideMs)} ms beside the control`,
      ),
      ...slowest.map(({ name, ms, during: operation }) => `${Math.round(ms)} ms: ${name} beside ${operation}`),
    ]);
    expect(attacked.filter(({ status }) => status >= 300)).toEqual([]);
    expect(unexpected).toEqual([]);
    const known = new Set(operations.map(({ operationId }) => operationId));
    expect(LISTED_OPERATIONS.filter((operationId) => !known.has(operationId))).toEqual([]);
    expect(compared.filter(({ attackedMs, besideMs }) => attackedMs >= MOST_SLOWED * besideMs)).toEqual([]);
  },
  WITHIN_MS,
);

async function during(url: URL, work: (bystander: Bystander) => Promise<void>): Promise<readonly Served[]> {
  const bystander = new Bystander(url, errands);
  bystander.start();
  await work(bystander);
  return bystander.stop();
}

/** Sends one burst of the operation with the document's example from a separate address; returns the different responses. */
async function burst(url: URL, operation: Placed, name: string): Promise<string[]> {
  const token = await credentialFor(operation);
  const agent = new Agent({ keepAlive: true, maxSockets: IN_FLIGHT });
  const [high, low] = [Math.floor(bursts / 250), bursts % 250];
  bursts += 1;
  const { method, parameters = [] } = operation;
  const takesKey = parameters.some((parameter) => parameter.name === 'Idempotency-Key');
  const answers = await Promise.all(
    Array.from({ length: IN_FLIGHT }, async (_, at) => {
      const json = exampleBody(operation, document, `b${name}x${at}`);
      const body = json === undefined && method !== 'POST' ? undefined : bodyFor(operation, (json ?? {}) as object);
      const path = `${pathWith(operation, exampleParameters(operation))}${requiredQuery(operation)}`;
      const headers = {
        'X-Forwarded-For': `198.18.${high}.${low + 1}`,
        ...(takesKey && { 'Idempotency-Key': randomUUID() }),
      };
      const call = { method, path, headers };
      return send<{ code?: string; error?: string } | undefined>(agent, url, {
        ...call,
        ...(token && { token }),
        ...(body && { body }),
      }).catch(() => CLOSED);
    }),
  );
  agent.destroy();
  return [...new Set(answers.map(nameOfAnswer))].sort();
}

/** The query parameters that the operation requires, with their examples. */
function requiredQuery({ parameters = [] }: Placed): string {
  const required = parameters.filter((parameter) => parameter.in === 'query' && parameter.required === true);
  const query = new URLSearchParams(
    required.map(({ name, example, schema }): [string, string] => [
      name,
      String(example ?? schema.example ?? schema.enum?.[0]),
    ]),
  ).toString();
  return query === '' ? '' : `?${query}`;
}

/** Returns the status and, for an error, its code, or its message on a surface without codes. */
function nameOfAnswer({
  status,
  body,
}: {
  status: number;
  body: { code?: string; error?: string } | undefined;
}): string {
  return status < 400 ? String(status) : `${status} ${body?.code ?? body?.error ?? ''}`.trim();
}
let bursts = 0;

function p95(served: readonly Served[]): number {
  const sorted = served.map(({ ms }) => ms).sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length * 0.95)] ?? 0;
}

/** Without Jest, which would print a stack trace after each line. */
function print(lines: readonly string[]): void {
  process.stdout.write(`${lines.join('\n')}\n`);
}
