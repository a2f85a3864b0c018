import { beforeAll, describe, expect, it } from '@jest/globals';
import { startApp, type TestApp } from '../setup/app.js';
import type { Answer } from '../setup/http.js';
import {
  requestToken,
  clientsOf,
  FORM,
  newClient,
  newGrant,
  newOperator,
  type OAuthClient,
  provision,
  withKey,
} from './partners.js';
import { expectFault } from './token-calls.js';

const INTROSPECT = '/connect/v1/oauth/introspect';
const REVOKE = '/connect/v1/oauth/revoke';
const INACTIVE = { active: false };

let app: TestApp;
let other: TestApp;
let operatorId: string;
let client: OAuthClient;
beforeAll(async () => {
  app = await startApp();
  other = await startApp({ env: { DATABASE_POOL_SIZE: '4' } });
  operatorId = await newOperator(app);
  client = await newClient(app, operatorId, { scopes: ['connect:bookings:read', 'connect:bookings:write'] });
});

type Caller = Pick<OAuthClient, 'clientId' | 'clientSecret'>;

function call(path: string, token: string, { by = client, node = app }: { by?: Caller; node?: TestApp } = {}) {
  const form = new URLSearchParams({ token, client_id: by.clientId, client_secret: by.clientSecret });
  return node.post<Record<string, unknown>>(path, undefined, { raw: form.toString(), headers: FORM });
}

async function newToken(of: OAuthClient = client, more: Record<string, string> = {}): Promise<string> {
  return (await requestToken(app, of, more)).body.access_token;
}

describe('introspection', () => {
  it('introspection returns the scopes, the client and the end of a valid token', async () => {
    const token = await newToken(client, { scope: 'connect:bookings:read' });
    const { status, body, headers } = await call(INTROSPECT, token);

    const now = app.now().getTime() / 1000;
    expect([status, body]).toEqual([
      200,
      {
        active: true,
        scope: 'connect:bookings:read',
        client_id: client.clientId,
        sub: client.clientId,
        token_type: 'Bearer',
        exp: Number(body['iat']) + 3600,
        iat: expect.any(Number),
      },
    ]);
    expect(Math.abs(now - Number(body['iat']))).toBeLessThan(60);
    expect(headers['cache-control']).toBe('no-store');
  });

  it('introspection returns only active: false for a token that is unknown, of another kind, expired or of another operator', async () => {
    const foreign = await newClient(app, await newOperator(app));
    const token = await newToken();
    const late = await startApp({ env: { DATABASE_POOL_SIZE: '4' } });
    late.travel({ hours: 2 });
    const answers = [
      await call(INTROSPECT, 'x'),
      await call(INTROSPECT, `${token.slice(0, -1)}${token.endsWith('0') ? '1' : '0'}`),
      await call(INTROSPECT, app.credentials.platformKey),
      await call(INTROSPECT, await newToken(foreign)),
      await call(INTROSPECT, token, { node: late }),
    ];
    expect(answers.map(({ status, body }) => [status, body])).toEqual(answers.map(() => [200, INACTIVE]));
  });

  it('introspection reflects a change of the operator or the grant at once in this process, and within a second in another one', async () => {
    const operator = await newOperator(app);
    const grantId = await newGrant(app, operator, { scopes: ['connect:bookings:*'] });
    const granted = await newClient(app, operator, { grantId });
    const free = await newClient(app, operator);
    const token = await newToken(granted);
    const seen = async (node: TestApp) => (await call(INTROSPECT, token, { by: free, node })).body['active'];
    const stop = (status: string) =>
      provision(app, {
        operatorGrants: [{ id: grantId, operatorId: operator, scopes: ['connect:bookings:*'], status }],
      });

    expect([await seen(app), await seen(other)]).toEqual([true, true]);
    await stop('paused');
    other.travel({ ms: 1_000 });
    expect([await seen(app), await seen(other)]).toEqual([false, false]);
    await stop('active');
    expect(await seen(app)).toBe(true);

    await provision(app, { operators: [{ id: operator, name: 'Stopped', status: 'inactive' }] });
    expectFault(await call(INTROSPECT, token, { by: free }), 400, 'unauthorized_client');
  });

  it('introspection returns only the scopes that the grant still covers', async () => {
    const operator = await newOperator(app);
    const grantId = await newGrant(app, operator, { scopes: ['connect:bookings:*'] });
    const scopes = ['connect:bookings:read', 'connect:bookings:write'];
    const granted = await newClient(app, operator, { grantId, scopes });
    const token = await newToken(granted);
    await provision(app, {
      operatorGrants: [{ id: grantId, operatorId: operator, scopes: ['connect:bookings:read'] }],
    });

    expect((await call(INTROSPECT, token, { by: granted })).body).toMatchObject({ scope: 'connect:bookings:read' });
  });
});

describe('revocation', () => {
  it('revocation ends a token at once in this process and within a second in another one, and can be repeated', async () => {
    const token = await newToken();
    const uses = (node: TestApp) => node.with(token).get(clientsOf(operatorId));
    expect([(await uses(app)).status, (await uses(other)).status]).toEqual([200, 200]);

    const answers = [await call(REVOKE, token), await call(REVOKE, token), await call(REVOKE, 'x')];

    expect(answers.map(({ status, text }) => [status, text])).toEqual(answers.map(() => [200, '']));
    other.travel({ ms: 1_000 });
    expect([(await uses(app)).status, (await uses(other)).status]).toEqual([401, 401]);
    expect((await call(INTROSPECT, token)).body).toEqual(INACTIVE);
    expect((await call(INTROSPECT, await newToken())).body['active']).toBe(true);
  });

  it('revocation rejects a token of another client, which stays valid', async () => {
    const neighbour = await newClient(app, operatorId);
    const token = await newToken();
    expectFault(await call(REVOKE, token, { by: neighbour }), 400, 'unauthorized_client');
    expect((await call(INTROSPECT, token)).body['active']).toBe(true);
  });
});

describe.each([INTROSPECT, REVOKE])('a call of %s', (path) => {
  it('introspection and revocation answer the same 401 to a client that is unknown, expired or revoked, or that sends a wrong secret', async () => {
    const revoked = await newClient(app, operatorId);
    await app.as('platform').delete(`${clientsOf(operatorId)}/${revoked.clientId}`);
    const inAnHour = new Date(app.now().getTime() + 3_600_000).toISOString();
    const expired = await newClient(app, operatorId, { expiresAt: inAnHour });
    const late = await startApp({ env: { DATABASE_POOL_SIZE: '4' } });
    late.travel({ hours: 2 });
    const answers: Answer[] = [
      await call(path, 'x', { by: { ...client, clientSecret: revoked.clientSecret } }),
      await call(path, 'x', { by: { ...client, clientId: 'occ_unknown' } }),
      await call(path, 'x', { by: revoked }),
      await call(path, 'x', { by: expired, node: late }),
      await app.post(path, { token: 'x' }),
    ];

    for (const answer of answers) {
      expectFault(answer, 401, 'invalid_client');
      expect(answer.headers['www-authenticate']).toBe('Basic realm="connect"');
    }
    const descriptions = answers.map(({ body }) => (body as { error_description: string }).error_description);
    expect(new Set(descriptions).size).toBe(1);
  });

  it('introspection and revocation require a token in the body', async () => {
    const credentials = { client_id: client.clientId, client_secret: client.clientSecret };
    expectFault(await app.post(path, credentials), 400, 'invalid_request');
    expectFault(await app.post(`${path}?token=x`, credentials), 400, 'invalid_request');
    expectFault(await app.post(path, { ...credentials, token: ['x'] }), 400, 'invalid_request');
  });
});

describe('a client whose authentication is cached', () => {
  it('a client whose authentication is cached is rejected with a wrong secret, and accepted with its own', async () => {
    const token = await newToken();
    const wrong = { ...client, clientSecret: `ocs_${'0'.repeat(49)}` };
    const answers = await Promise.all([
      ...Array.from({ length: 5 }, () => call(INTROSPECT, token)),
      ...Array.from({ length: 5 }, () => call(INTROSPECT, token, { by: wrong })),
    ]);
    expect(answers.map(({ status }) => status)).toEqual([...Array<number>(5).fill(200), ...Array<number>(5).fill(401)]);
  });

  it('a client whose authentication is cached is rejected at once after its revocation, and within a second by another process', async () => {
    const revokedClient = await newClient(app, operatorId);
    const statusOn = async (node: TestApp) => (await call(INTROSPECT, 'x', { by: revokedClient, node })).status;
    expect([await statusOn(app), await statusOn(other)]).toEqual([200, 200]);
    const remover = await withKey(app, ['connect:*:delete']);
    await remover.delete(`${clientsOf(operatorId)}/${revokedClient.clientId}`);
    other.travel({ ms: 1_000 });
    expect([await statusOn(app), await statusOn(other)]).toEqual([401, 401]);
  });
});
