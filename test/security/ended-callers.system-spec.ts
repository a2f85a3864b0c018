import { beforeAll, describe, expect, it } from '@jest/globals';
import { exampleCalls } from '../contract/example-calls.js';
import { operationsOf, readDocument } from '../contract/served-document.js';
import {
  clientsOf,
  newClient,
  newGrant,
  newOperator,
  type OAuthClient,
  provision,
  requestToken,
  uniqueName,
} from '../connect/partners.js';
import {
  hire,
  INVITATIONS,
  login,
  ME,
  type Member,
  OWN_PASSWORD,
  SESSIONS,
  TOKENS,
  uniqueEmail,
  USERS,
} from '../identity/staff.js';
import { newCredential } from '../../src/platform/ids/credentials.js';
import { startApp, type TestApp } from '../setup/app.js';
import type { TestClient } from '../setup/client.js';

/*
 * A process caches a verified credential for a second. `app` ends credentials; `other` has just verified them, so that only the
 * statements that create something can notice the end.
 */
let app: TestApp;
let other: TestApp;
let operatorId: string;
beforeAll(async () => {
  [app, other] = [await startApp(), await startApp()];
  operatorId = await newOperator(app);
});

const SCOPES = ['connect:*'];
/** With an API token there is no session to end, and a ticket opens a stream only while the session behind it lasts. */
const UNCHANGING = ['DELETE /v1/admin/identity/sessions/current', 'POST /realtime/v1/tickets'];
const READS = '/connect/v1/connector-providers';

/** A platform key, known to both processes. */
async function newKey(scopes: string[], values: object = {}) {
  const [name, { token }] = [uniqueName('key'), newCredential('tpk')];
  const change = (changes: object) => provision(app, { platformKeys: [{ name, scopes, ...values, ...changes }] });
  await change({ token });
  return { client: other.with(token), change };
}

/** Tables in which a caller leaves something that outlives its credential. */
async function rows(): Promise<number[]> {
  const tables = ['api_tokens', 'oauth_clients', 'oauth_client_secrets', 'oauth_access_tokens', 'invitations'];
  const counted = tables.map((table) => app.sql<{ count: number }>(`select count(*)::int as count from ${table}`));
  return (await Promise.all(counted)).map(([row]) => row?.count ?? -1);
}

/** Calls the other process before and after the end of the credential in this one. */
async function afterEnd(
  caller: TestClient,
  { end, read = READS }: { end: () => Promise<unknown>; read?: string },
  creations: (() => Promise<{ status: number }>)[],
) {
  for (let attempt = 0; attempt < 3; attempt += 1) expect((await caller.get(read)).status).toBe(200);
  await end();
  const before = await rows();
  const statuses = await Promise.all(creations.map(async (create) => (await create()).status));
  return { statuses, created: JSON.stringify(await rows()) !== JSON.stringify(before) };
}

describe('a caller whose credential another process has ended less than a second ago', () => {
  it.each([
    [
      'its session',
      async (member: Member) => {
        await member.client.delete(`${SESSIONS}/current`);
      },
    ],
    [
      'its user',
      async (member: Member) => {
        await app.as('owner').patch(`${USERS}/${member.user.id}`, { active: false });
      },
    ],
  ])('a session creates no token, invitation or user after the end of %s', async (_, end) => {
    const member = await hire(app, ['owner']);
    const caller = other.with(member.session);
    const invitation = { email: uniqueEmail(), name: 'Late', roles: ['viewer'] };
    const result = await afterEnd(caller, { end: () => end(member), read: ME }, [
      () => caller.post(TOKENS, { name: 'Late', scopes: ['finance:read'] }),
      () => caller.post(INVITATIONS, invitation),
    ]);
    expect(result).toEqual({ statuses: [401, 401], created: false });
  });

  it('an API token creates no token after its end, or that of its parent', async () => {
    const parent = await app
      .as('owner')
      .post<{ data: { id: string; token: string } }>(TOKENS, { name: 'Parent', scopes: ['*'] });
    const child = await app
      .with(parent.body.data.token)
      .post<{ data: { token: string } }>(TOKENS, { name: 'Child', scopes: ['*'] });
    const callers = [parent, child].map(({ body }) => other.with(body.data.token));
    for (const caller of callers) expect((await caller.get(ME)).status).toBe(200);
    const end = () => app.as('owner').delete(`${TOKENS}/${parent.body.data.id}`);
    const creations = callers.map((caller) => () => caller.post(TOKENS, { name: 'Late', scopes: ['finance:read'] }));
    expect(await afterEnd(callers[1] ?? other, { end, read: ME }, creations)).toEqual({
      statuses: [401, 401],
      created: false,
    });
  });

  it('a client gets no token after its end, that of its secret, its grant or its operator', async () => {
    const endings: [number, (client: OAuthClient, own: { operatorId: string; grantId: string }) => Promise<unknown>][] =
      [
        [401, (client, own) => app.as('platform').delete(`${clientsOf(own.operatorId)}/${client.id}`)],
        [
          401,
          async (client, own) => {
            const path = `${clientsOf(own.operatorId)}/${client.id}/secrets`;
            const [secret] = (await app.as('platform').get<{ data: { id: string }[] }>(path)).body.data;
            await app.as('platform').post(path, { overlapSeconds: 600 });
            expect((await app.as('platform').delete(`${path}/${secret?.id}`)).status).toBe(200);
          },
        ],
        [
          401,
          async (client, own) =>
            app.as('platform').post(`${clientsOf(own.operatorId)}/${client.id}/secrets`, { overlapSeconds: 0 }),
        ],
        [
          400,
          async (_, own) =>
            provision(app, {
              operatorGrants: [{ id: own.grantId, operatorId: own.operatorId, scopes: SCOPES, status: 'revoked' }],
            }),
        ],
        [
          400,
          async (_, own) => provision(app, { operators: [{ id: own.operatorId, name: 'Ended', status: 'inactive' }] }),
        ],
      ];
    for (const [status, end] of endings) {
      const own = { operatorId: await newOperator(app), grantId: '' };
      own.grantId = await newGrant(app, own.operatorId, { scopes: SCOPES });
      const client = await newClient(app, own.operatorId, { scopes: SCOPES, grantId: own.grantId });
      for (let attempt = 0; attempt < 3; attempt += 1) expect((await requestToken(other, client)).status).toBe(200);
      await end(client, own);
      const before = await rows();
      expect((await requestToken(other, client)).status).toBe(status);
      expect(await rows()).toEqual(before);
    }
  });

  it('an access token creates no client and no secret after the end of its client, of its secret, or of its operator', async () => {
    const endings: ((client: OAuthClient, own: string) => Promise<unknown>)[] = [
      (client, own) => app.as('platform').delete(`${clientsOf(own)}/${client.id}`),
      async (client, own) => {
        const path = `${clientsOf(own)}/${client.id}/secrets`;
        const [secret] = (await app.as('platform').get<{ data: { id: string }[] }>(path)).body.data;
        await app.as('platform').post(path, { overlapSeconds: 600 });
        expect((await app.as('platform').delete(`${path}/${secret?.id}`)).status).toBe(200);
      },
      (_, own) => provision(app, { operators: [{ id: own, name: 'Ended', status: 'inactive' }] }),
    ];
    for (const end of endings) {
      const own = await newOperator(app);
      const client = await newClient(app, own, { scopes: SCOPES });
      const unrelated = await newClient(app, own, { scopes: SCOPES });
      const caller = other.with((await requestToken(app, client)).body.access_token);
      const result = await afterEnd(caller, { end: () => end(client, own) }, [
        () => caller.post(clientsOf(own), { scopes: SCOPES }),
        () => caller.post(`${clientsOf(own)}/${unrelated.id}/secrets`, {}),
        () => caller.post(`${clientsOf(own)}/${client.id}/secrets`, {}),
        () => caller.delete(`${clientsOf(own)}/${unrelated.id}`),
      ]);
      expect(result).toEqual({ statuses: [401, 401, 401, 401], created: false });
    }
  });

  it('a platform key creates no client, secret, vault, vault key or message after its end, or that of its operator', async () => {
    const { vaultSlug } = app.credentials;
    const scopes = [...SCOPES, 'vault:write', 'vault:keys', 'realtime:publish'];
    const bound = await newOperator(app);
    const client = await newClient(app, operatorId, { scopes: SCOPES });
    const keys = [
      { ...(await newKey(scopes)), end: { revoked: true }, at: operatorId },
      {
        ...(await newKey(scopes)),
        end: { expiresAt: new Date(app.now().getTime() - 1).toISOString() },
        at: operatorId,
      },
    ];
    for (const { client: caller, change, end, at } of keys) {
      const result = await afterEnd(caller, { end: () => change(end) }, [
        () => caller.post(clientsOf(at), { scopes: SCOPES }),
        () => caller.post(`${clientsOf(at)}/${client.id}/secrets`, {}),
        () => caller.post(`/vault/v1/${uniqueName('v').replace('_', '-')}/encrypt`, { plaintext: 'x' }),
        () => caller.post(`/vault/v1/${vaultSlug}/keys`, {}),
        () => caller.post('/realtime/v1/channels/late.news/messages', { event: 'late' }),
      ]);
      expect(result).toEqual({ statuses: [401, 401, 401, 401, 401], created: false });
    }
    const ended = await newKey(scopes, { operatorId: bound });
    const result = await afterEnd(
      ended.client,
      { end: () => provision(app, { operators: [{ id: bound, name: 'Ended', status: 'inactive' }] }) },
      [
        () => ended.client.post(clientsOf(bound), { scopes: SCOPES }),
        () => ended.client.post(`/realtime/v1/channels/${bound}.news/messages`, { event: 'late' }),
      ],
    );
    expect(result).toEqual({ statuses: [401, 401], created: false });
    expect(
      await app.sql(`select from realtime_channels where name like '%late.news' or name = $1`, [`${bound}.news`]),
    ).toEqual([]);
  });

  it('a message of a live key is published beside those of a key that has ended', async () => {
    const [live, ended] = [
      await newKey(['realtime:publish', ...SCOPES]),
      await newKey(['realtime:publish', ...SCOPES]),
    ];
    const publish = ({ client }: typeof live) =>
      client.post('/realtime/v1/channels/mixed.news/messages', { event: 'e' });
    for (const { client } of [live, ended]) await client.get(READS);
    await ended.change({ revoked: true });
    const answers = await Promise.all(Array.from({ length: 20 }, (_, n) => publish(n % 2 ? live : ended)));
    expect(answers.map(({ status }) => status)).toEqual(answers.map((_, n) => (n % 2 ? 201 : 401)));
  });
});

describe('what is created while a credential ends', () => {
  it('tokens that a client gets while its secret is revoked end with the secret', async () => {
    for (let round = 0; round < 6; round += 1) {
      const client = await newClient(app, operatorId, { scopes: SCOPES });
      const path = `${clientsOf(operatorId)}/${client.id}/secrets`;
      const [secret] = (await app.as('platform').get<{ data: { id: string }[] }>(path)).body.data;
      await app.as('platform').post(path, { overlapSeconds: 600 });
      const asked = Array.from({ length: 8 }, (_, n) => requestToken(n % 2 ? app : other, client));
      const [answers] = await Promise.all([Promise.all(asked), app.as('platform').delete(`${path}/${secret?.id}`)]);
      expect(answers.filter(({ status }) => status !== 200 && status !== 401)).toEqual([]);
      const tokens = answers.flatMap(({ status, body }) => (status === 200 ? [body.access_token] : []));
      const used = await Promise.all(tokens.map(async (token) => (await app.with(token).get(READS)).status));
      expect(used).toEqual(tokens.map(() => 401));
    }
  });

  it.each([
    ['disabled', async ({ user }: Member) => app.as('owner').patch(`${USERS}/${user.id}`, { active: false })],
    [
      'given a new password that ends tokens',
      async ({ client, password }: Member) =>
        client.post(OWN_PASSWORD, { currentPassword: password, newPassword: `${password} two`, revokeTokens: true }),
    ],
  ])('API tokens that a session creates while its user is %s end with it', async (_, end) => {
    for (let round = 0; round < 3; round += 1) {
      const member = await hire(app, ['owner']);
      const session = other.with(await login(app, member.user.email, member.password));
      const created: string[] = [];
      const createUntilRejected = async () => {
        for (;;) {
          const body = { name: 'Beside', scopes: ['identity:read'] };
          const { status, body: made } = await session.post<{ data: { token: string } }>(TOKENS, body);
          if (status !== 201) return status;
          created.push(made.data.token);
        }
      };
      const creators = [createUntilRejected(), createUntilRejected(), createUntilRejected()];
      expect((await end(member)).status).toBe(200);
      expect(await Promise.all(creators)).toEqual([401, 401, 401]);
      const used = await Promise.all(created.map(async (token) => (await app.with(token).get(ME)).status));
      expect(used).toEqual(created.map(() => 401));
    }
  });
});

describe('every operation that changes something', () => {
  it('every operation that changes something answers 401 to a credential that ended less than a second ago', async () => {
    const operations = operationsOf(await readDocument(app)).filter(
      (one) => one['x-ledger-action'] !== undefined || one.path.startsWith('/realtime'),
    );
    const guarded = operations.filter(({ security, method }) => security?.length !== 0 && method !== 'GET');
    const wrong: string[] = [];
    for (const { name, operation, path, body, token } of await exampleCalls(app, guarded)) {
      if (token === undefined) continue;
      const [table, column] = token.startsWith('vss_') ? ['staff_sessions', 'ended_at'] : ['api_tokens', 'revoked_at'];
      const id = token.slice(4, 20);
      const read = token.startsWith('tpk_') ? READS : ME;
      await app.with(token).get(read);
      await app.sql(`update ${table} set ${column} = now() where public_id = $1`, [id]);
      const { status, text } = await app.request(operation.method, path, { body, token });
      await app.sql(`update ${table} set ${column} = null where public_id = $1`, [id]);
      if (status !== 401 && !UNCHANGING.includes(name)) wrong.push(`${name} -> ${status} ${text}`);
    }
    expect(guarded.length).toBeGreaterThan(140);
    expect(wrong).toEqual([]);
  }, 120_000);
});
