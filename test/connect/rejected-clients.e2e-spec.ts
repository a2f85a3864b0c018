/** @jest-environment-options {"application":"shared"} */
import { beforeAll, describe, expect, it } from '@jest/globals';
import { startApp, type TestApp } from '../setup/app.js';
import { clientsOf, newClient, newOperator, type OAuthClient, withKey, errorBody } from './partners.js';

let app: TestApp;
let operatorId: string;
let path: string;
beforeAll(async () => {
  app = await startApp();
  operatorId = await newOperator(app);
  path = clientsOf(operatorId);
});

const issues = (...list: { path: string; code: string; message: string }[]) => ({
  issues: list,
  fields: Object.fromEntries(
    list.map(({ path: field }) => [field, list.filter((one) => one.path === field).map((one) => one.message)]),
  ),
});

const HOUR = 3_600_000;
const inHours = (hours: number) => new Date(app.now().getTime() + hours * HOUR).toISOString();

describe('an invalid request for a new client (400)', () => {
  const scope = (index: number) => ({
    path: 'scopes',
    code: 'wrong_format',
    message: `scopes.${index} must start with connect: and name an area and an action, such as connect:bookings:write; or be connect:*`,
    params: { pattern: expect.stringMatching(/^\^connect:/) },
  });

  it('a request for a new client is 400 for an invalid scope with an explanation, and nothing is created', async () => {
    const sent = { name: `Odd scope of ${operatorId}`, scopes: ['connect:bookings:read', 'bookings:write'] };
    const { status, body } = await app.as('platform').post(path, sent);
    expect(status).toBe(400);
    expect(body).toEqual(errorBody('invalid_request', issues(scope(1))));
    expect(await app.sql('select from oauth_clients where name = $1', [sent.name])).toEqual([]);
  });

  it('a request for a new client with 64 scopes and a name of 120 characters is accepted', async () => {
    const scopes = Array.from({ length: 64 }, (_, n) => `connect:area-${n}:read`);
    const client = await newClient(app, operatorId, { scopes, name: '\u{1F6EB}'.repeat(120) });
    expect(client).toMatchObject({ scopes, name: '\u{1F6EB}'.repeat(120) });
  });

  it('a request for a new client with an end in the past is 400', async () => {
    const { status, body } = await app
      .as('platform')
      .post(path, { scopes: ['connect:a:read'], expiresAt: inHours(-1) });
    expect(status).toBe(400);
    const fault = { path: 'expiresAt', code: 'not_in_the_future', message: 'expiresAt must be in the future' };
    expect(body).toEqual(errorBody('invalid_request', issues(fault)));
  });

  it('a request for a new client with an end more than ten years away is 400, within ten years it is accepted', async () => {
    const inTenYears = new Date(app.now());
    inTenYears.setUTCFullYear(inTenYears.getUTCFullYear() + 10);
    const at = (ms: number) => ({
      scopes: ['connect:a:read'],
      expiresAt: new Date(inTenYears.getTime() + ms).toISOString(),
    });

    expect((await app.as('platform').post(path, at(0))).status).toBe(201);
    const { status, body } = await app.as('platform').post(path, at(HOUR));
    expect(status).toBe(400);
    const fault = { path: 'expiresAt', code: 'too_late', message: 'expiresAt must be within 10 years' };
    expect(body).toEqual(errorBody('invalid_request', issues(fault)));
  });
});

describe('a request for a new client without a valid credential (401)', () => {
  it('a request for a new client is 401 without a credential, and with credentials of other surfaces', async () => {
    const bare = await app.post(path, { scopes: ['connect:a:read'] });
    expect(bare.status).toBe(401);
    expect(bare.body).toEqual(errorBody('unauthorized'));
    expect(bare.headers['www-authenticate']).toBe('Bearer realm="connect"');

    const staff = await app.as('owner').post(path, { scopes: ['connect:a:read'] });
    expect(staff.status).toBe(401);
    expect(staff.body).toEqual(errorBody('unauthorized'));
    expect(staff.headers['www-authenticate']).toBe('Bearer realm="connect", error="invalid_token"');
  });
});

describe('a request for a new client without permission (403)', () => {
  it.each(['connect:bookings:read', 'connect:bookings:delete', 'connect:bookings:writer', 'data:geo:read'])(
    'a request for a new client is 403 with the scope %s, which is not a *:write scope',
    async (granted) => {
      const { status, body, headers } = await (await withKey(app, [granted])).post(path, { scopes: [granted] });
      expect(status).toBe(403);
      expect(body).toEqual(errorBody('forbidden', { requiredScope: '*:write' }));
      expect(headers['www-authenticate']).toContain('error="insufficient_scope", scope="*:write"');
    },
  );

  it.each(['connect:bookings:write', 'connect:*:write', 'connect:bookings:*', 'connect:*'])(
    'a request for a new client is accepted with the scope %s',
    async (granted) => {
      const { status } = await (await withKey(app, [granted])).post(path, { scopes: ['connect:bookings:write'] });
      expect(status).toBe(201);
    },
  );

  it('a request for a new client is 403 with the scopes that the caller does not have', async () => {
    const caller = await withKey(app, ['connect:bookings:write']);
    const wanted = ['connect:bookings:write', 'connect:*', 'connect:flights:write', 'connect:bookings:*'];
    const { status, body, headers } = await caller.post(path, { scopes: wanted });

    const excessScopes = ['connect:*', 'connect:flights:write', 'connect:bookings:*'];
    expect(status).toBe(403);
    expect(body).toEqual(errorBody('forbidden', { requiredScope: '*:write', excessScopes }));
    expect(headers['www-authenticate']).toContain(`scope="${excessScopes.join(' ')}"`);
    const { body: page } = await app.as('platform').get<{ data: OAuthClient[] }>(`${path}?limit=200`);
    expect(page.data.filter(({ scopes }) => scopes.includes('connect:flights:write'))).toEqual([]);
  });
});

describe('a request for a client of an unknown operator (404)', () => {
  const unknown = errorBody('not_found', { resource: 'operator' });

  it.each(['op_that_is_not_there', 'x'.repeat(65), 'op%00', 'op%20x', 'op%2Fdemo', '%zz'])(
    'a client of an unknown or malformed operator ID gets the same 404: %s',
    async (malformed) => {
      const { status, body } = await app.as('platform').post(clientsOf(malformed), { scopes: ['connect:a:read'] });
      expect(status).toBe(404);
      expect(body).toEqual(malformed === '%zz' ? errorBody('not_found') : unknown);
    },
  );

  it('a client of an operator that a bound credential cannot see gets the same 404', async () => {
    const caller = await withKey(app, ['connect:*'], operatorId);
    expect((await caller.post(path, { scopes: ['connect:a:read'] })).status).toBe(201);

    const other = await newOperator(app);
    for (const path of [clientsOf(other), clientsOf('nobody')]) {
      const { status, body } = await caller.post(path, { scopes: ['connect:a:read'] });
      expect(status).toBe(404);
      expect(body).toEqual(unknown);
    }
    expect(await app.sql('select from oauth_clients where operator_id = $1', [other])).toEqual([]);
  });
});
