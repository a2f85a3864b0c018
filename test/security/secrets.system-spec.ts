import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { newCredential } from '../../src/platform/ids/credentials.js';
import { newSecret } from '../../src/platform/ids/id.js';
import { clientsOf, FORM, newOperator, type OAuthClient, TOKEN } from '../connect/partners.js';
import {
  ACCEPTANCE,
  hire,
  INVITATIONS,
  linkToken,
  ME,
  OWN_PASSWORD,
  RESETS,
  SESSIONS,
  TOKENS,
  uniqueEmail,
  USERS,
} from '../identity/staff.js';
import { startMailServer } from '../notifications/mail-server.js';
import { startApp, type TestApp } from '../setup/app.js';
import type { TestClient } from '../setup/client.js';
import type { Answer, Call } from '../setup/http.js';
import { tablesWith } from '../setup/tables.js';
import { leaks, newSecretText, plant } from './planted.js';

const ENCRYPT = '/vault/v1/primary/encrypt';
const DECRYPT = '/vault/v1/primary/decrypt';
const PROVIDERS = '/connect/v1/connector-providers';
const GRANT = 'grant_type=client_credentials';
const JSON_BODY = { 'Content-Type': 'application/json' };

let app: TestApp;
let owner: TestClient;
let platform: TestClient;

beforeAll(async () => {
  // Without a mail server the log would show one-time links.
  const { url } = await startMailServer();
  app = await startApp({ env: { LOG_LEVEL: 'trace', METRICS: 'true', SMTP_URL: url } });
  [owner, platform] = [app.as('owner'), app.as('platform')];
});

const headers = (one: Record<string, string>): Call => ({ headers: one });
const raw = (text: string, more: Record<string, string> = JSON_BODY): Call => ({ raw: text, headers: more });
const invitation = () => ({ email: uniqueEmail(), name: 'Planted', roles: ['viewer'] });
const accepted = (password: unknown, token = 'no-link') => ({ token, password });

/** One attempt each: the request with a secret in it, and the status of its response. */
const REJECTED: Record<string, [status: number, send: (secret: string) => Promise<Answer>]> = {
  'a wrong password': [401, (s) => app.post(SESSIONS, { email: app.credentials.staff.email, password: s })],
  'a password in the place of the address': [401, (s) => app.post(SESSIONS, { email: s, password: 'x' })],
  'a password of the wrong type': [400, (s) => app.post(ACCEPTANCE, accepted({ is: s }))],
  'a password for an unknown link': [422, (s) => app.post(ACCEPTANCE, accepted(s))],
  'the token of an unknown link': [422, (s) => app.post(ACCEPTANCE, accepted('long enough for one', s))],
  'the token of an unknown reset': [422, (s) => app.post(`${RESETS}/completion`, accepted('long enough for one', s))],
  'a password for another user': [400, (s) => owner.patch(`${USERS}/user_${'0'.repeat(26)}`, { password: s })],
  'a password from an API token': [403, (s) => owner.post(OWN_PASSWORD, { currentPassword: s, newPassword: s })],
  'an unknown member': [400, (s) => owner.post(INVITATIONS, { ...invitation(), clientSecret: s })],
  'a password with NUL': [400, (s) => app.post(ACCEPTANCE, accepted(`${s}\0`))],
  'broken JSON to the login': [400, (s) => app.post(SESSIONS, undefined, raw(`{"password":"${s}"`))],
  'broken JSON to a staff route': [400, (s) => owner.post(INVITATIONS, undefined, raw(`{"password":"${s}" "x":1}`))],
  'broken JSON to the vault': [400, (s) => platform.post(ENCRYPT, undefined, raw(`{"plaintext":"${s}`))],
  'broken JSON to the token endpoint': [400, (s) => app.post(TOKEN, undefined, raw(`{"client_secret":"${s}"`))],
  'JSON that is no object': [400, (s) => app.post(SESSIONS, undefined, raw(`"${s}"`))],
  'another content type': [415, (s) => app.post(SESSIONS, undefined, raw(s, { 'Content-Type': 'text/plain' }))],
  'a body that is too large': [413, (s) => app.post(SESSIONS, { password: s.repeat(40_000) })],
  'a plaintext of the wrong type': [400, (s) => platform.post(ENCRYPT, { plaintext: [s] })],
  'a plaintext that is too long': [400, (s) => platform.post(ENCRYPT, { plaintext: s.repeat(3_000) })],
  'a plaintext beside another member': [400, (s) => platform.post(ENCRYPT, { plaintext: 'x', note: s })],
  'a plaintext to decrypt': [400, (s) => platform.post(DECRYPT, { ciphertext: s })],
  'a wrong client secret': [401, (s) => token(`client_id=occ_${'0'.repeat(24)}&client_secret=${s}`)],
  'a client secret sent twice': [400, (s) => token(`client_id=x&client_secret=${s}&client_secret=${s}`)],
  'a client secret in the query': [400, (s) => app.post(`${TOKEN}?client_secret=${s}`, undefined, raw(GRANT, FORM))],
  'a wrong client secret by Basic': [
    401,
    (s) => app.post(TOKEN, undefined, raw(GRANT, { ...FORM, Authorization: `Basic ${base64(`occ_x:${s}`)}` })),
  ],
  'a token in the query, without a header': [401, (s) => app.get(`${ME}?access_token=${s}`)],
  'a token in the query, beside a good header': [400, (s) => owner.get(`${ME}?access_token=${s}`)],
  'a token in the query of an unknown route': [404, (s) => app.get(`/v1/nothing?token=${s}`)],
  'a token in the body': [401, (s) => app.post(TOKENS, { access_token: s, name: 'x', scopes: ['*'] })],
  'x-api-key of no form': [401, (s) => app.get(ME, headers({ 'x-api-key': s }))],
  'Authorization of no form': [401, (s) => app.get(ME, headers({ Authorization: s }))],
  'Authorization of another scheme': [401, (s) => app.get(ME, headers({ Authorization: `Token ${s}` }))],
  'a bearer of no form, to connect': [401, (s) => app.with(s).get(PROVIDERS)],
  'a bearer of no form, to the vault': [401, (s) => app.with(s).post(ENCRYPT, { plaintext: 'x' })],
  'a bearer of no form, to data': [401, (s) => app.with(s).get('/data/geo/v1/reference/languages')],
  'the link of a file': [404, (s) => app.get(`/v1/files/${s}`)],
  'the id of a contract, which is its link': [404, (s) => app.get(`/v1/public/legal/contracts/${s}`)],
  'the id of a contract in a staff path': [404, (s) => owner.get(`/v1/admin/legal/contracts/${s}`)],
  'the token of a contract page': [404, (s) => app.get(`/v1/public/legal/contract-pages/${s}`)],
  'the token of an offer': [404, (s) => app.get(`/v1/public/operations/waiting-offers/${s}`)],
  'the token of an unsubscription': [404, (s) => app.get(`/v1/public/notifications/unsubscriptions/${s}`)],
  'a cookie': [401, (s) => app.get(ME, headers({ Cookie: `session=${s}` }))],
};

/** Sends the same requests with credentials of the right form, which the service recognises. */
const OF_FORM: Record<string, [status: number, secret: () => string, send: (secret: string) => Promise<Answer>]> = {
  'an unknown staff token': [401, () => newCredential('vsk').token, (s) => app.with(s).get(ME)],
  'an unknown session': [401, () => newCredential('vss').token, (s) => app.get(ME, headers({ 'x-api-key': s }))],
  'a token in a path': [404, () => newCredential('tpk').token, (s) => owner.get(`${USERS}/${s}`)],
  'a token in the path of nothing': [404, () => newCredential('oat').token, (s) => app.get(`/v1/x/${s}/y`)],
  'a client secret in a path': [404, () => `ocs_${newSecret()}`, (s) => app.get(`/connect/v1/${s}`)],
};

const base64 = (text: string) => Buffer.from(text).toString('base64');

function token(parameters: string): Promise<Answer> {
  return app.post(TOKEN, undefined, raw(`${GRANT}&${parameters}`, FORM));
}

describe('a rejected secret', () => {
  const tries = [
    ...Object.entries(REJECTED).map(([what, [status, send]]) => ({ what, status, send, secret: newSecretText })),
    ...Object.entries(OF_FORM).map(([what, [status, secret, send]]) => ({ what, status, send, secret })),
  ];

  it.each(tries)('$what ($status) is in no log, table, metric or response', async (attempt) => {
    const secret = attempt.secret();
    const lines = app.logs.length;
    const answer = await attempt.send(secret);
    expect([answer.status, answer.text]).toEqual([attempt.status, answer.text]);
    expect(await leaks(app, [plant(attempt.what, secret)], [answer])).toEqual([]);
    // The log does contain the request.
    expect(app.logs.slice(lines).some((line) => line.includes(answer.headers['x-request-id'] ?? '-'))).toBe(true);
  });
});

interface Issued {
  data: { id: string; token: string };
}

/**
 * Every operation that accepts or returns a secret, once, by a new caller. Their responses are stored under
 * Idempotency-Keys.
 */
async function goThroughAll(
  name: string,
): Promise<{ secrets: Record<string, string>; answers: Answer[]; shown: Answer[] }> {
  const once = () => ({ headers: { 'Idempotency-Key': randomUUID() } });
  const [keyOnce, clientOnce] = [once(), once()];
  const [email, password, changed, plaintext] = [uniqueEmail(), newSecretText(), newSecretText(), newSecretText()];
  const invited = await owner.post<Issued>(INVITATIONS, { ...invitation(), email }, once());
  const link = await linkToken(app, invited.body.data.id);
  const created = await app.post(ACCEPTANCE, accepted(password, link));
  const first = await app.post<Issued>(SESSIONS, { email, password });
  const passwords = { currentPassword: password, newPassword: changed };
  const patched = await app.with(first.body.data.token).post(OWN_PASSWORD, passwords, once());
  const opened = await app.post<Issued>(SESSIONS, { email, password: changed });
  const key = await owner.post<Issued>(TOKENS, { name, scopes: ['finance:read'] }, keyOnce);
  const keyAgain = await owner.post(TOKENS, { name, scopes: ['finance:read'] }, keyOnce);
  const clients = clientsOf(await newOperator(app));
  const client = await platform.post<OAuthClient>(clients, { scopes: ['connect:bookings:read'] }, clientOnce);
  const clientAgain = await platform.post(clients, { scopes: ['connect:bookings:read'] }, clientOnce);
  const { clientId, clientSecret } = client.body;
  const access = await app.post<{ access_token: string }>(TOKEN, {
    grant_type: 'client_credentials',
    client_id: clientId,
    client_secret: clientSecret,
  });
  const sealed = await platform.post<{ data: { ciphertext: string } }>(ENCRYPT, { plaintext });
  const bare = await platform.post(DECRYPT, sealed.body.data);
  const used = await Promise.all([
    app.with(opened.body.data.token).get(ME),
    app.with(key.body.data.token).get(ME),
    app.with(access.body.access_token).get(clients),
  ]);
  return {
    secrets: {
      password,
      changed,
      link,
      'first session': first.body.data.token,
      plaintext,
      session: opened.body.data.token,
      'staff token': key.body.data.token,
      'client secret': clientSecret,
      'access token': access.body.access_token,
      ciphertext: sealed.body.data.ciphertext,
    },
    answers: [invited, created, patched, keyAgain, clientAgain, ...used],
    shown: [first, opened, key, client, access, sealed, bare],
  };
}

describe('secrets that are sent or returned', () => {
  it('secrets are shown once by the response that returns them, and are nowhere else', async () => {
    const { secrets, answers, shown } = await goThroughAll('Nightly');
    expect([...answers, ...shown].map(({ status }) => status)).toEqual([
      201, 201, 200, 201, 201, 200, 200, 200, 201, 201, 201, 201, 200, 200, 200,
    ]);
    const { platformKey, limitedPlatformKey, staff } = app.credentials;
    const all = { ...secrets, platformKey, limitedPlatformKey, password: staff.password, token: staff.token };
    const planted = [...Object.entries(secrets), ...Object.entries(all)].map(([what, secret]) => plant(what, secret));
    expect(await leaks(app, planted, answers)).toEqual([]);
    expect(app.logs.filter((line) => line.includes('$argon2id$'))).toEqual([]);
    // Control: the search finds existing values.
    expect(await tablesWith(app, ['Nightly'])).toEqual(['public.api_tokens', 'public.ledger_payloads']);
  });
});

/** Inserts into these tables fail with an unexpected error during the work. */
async function broken(tables: string[], work: () => Promise<void>): Promise<void> {
  await app.sql(`create function break() returns trigger language plpgsql as
    $$ begin raise exception 'broken by a test' using detail = new::text, hint = new::text; end $$`);
  for (const table of tables) {
    await app.sql(`create trigger break before insert or update on ${table} for each row execute function break()`);
  }
  try {
    await work();
  } finally {
    await app.sql('drop function break cascade');
  }
}

describe('a database that fails while a secret is stored', () => {
  const email = uniqueEmail();
  let session: string;
  let client: OAuthClient;

  beforeAll(async () => {
    await hire(app, ['viewer'], { email, password: 'a good password for now' });
    session = (await app.post<Issued>(SESSIONS, { email, password: 'a good password for now' })).body.data.token;
    const clients = clientsOf(await newOperator(app));
    client = (await platform.post<OAuthClient>(clients, { scopes: ['connect:bookings:read'] })).body;
  });

  it('a database error while a secret is stored is a 500 without details, and the log has the stack without values', async () => {
    const secrets = { new: newSecretText(), changed: newSecretText(), plaintext: newSecretText() };
    const lines = app.logs.length;
    const invited = await owner.post<Issued>(INVITATIONS, invitation());
    const link = await linkToken(app, invited.body.data.id);
    const passwords = { currentPassword: 'a good password for now', newPassword: secrets.changed };
    const tables = [
      'users',
      'staff_sessions',
      'api_tokens',
      'oauth_clients',
      'oauth_client_secrets',
      'oauth_access_tokens',
    ];
    const answers: Answer[] = [];
    await broken([...tables, 'vaults', 'vault_key_versions'], async () => {
      answers.push(
        await app.post(ACCEPTANCE, accepted(secrets.new, link)),
        await app.with(session).post(OWN_PASSWORD, passwords),
        await app.post(SESSIONS, { email, password: 'a good password for now' }),
        await owner.post(TOKENS, { name: 'Broken', scopes: ['finance:read'] }),
        await platform.post(clientsOf(client.operatorId), { scopes: ['connect:bookings:read'] }),
        await token(`client_id=${client.clientId}&client_secret=${client.clientSecret}`),
        await platform.post('/vault/v1/breaks/encrypt', { plaintext: secrets.plaintext }),
      );
    });

    const message = 'An unexpected error occurred';
    for (const { status, body, headers } of answers) {
      const trade = { error: message, requestId: headers['x-request-id'] };
      const bodies = [
        trade,
        { error: message },
        { error: 'server_error', error_description: message, requestId: trade.requestId },
      ];
      expect([status, bodies]).toEqual([500, expect.arrayContaining([body])]);
    }
    const own = app.logs.slice(lines).filter((line) => line.includes('unexpected error'));
    expect(own).toHaveLength(answers.length);
    for (const line of own) expect(line).toMatch(/"stack":".*\\n +at /);

    const known = {
      ...secrets,
      link,
      session,
      'client secret': client.clientSecret,
      password: 'a good password for now',
    };
    const planted = Object.entries(known).map(([what, secret]) => plant(what, secret));
    expect(await leaks(app, planted, answers)).toEqual([]);
    // Neither the parameters of a statement nor the rejected row: both contain hashes and personal data.
    const all = app.logs.slice(lines).join('\n');
    expect(['$argon2id$', email, '"type":"Buffer"', 'parameters'].filter((value) => all.includes(value))).toEqual([]);
  });
});
