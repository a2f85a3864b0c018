import { callOffIn, callOffsOf } from '../desk/call-offs/call-offs.js';
import { BULK, bulkIn, setBulk } from '../desk/bulk-operations.js';
import { newWaiting } from '../desk/waiting-list.js';
import { reserve } from '../octo/orders.js';
import { newShop } from '../octo/shop.js';
import { newDeparture } from '../operations/departures.js';
import { confirmedBooking } from '../bookings/bookings.js';
import { LinkTokens } from '../../src/platform/keys/link-tokens.js';
import { MessageTokens } from '../../src/modules/notifications/messages/message-tokens.js';
import { PasswordsService } from '../../src/modules/identity/passwords/passwords.service.js';
import { asSystem } from '../../src/platform/context/request-context.js';
import { demoId, newId } from '../../src/platform/ids/id.js';
import { newKey } from '../connect/partners.js';
import { failedMessage, failedRun } from '../notifications/failed.js';
import { codeAt, stepAt } from '../../src/modules/identity/second-factors/totp.js';
import { challengeOf, hireProtected, SECOND_FACTOR, secretOf } from '../identity/second-factor.js';
import { hire, linkToken, login, RESETS } from '../identity/staff.js';
import { EVENTS, subscriptionToken, ticketPath, TICKETS } from '../realtime/subscriptions.js';
import { contractIn } from '../legal/contracts.js';
import { png } from '../organization/logos.js';
import type { TestApp } from '../setup/app.js';
import { reservingTrip, TRIPS, unconfirmedTrip } from '../trips/trips.js';
import type { Placed } from './served-document.js';

const OFFERS = '/v1/public/operations/waiting-offers';
const UNSUBSCRIPTIONS = '/v1/public/notifications/unsubscriptions';
const PAUSE = `POST ${callOffsOf('{id}')}/{callOffId}/pause`;
const PAUSE_BULK = `POST ${BULK}/{id}/pause`;
const CONTRACT_PAGES = '/v1/public/legal/contract-pages';
const SCHEDULES = '/v1/admin/finance/bookings/{bookingId}/payment-schedules';

/** Reads come first and deletions last, so that no call removes a resource that another one needs. */
const ORDER = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];

/**
 * Calls that are made after all others except the deletions: a key version whose destruction is pending cannot be changed, and
 * the date of an invoice can be released once another example has voided it.
 */
const LATE = [
  'POST /vault/v1/{vaultSlug}/keys/{version}/destruction',
  'POST /v1/admin/finance/invoice-number-series/{id}/date-releases',
];

/** A call of an operation with the examples of the API document. On fresh demo data each one succeeds once. */
export interface ExampleCall {
  /** Method and path as in the document. */
  name: string;
  operation: Placed;
  /** With its path parameters and its required query parameters. */
  path: string;
  /** Undefined if the operation takes none. */
  body: object | undefined;
  /** Undefined if the operation requires no credential. */
  token: string | undefined;
  /** Call it directly before the call: jobs end what the call needs. */
  prepare?: () => Promise<unknown>;
}

/** One call of each operation, in an order in which all of them succeed. */
export async function exampleCalls(app: TestApp, operations: Placed[]): Promise<ExampleCall[]> {
  const member = await demoMember(app);
  const ofSessions = { ...(await callsWithSecondFactor(app)), ...(await callsThatEndSessions(app)) };
  await closePeriod(app);
  const [secrets, paths] = [await secretMembers(app, member), await secretPaths(app)];
  const receiver = await newKey(app, ['connect:*'], 'op_demo_receiver');
  // These come last: the paths of trips move the clock, and a subscription lasts for ten minutes.
  const protectedCalls = { ...ofSessions, ...(await callsOfSubscriptions(app)) };
  const inOrder = operations.toSorted((a, b) => placeOf(a) - placeOf(b));
  return inOrder.map((operation) => {
    const name = nameOf(operation);
    const [media] = Object.values(operation.requestBody?.content ?? {});
    const example = media?.example as object | undefined;
    const prepared = protectedCalls[name];
    return {
      name,
      operation,
      path: paths[name] ?? pathOf(operation),
      ...(name === PAUSE && { prepare: () => runAgain(app, paths[name] ?? '') }),
      ...(name === PAUSE_BULK && { prepare: () => setBulk(app, paths[name]?.split('/').at(-2) ?? '', 'planned') }),
      get body() {
        if (operation.requestBody?.content['image/png']) return png();
        if (operation.requestBody?.content['application/octet-stream']) return Buffer.from('Meet at pier 3.\n');
        if (operation.requestBody?.content['message/rfc822']) return Buffer.from('Subject: I am on holiday\r\n\r\n');
        return example === undefined ? undefined : { ...example, ...secrets[name], ...prepared?.body?.() };
      },
      token: prepared?.token ?? (OF_SESSION.includes(name) ? member.session : tokenFor(app, operation, receiver)),
    };
  });
}

function placeOf(operation: Placed): number {
  return LATE.includes(nameOf(operation)) ? ORDER.indexOf('DELETE') - 0.5 : ORDER.indexOf(operation.method);
}

export function nameOf({ method, path }: Placed): string {
  return `${method} ${path}`;
}

/** Calls that need the session of a person. */
const OF_SESSION = [
  'POST /v1/admin/identity/me/password',
  'PATCH /v1/admin/identity/me',
  'GET /v1/admin/identity/me/second-factor',
  'GET /v1/admin/identity/me/security-events',
  'GET /v1/admin/identity/sessions',
  'DELETE /v1/admin/identity/sessions/others',
];

interface DemoMember {
  password: string;
  session: string;
}

/** Logs in as a user of the demo data whose password was reset. */
async function demoMember(app: TestApp): Promise<DemoMember> {
  const password = 'a sentence for the examples';
  await app.post(`${RESETS}/completion`, { token: await resetToken(app, demoId('user', 4)), password });
  return { password, session: await login(app, 'amira.haddad@example.com', password) };
}

/** Each call has its own user. Recovery codes do not depend on the time at which the call is sent. */
async function callsWithSecondFactor(app: TestApp): Promise<Record<string, { token?: string; body?: () => object }>> {
  const own = '/v1/admin/identity/me/second-factor';
  const withRecoveryCode = async () => {
    const { session, recoveryCodes } = await hireProtected(app, ['viewer']);
    return { token: session, body: () => ({ code: undefined, recoveryCode: recoveryCodes[0] }) };
  };
  const waiting = await hireProtected(app, ['viewer']);
  const [first, second] = [await hire(app, ['viewer']), await hire(app, ['viewer'])];
  const { body: setup } = await second.client.post<{ data: { otpauthUri: string } }>(SECOND_FACTOR, {
    currentPassword: second.password,
  });
  const challengeId = await challengeOf(app, waiting);
  await protectDemoUser(app);
  return {
    [`POST ${own}`]: { token: first.session, body: () => ({ currentPassword: first.password }) },
    [`POST ${own}/activation`]: {
      token: second.session,
      body: currentCode(app, secretOf(setup.data.otpauthUri)),
    },
    [`POST ${own}/recovery-codes`]: await withRecoveryCode(),
    [`POST ${own}/removal`]: await withRecoveryCode(),
    'POST /v1/admin/identity/sessions/current/reauthentication': await withRecoveryCode(),
    'POST /v1/admin/identity/sessions/second-factor': {
      body: () => ({ challengeId, code: undefined, recoveryCode: waiting.recoveryCodes[0] }),
    },
  };
}

/** The example of ending a session names one of the owner; a logout ends the session of the call. */
async function callsThatEndSessions(app: TestApp): Promise<Record<string, { token: string; body?: () => object }>> {
  const { email, password } = app.credentials.staff;
  const sessions = '/v1/admin/identity/sessions';
  return {
    [`DELETE ${sessions}/{id}`]: { token: await login(app, email, password) },
    [`DELETE ${sessions}/current`]: { token: (await hire(app, ['viewer'])).session },
  };
}

/** These need the token of a subscription. */
async function callsOfSubscriptions(app: TestApp): Promise<Record<string, { token: string; body?: () => object }>> {
  const token = await subscriptionToken(app);
  return { [`POST ${TICKETS}`]: { token }, [`GET ${EVENTS}`]: { token } };
}

/** Makes a code that is accepted when the call is sent, possibly minutes later. */
function currentCode(app: TestApp, secret: Buffer): () => object {
  let step = 0;
  return () => {
    const now = stepAt(app.now());
    if (now > step) step = now + 1;
    return { code: codeAt(secret, step) };
  };
}

/** The example of removing the second factor of another user names user 2 of the demo data. */
async function protectDemoUser(app: TestApp): Promise<void> {
  await app.sql(
    `insert into second_factors (user_id, sealed_secret, last_step, created_at, activated_at)
     values ($1, '', 0, now(), now()) on conflict do nothing`,
    [demoId('user', 2)],
  );
}

async function resetToken(app: TestApp, userId: string): Promise<string> {
  await asSystem(() => app.nest.get(PasswordsService, { strict: false }).sendResetLink({ userId }));
  return linkToken(app, userId);
}

/** Months are closed in their order: the examples close the second one with postings, open it again, and file this one. */
async function closePeriod(app: TestApp): Promise<void> {
  const { status, text } = await app.as('owner').post('/v1/admin/finance/periods/2025-10/closing');
  if (status !== 200) throw new Error(`The first month cannot be closed: ${text}`);
}

/** Without a connection the platform key has no sales of its own. */
async function connectPlatformKey(app: TestApp): Promise<void> {
  const publicId = app.credentials.platformKey.split('_')[1] ?? '';
  const [key] = await app.sql<{ id: string }>('select id from api_tokens where public_id = $1', [publicId]);
  const connection = { name: 'Platform key', channelId: demoId('chan', 2), apiTokenId: key?.id };
  const { status, text } = await app.as('owner').post('/v1/admin/octo/connections', connection);
  if (status !== 201 && status !== 409) throw new Error(`The platform key was not connected: ${text}`);
}

/** Members of request bodies that no document can contain, because they are random, secret or depend on the day. */
async function secretMembers(app: TestApp, member: DemoMember): Promise<Record<string, object>> {
  const { staff, platformKey, operatorId, vaultSlug } = app.credentials;
  await connectPlatformKey(app);
  const platform = app.with(platformKey);
  const { body: vault } = await platform.post<{ data: { ciphertext: string } }>(`/vault/v1/${vaultSlug}/encrypt`, {
    plaintext: 'P1234567',
  });
  const { body: client } = await platform.post<{ clientId: string; clientSecret: string }>(
    `/connect/v1/operators/${operatorId}/oauth-clients`,
    { scopes: ['connect:bookings:read'] },
  );
  const finance = '/v1/admin/finance';
  const owner = app.as('owner');
  const { body: sent } = await owner.get<{ data: { issueDate: string } }>(`${finance}/invoices/${demoId('inv', 1)}`);
  const { body: plan } = await owner.get<{ data: { id: string; type: string }[] }>(
    `${finance}/bookings/${demoId('book', 1)}/payment-schedules`,
  );
  return {
    [`POST ${finance}/invoices/{id}/delivery`]: { sentOn: sent.data.issueDate },
    [`POST ${finance}/bookings/{bookingId}/reminder-runs`]: {
      scheduleId: plan.data.find(({ type }) => type === 'balance')?.id,
    },
    'POST /v1/admin/identity/invitations/acceptance': { token: await linkToken(app, demoId('invt', 3)) },
    'POST /v1/admin/identity/me/password': { currentPassword: member.password },
    'POST /v1/admin/identity/password-resets/completion': { token: await resetToken(app, demoId('user', 3)) },
    'POST /v1/admin/identity/sessions': { email: staff.email, password: staff.password },
    'POST /vault/v1/{vaultSlug}/decrypt': { ciphertext: vault.data.ciphertext },
    'POST /vault/v1/{vaultSlug}/rewrap': { ciphertext: vault.data.ciphertext },
    'POST /connect/v1/oauth/token': { client_id: client.clientId, client_secret: client.clientSecret },
  };
}

/**
 * Paths that no document can contain: links and the ids that open contracts are signed or random, and a provider must first
 * reject a request or fail to respond.
 */
async function secretPaths(app: TestApp): Promise<Record<string, string>> {
  const rendition = '/v1/admin/finance/invoice-renditions/rend_01k0dem000e000000000000001/download';
  const { headers } = await app.as('owner').get(rendition);
  const page = 'example'.padEnd(43, '0');
  await app.sql(
    `insert into contract_page_tokens (token_sha256, contract_id, created_at)
     select sha256(convert_to($1, 'UTF8')), id, now() from contracts where public_id = $2 on conflict do nothing`,
    [page, app.credentials.demo.contractId],
  );
  const [flagged, retried, replaced] = [
    await unconfirmedTrip(app),
    await unconfirmedTrip(app),
    await unconfirmedTrip(app),
  ];
  const unsubscription = await unsubscriptionPath(app);
  const signing = await contractToSign(app);
  return {
    [`POST ${TRIPS}/{envelopeId}/abandonment`]: `${TRIPS}/${await reservingTrip(app)}/abandonment`,
    [`GET ${TRIPS}/{envelopeId}/attentions`]: `${TRIPS}/${flagged.envelopeId}/attentions`,
    [`POST ${TRIPS}/{envelopeId}/attentions/{attentionId}/resolution`]: flagged.resolution,
    [`POST ${TRIPS}/{envelopeId}/components/{componentId}/confirmation-retries`]: `${retried.component}/confirmation-retries`,
    [`POST ${TRIPS}/{envelopeId}/components/{componentId}/replacements`]: `${replaced.component}/replacements`,
    ...(await messagePaths(app)),
    ...(await callOffPaths(app)),
    'GET /v1/admin/octo/bookings/{id}': await octoBookingPath(app),
    ...(await bulkPaths(app)),
    [`POST ${SCHEDULES}/{scheduleId}/small-difference`]: await shortInstallment(app),
    'GET /v1/files/{token}': headers['location'] ?? '',
    'GET /v1/public/legal/contracts/{id}': `/v1/public/legal/contracts/${app.credentials.demo.contractId}`,
    [`POST ${CONTRACT_PAGES}/{token}`]: signing,
    'GET /v1/public/legal/contract-pages/{token}': `/v1/public/legal/contract-pages/${page}`,
    [`GET ${TICKETS}/{ticket}/events`]: await ticketPath(app, await subscriptionToken(app)),
    [`GET ${UNSUBSCRIPTIONS}/{token}`]: unsubscription,
    [`POST ${UNSUBSCRIPTIONS}/{token}`]: unsubscription,
    [`GET ${OFFERS}/{token}`]: await offerPath(app),
    [`POST ${OFFERS}/{token}`]: await offerPath(app),
  };
}

/** The demo data has no reservations of resellers, because they end soon. */
async function octoBookingPath(app: TestApp): Promise<string> {
  const shop = await newShop(app);
  return `/v1/admin/octo/bookings/${(await reserve(shop, [shop.adult])).id}`;
}

/** The page of a contract whose text has the digest of the example. */
async function contractToSign(app: TestApp): Promise<string> {
  const { reference } = await contractIn(app, 'sent');
  const token = 'signing'.padEnd(43, '0');
  await app.sql(
    `insert into contract_page_tokens (token_sha256, contract_id, created_at) values (sha256(convert_to($1, 'UTF8')), $2, now())`,
    [token, reference],
  );
  return `${CONTRACT_PAGES}/${token}`;
}

/** The demo data has no marketing mails. */
async function unsubscriptionPath(app: TestApp): Promise<string> {
  const id = newId('nmsg');
  await app.sql(
    `insert into notification_messages (id, kind, status, recipient, recipient_kind, subject, text, attempts, send_at, sent_at,
       created_at, updated_at)
     values ($1, 'marketing', 'sent', 'reader@example.com', 'primary', 'x', 'x', 1, now(), now(), now(), now())`,
    [id],
  );
  return `${UNSUBSCRIPTIONS}/${app.nest.get(MessageTokens, { strict: false }).create('unsubscription', id, '')}`;
}

/** An offer at the price of the example, which the demo data has not. */
async function offerPath(app: TestApp): Promise<string> {
  const { id: departureId } = await newDeparture(app, { capacity: 2, priceCents: 5_900 });
  const { id, offers } = await newWaiting(app, { departureId, quantity: 2 });
  return `${OFFERS}/${app.nest.get(LinkTokens, { strict: false }).create('waiting-offer', id, String(offers))}`;
}

/** The demo data has no failed mails. */
async function messagePaths(app: TestApp): Promise<Record<string, string>> {
  const notifications = '/v1/admin/notifications';
  return {
    [`GET ${notifications}/messages/{id}`]: `${notifications}/messages/${await failedMessage(app)}`,
    [`POST ${notifications}/messages/{id}/resend`]: `${notifications}/messages/${await failedMessage(app)}/resend`,
    [`POST ${notifications}/runs/{id}/retry`]: `${notifications}/runs/${await failedRun(app)}/retry`,
  };
}

/** The call-off of the demo data is done; each change needs one in another state. */
async function callOffPaths(app: TestApp): Promise<Record<string, string>> {
  const callOffs = callOffsOf('{id}');
  const pathOf = ({ id, callOffId }: { id: string; callOffId: string }) => `${callOffsOf(id)}/${callOffId}`;
  const pending = await callOffIn(app, 'paused', { isPending: true });
  return {
    [`PATCH ${callOffs}/{callOffId}/items/{itemId}`]: `${pathOf(pending)}/items/${pending.itemId}`,
    [PAUSE]: `${pathOf(await callOffIn(app, 'running'))}/pause`,
    [`POST ${callOffs}/{callOffId}/resumption`]: `${pathOf(await callOffIn(app, 'paused'))}/resumption`,
    [`POST ${callOffs}/{callOffId}/retries`]: `${pathOf(await callOffIn(app, 'completed_with_failures'))}/retries`,
    [`POST ${callOffs}/{callOffId}/abandonment`]: `${pathOf(await callOffIn(app, 'paused'))}/abandonment`,
  };
}

/** The bulk operation of the demo data is done; each change needs one in another state. */
async function bulkPaths(app: TestApp): Promise<Record<string, string>> {
  return {
    [PAUSE_BULK]: `${BULK}/${await bulkIn(app, 'planned')}/pause`,
    [`POST ${BULK}/{id}/resumption`]: `${BULK}/${await bulkIn(app, 'paused')}/resumption`,
    [`POST ${BULK}/{id}/cancellation`]: `${BULK}/${await bulkIn(app, 'paused')}/cancellation`,
    [`POST ${BULK}/{id}/retries`]: `${BULK}/${await bulkIn(app, 'completed_with_failures')}/retries`,
  };
}

/** A job ends a call-off without pending items every minute. */
async function runAgain(app: TestApp, path: string): Promise<unknown> {
  const callOffId = path.split('/').at(-2);
  return app.sql(`update call_offs set status = 'running', ended_at = null where id = $1`, [callOffId]);
}

/** The path for writing off the missing 2.00 of an installment. */
async function shortInstallment(app: TestApp): Promise<string> {
  const owner = app.as('owner');
  await owner.put('/v1/admin/finance/settings', { baseCurrency: 'EUR', toleranceCents: 500 });
  const { booking } = await confirmedBooking(owner, { booking: { startDate: app.day(1) } });
  const payment = { bookingId: booking.id, method: 'bank_transfer', currency: 'EUR', amountCents: 9_800 };
  await owner.post('/v1/admin/finance/payments', { ...payment, paidOn: app.day() });
  const path = SCHEDULES.replace('{bookingId}', booking.id);
  const { body } = await owner.get<{ data: { id: string }[] }>(path);
  return `${path}/${body.data[0]?.id ?? ''}/small-difference`;
}

function pathOf({ path, parameters = [] }: Placed): string {
  const examples = new Map(parameters.map(({ name, example, schema }) => [name, String(example ?? schema.example)]));
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(examples.get(name) ?? name));
  const needed = parameters.filter((found) => found.in === 'query' && found.required === true);
  const query = new URLSearchParams(needed.map(({ name }): [string, string] => [name, examples.get(name) ?? '']));
  return needed.length === 0 ? filled : `${filled}?${query.toString()}`;
}

function tokenFor(app: TestApp, { path, security }: Placed, receiver: string): string | undefined {
  if (/\/bounce-(mails|reports)$/.test(path)) return process.env.BOUNCE_REPORT_SECRET;
  if (security?.length === 0) return undefined;
  // Only operators have endpoints on the connect surface.
  if (path.startsWith('/connect/v1/webhooks/')) return receiver;
  return path.startsWith('/v1/admin/') ? app.credentials.staff.token : app.credentials.platformKey;
}
