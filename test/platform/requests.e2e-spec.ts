import { beforeAll, describe, expect, it } from '@jest/globals';
import { searchable } from '../catalog/catalog.js';
import { startApp, type TestApp } from '../setup/app.js';

let app: TestApp;
beforeAll(async () => {
  app = await startApp();
});

/** A path of each surface that needs a credential, with the error code of the surface for an unknown one. */
const GUARDED = ['/v1/admin/distribution/channels', '/connect/v1/connector-providers', '/vault/v1/primary/encrypt'];
const UNKNOWN = [
  '/v1/public/nothing',
  '/v1/admin/nothing',
  '/connect/v1/nothing',
  '/vault/v1/x/y',
  '/realtime/v1/x',
  '/data/x',
  '/foo',
];
const MINTED = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$/;

describe('X-Request-Id', () => {
  it.each(UNKNOWN)('X-Request-Id is generated for an unknown route of any surface: %s', async (path) => {
    const { status, headers } = await app.get(path);
    expect(status).toBe(404);
    expect(headers['x-request-id']).toMatch(MINTED);
  });

  it.each(GUARDED)('X-Request-Id is in the response of a guard that rejects: %s', async (path) => {
    const { status, headers } = await app.request(path.endsWith('encrypt') ? 'POST' : 'GET', path);
    expect(status).toBe(401);
    expect(headers['x-request-id']).toMatch(MINTED);
  });

  it('X-Request-Id is returned if it is valid, and equals that of the body', async () => {
    const { headers, body } = await app.get('/v1/admin/x', { headers: { 'X-Request-Id': 'partner.call_0-1' } });
    expect(headers['x-request-id']).toBe('partner.call_0-1');
    expect(body).toEqual({ error: 'No operation has this path', code: 'not_found', requestId: 'partner.call_0-1' });
  });

  it.each(['short', 'has blank here', 'a'.repeat(129), 'semi;colon'])(
    'X-Request-Id is replaced if it is invalid: %s',
    async (id) => {
      const { headers } = await app.get('/foo', { headers: { 'X-Request-Id': id } });
      expect(headers['x-request-id']).toMatch(MINTED);
    },
  );
});

describe('a path with repeated slashes', () => {
  const UNKNOWN_PATH = 'No operation has this path';
  const PLAIN = { error: UNKNOWN_PATH };
  const DATA = { code: 'NOT_FOUND', message: UNKNOWN_PATH };
  const TRADE = { error: UNKNOWN_PATH, code: 'not_found', requestId: expect.any(String) };
  const OAUTH = {
    error: 'not_found',
    error_description: UNKNOWN_PATH,
    code: 'not_found',
    requestId: expect.any(String),
  };

  it.each([
    ['/vault', PLAIN],
    ['/vault/v1/primary/encrypt', PLAIN],
    ['/realtime', PLAIN],
    ['/realtime/v1/channels/demo.news/messages', PLAIN],
    ['/data', DATA],
    ['/data/geo/v1/reference/languages', DATA],
    ['/connect/v1/oauth/token', OAUTH],
    ['/connect/v1/operators', TRADE],
    ['/v1/admin/distribution/channels', TRADE],
    ['/v1/public/catalog/search', TRADE],
  ])('a path with repeated slashes has the error body of its surface: %s', async (path, body) => {
    const doubled = path.replaceAll('/', '//');
    const spellings = [
      `/${path}`,
      `//${path}/`,
      `/${path}//`,
      doubled,
      `${doubled}//`,
      doubled.toUpperCase(),
      `/${path}?a=1`,
    ];
    for (const spelling of spellings) {
      const answer = await app.as('platform').get(spelling);
      expect([spelling, answer.status, answer.body]).toEqual([spelling, 404, body]);
    }
  });
});

describe('a body that cannot be parsed', () => {
  const JSON_TYPE = { 'content-type': 'application/json' };
  const path = '/v1/admin/distribution/channels';

  it('broken JSON is 400 in the body of the surface, without a credential', async () => {
    const { status, body, headers } = await app.post(path, undefined, { raw: '{"name":', headers: JSON_TYPE });
    expect(status).toBe(400);
    const issue = { path: '', message: 'The body is not valid JSON', code: 'malformed' };
    expect(body).toEqual({
      error: 'The request is invalid',
      code: 'invalid_request',
      requestId: headers['x-request-id'],
      details: { issues: [issue], fields: { '': [issue.message] } },
    });
  });

  it('broken JSON to the vault is 400 with only an error', async () => {
    const { status, body } = await app.post('/vault/v1/primary/encrypt', undefined, { raw: '{', headers: JSON_TYPE });
    expect(status).toBe(400);
    expect(body).toEqual({ error: 'The body is not valid JSON' });
  });

  it.each([
    ['a number beyond 2^53-1', '{"name": 9007199254740993}', 'inexact_number'],
    ['nesting beyond 32 levels', '['.repeat(40_000), 'too_deep'],
    ['bytes that are not UTF-8', Buffer.from([0x22, 0xff, 0x22]), 'encoding'],
  ])('%s is 400', async (_, raw, code) => {
    const { status, body } = await app.as('owner').post<{ details: { issues: { code: string }[] } }>(path, undefined, {
      raw,
      headers: JSON_TYPE,
    });
    expect(status).toBe(400);
    expect(body.details.issues.map((issue) => issue.code)).toEqual([code]);
  });

  it.each([
    ['text/plain', {}],
    ['application/json; charset=latin1', {}],
    ['application/json', { 'content-encoding': 'br' }],
    ['', {}],
  ])('content type %s with %j is 415', async (type, more) => {
    const headers = { ...(type ? { 'content-type': type } : {}), ...more };
    // A compressed body is read only with a credential.
    const client = 'content-encoding' in more ? app.as('owner') : app;
    const { status, body, headers: answered } = await client.post(path, undefined, { raw: '{}', headers });
    expect(status).toBe(415);
    expect(body).toEqual({
      error: expect.any(String),
      code: 'unsupported_media_type',
      requestId: answered['x-request-id'],
    });
  });

  it('a body larger than 1 MiB is 413, and to the vault one larger than 512 KiB', async () => {
    const large = (bytes: number) => ({ raw: JSON.stringify({ name: 'x'.repeat(bytes) }), headers: JSON_TYPE });
    const staff = await app.as('owner').post(path, undefined, large(1_050_000));
    expect([staff.status, staff.body]).toEqual([
      413,
      { error: 'The body is too large', code: 'payload_too_large', requestId: staff.headers['x-request-id'] },
    ]);
    const vault = await app.as('platform').post('/vault/v1/primary/encrypt', undefined, large(530_000));
    expect([vault.status, vault.body]).toEqual([413, { error: 'The body is too large' }]);
  });
});

describe('a member with a name of 1,000 characters', () => {
  const contracts = '/v1/admin/legal/contracts';
  const contract = { title: 'Travel contract', body: '<p>Hello</p>' };
  const name = '🧳'.repeat(1_000);

  it('a member with a name of 1,000 characters is rejected once, with its name truncated', async () => {
    const faults = Object.fromEntries(Array.from({ length: 120 }, (_, at) => [`k${at}`, '\0']));
    const { status, body } = await app.as('owner').post(contracts, { ...contract, metadata: { [name]: faults } });
    expect(status).toBe(400);
    const path = `metadata.${'🧳'.repeat(95)}…`;
    const message = 'NUL is not allowed in text';
    const issues = Array.from({ length: 100 }, () => ({ path, message, code: 'nul' }));
    const fields = { [path]: issues.map((issue) => issue.message) };
    expect(body).toMatchObject({ code: 'invalid_request', details: { issues, fields } });
  });

  it('an unknown member with a long name is rejected with its name truncated between whole characters', async () => {
    const { status, body } = await app.as('owner').post(contracts, { ...contract, [name]: 1 });
    expect(status).toBe(400);
    const path = `${'🧳'.repeat(99)}\ufffd…`;
    const message = `${'🧳'.repeat(499)}\ufffd…`;
    const issues = [{ path, message, code: 'unknown_member' }];
    expect(body).toMatchObject({ code: 'invalid_request', details: { issues, fields: { [path]: [message] } } });
  });
});

describe('a member with the name of an object property of JavaScript', () => {
  it.each([
    ['__proto__', 'This name is not allowed', 'forbidden_name'],
    ['constructor', 'This name is not allowed', 'forbidden_name'],
    ['toString', 'toString is not recognized', 'unknown_member'],
  ])('the member %s is rejected like other unknown members', async (path, message, code) => {
    const { status, text, headers } = await app.as('owner').post('/v1/admin/distribution/channels', undefined, {
      raw: `{"name":"x","${path}":{"isAdmin":true}}`,
      headers: { 'content-type': 'application/json' },
    });
    expect(status).toBe(400);
    // Compares text, because a matcher would treat `__proto__` of an object literal as its prototype.
    const fields = `{"${path}":["${message}"]}`;
    expect(text).toBe(
      `{"error":"The request is invalid","code":"invalid_request","requestId":"${headers['x-request-id']}",` +
        `"details":{"issues":[${JSON.stringify({ path, message, code })}],"fields":${fields}}}`,
    );
  });

  it.each([
    ['toString', 'unknown_member'],
    ['hasOwnProperty', 'unknown_member'],
    ['__proto__', 'forbidden_name'],
  ])('the query parameter %s is rejected like other unknown parameters', async (name, code) => {
    const { status, body, headers } = await app.as('owner').get(`/v1/admin/distribution/channels?${name}=1`);
    expect(status).toBe(400);
    expect(body).toEqual({
      error: 'The request is invalid',
      code: 'invalid_request',
      requestId: headers['x-request-id'],
      details: {
        issues: [{ path: name, message: expect.any(String), code }],
        fields: Object.fromEntries([[name, [expect.any(String)]]]),
      },
    });
  });
});

describe('If-None-Match: *', () => {
  it('If-None-Match: * does not hide a response that has no version', async () => {
    const { status, body } = await app
      .as('owner')
      .get<{ limit: number }>('/v1/admin/distribution/channels?limit=1', { headers: { 'If-None-Match': '*' } });
    expect([status, body.limit]).toEqual([200, 1]);
  });
});

describe('a method that a path does not support', () => {
  it('a method that a path does not support is 405 with the supported ones', async () => {
    const { status, headers, body } = await app.delete('/v1/admin/distribution/channels');
    expect(status).toBe(405);
    expect(headers['allow']).toBe('GET, HEAD, POST');
    expect(body).toEqual({
      error: 'Method not allowed; use GET, HEAD, POST',
      code: 'method_not_allowed',
      requestId: headers['x-request-id'],
    });
  });
});

describe('a path that cannot be decoded', () => {
  it.each(['/v1/admin/distribution/channels/%zz', '/v1/admin/distribution/channels/%ff'])(
    'the undecodable path %s is 404',
    async (path) => {
      const { status, body, headers } = await app.as('owner').get(path);
      expect(status).toBe(404);
      expect(body).toEqual({ error: 'Not found', code: 'not_found', requestId: headers['x-request-id'] });
    },
  );
});

describe('SURFACES', () => {
  it('a process serves its own surfaces only', async () => {
    const platform = await startApp({ env: { SURFACES: 'data,vault' } });
    expect((await platform.as('owner').get('/v1/admin/distribution/channels')).status).toBe(404);
    expect((await platform.as('platform').get('/data/geo/v1/reference/languages')).status).toBe(200);
    expect((await platform.get('/health/live')).status).toBe(200);
  });
});

describe('health', () => {
  it('health is live, and ready with the state of its parts', async () => {
    expect((await app.get('/health/live')).body).toEqual({ status: 'ok' });
    await searchable(app);
    expect((await app.get('/health/ready')).body).toEqual({
      status: 'ok',
      parts: { database: { ok: true, milliseconds: expect.any(Number) }, catalog: { ok: true }, disk: { ok: true } },
    });
  });
});

describe('a name that JavaScript reserves', () => {
  const JSON_TYPE = { 'content-type': 'application/json' };

  it.each(['constructor', '__proto__', 'prototype'])(
    'the name %s at the top of a body is 400 and in the message',
    async (name) => {
      const { status, body } = await app.post<{
        code: string;
        details: { issues: { path: string }[]; fields: object };
      }>('/v1/admin/identity/sessions', undefined, { raw: `{"${name}": 1}`, headers: JSON_TYPE });
      expect([status, body.code]).toEqual([400, 'invalid_request']);
      expect(body.details.issues.map(({ path }) => path)).toContain(name);
      expect(Object.keys(body.details.fields)).toContain(name);
    },
  );

  it.each(['constructor', '__proto__'])('the name %s in a query is 400', async (name) => {
    const { status } = await app.as('owner').get(`/v1/admin/distribution/channels?${name}=1`);
    expect(status).toBe(400);
  });
});
