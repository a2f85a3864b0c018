import { beforeAll, describe, expect, it } from '@jest/globals';
import { startApp, type TestApp } from '../setup/app.js';
import { onlyAnswer } from './wire.js';

let app: TestApp;
beforeAll(async () => {
  app = await startApp();
});

describe('ambiguous or incomplete requests', () => {
  const get = (lines: string, path = '/v1/admin/distribution/channels') =>
    onlyAnswer(app.url, `GET ${path} HTTP/1.1\r\n${lines}Connection: close\r\n\r\n`);

  it.each([
    ['Authorization', 'Authorization: Bearer a\r\nAuthorization: Bearer b\r\n'],
    ['Idempotency-Key', 'Idempotency-Key: aaaaaaaa\r\nidempotency-key: bbbbbbbb\r\n'],
    ['If-Match', 'If-Match: "1"\r\nIf-Match: "2"\r\n'],
    ['Content-Type', 'Content-Type: application/json\r\nContent-Type: text/plain\r\n'],
    ['Host', 'Host: y\r\n'],
  ])('a repeated %s header is 400', async (name, lines) => {
    const { status, headers, body } = await get(`Host: x\r\n${lines}`);
    const issue = { path: name, message: 'Duplicate header', code: 'duplicate_header' };
    expect(status).toBe(400);
    expect(body).toEqual({
      error: 'The request is invalid',
      code: 'invalid_request',
      requestId: headers['x-request-id'],
      details: { issues: [issue], fields: { [name]: [issue.message] } },
    });
  });

  it.each([
    ['is missing', ''],
    ['is malformed', 'Host: a b\r\n'],
  ])('a Host that %s is 400', async (_, lines) => {
    const { status, body } = await get(lines, '/realtime/v1/x');
    expect([status, body]).toEqual([400, { error: 'Host: must be a valid host name' }]);
  });

  it('HTTP/1.0 needs no Host', async () => {
    expect((await onlyAnswer(app.url, 'GET /health/live HTTP/1.0\r\n\r\n')).status).toBe(200);
  });

  it('an unsupported Expect header is 417', async () => {
    const { status, headers, body } = await get('Host: x\r\nExpect: miracles\r\n');
    expect([status, body]).toEqual([
      417,
      {
        error: 'The only supported expectation is 100-continue',
        code: 'expectation_failed',
        requestId: headers['x-request-id'],
      },
    ]);
  });

  it('more than 100 headers are 431', async () => {
    const many = Array.from({ length: 101 }, (_, n) => `X-${n}: ${n}\r\n`).join('');
    const { status, body } = await get(`Host: x\r\n${many}`, '/data/x');
    expect([status, body]).toEqual([
      431,
      { code: 'HEADERS_TOO_LARGE', message: 'The request has more than 100 headers' },
    ]);
  });

  it.each(['TRACE', 'CONNECT'])('the method %s is rejected', async (method) => {
    const target = method === 'CONNECT' ? 'example.com:443' : '/v1/admin/distribution/channels';
    const { status, headers, body } = await onlyAnswer(
      app.url,
      `${method} ${target} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`,
    );
    expect(status).toBe(405);
    expect(body).toEqual({
      error: expect.any(String),
      code: 'method_not_allowed',
      requestId: headers['x-request-id'],
    });
  });
});

describe('the query of a request', () => {
  const issue = (path: string, message: string, code: string) => ({
    issues: [expect.objectContaining({ path, message, code })],
    fields: { [path]: [message] },
  });

  it.each(['%zz', '%', '%ff', '%c3%28', 'a=%E0%A4'])('a query with the broken encoding %s is 400', async (query) => {
    const { status, headers, body } = await app.as('owner').get(`/v1/admin/distribution/channels?${query}`);
    expect(status).toBe(400);
    expect(body).toEqual({
      error: 'The request is invalid',
      code: 'invalid_request',
      requestId: headers['x-request-id'],
      details: issue('', 'The query is not percent-encoded UTF-8', 'encoding'),
    });
  });

  it('a query of more than 100 parameters is 400', async () => {
    const { status, body } = await app.get(`/realtime/v1/x?${'a&'.repeat(100)}`);
    expect([status, body]).toEqual([400, { error: 'The query has more than 100 parameters' }]);
  });

  it('an unknown query parameter is 400, also on a route without parameters', async () => {
    const { status, headers, body } = await app.as('owner').post('/v1/admin/distribution/channels?dryRun=true', {
      name: 'an unknown query parameter',
    });
    expect(status).toBe(400);
    expect(body).toEqual({
      error: 'The request is invalid',
      code: 'invalid_request',
      requestId: headers['x-request-id'],
      details: issue('dryRun', 'dryRun is not recognized', 'unknown_member'),
    });
    const token = await app.post('/connect/v1/oauth/token?client_id=occ_x', { grant_type: 'client_credentials' });
    expect([token.status, token.body]).toEqual([
      400,
      {
        error: 'invalid_request',
        error_description: 'client_id: client_id is not recognized',
        code: 'invalid_request',
        requestId: token.headers['x-request-id'],
      },
    ]);
  });

  it('the query is checked after the credential', async () => {
    expect((await app.post('/v1/admin/distribution/channels?dryRun=true', {})).status).toBe(401);
  });

  it('a query of the storefront may have unknown parameters, as trackers add them', async () => {
    expect((await app.get('/v1/public/legal/contracts/nobodys?utm_source=mail')).status).toBe(404);
  });
});

describe('OPTIONS', () => {
  it('OPTIONS lists the methods of a path', async () => {
    const { status, headers, text: body } = await app.request('OPTIONS', '/v1/admin/distribution/channels');
    expect([status, headers['allow'], body]).toEqual([204, 'GET, HEAD, POST, OPTIONS', '']);
  });

  it('OPTIONS of an unknown path is 404', async () => {
    const { status, body, headers } = await app.request('OPTIONS', '/v1/admin/nothing');
    expect([status, body]).toEqual([
      404,
      { error: 'No operation has this path', code: 'not_found', requestId: headers['x-request-id'] },
    ]);
  });

  it('OPTIONS of a browser preflight is answered by CORS', async () => {
    const office = await startApp({ env: { CORS_ORIGINS: 'https://office.example.com' } });
    const headers = { Origin: 'https://office.example.com', 'Access-Control-Request-Method': 'POST' };
    const { status, headers: answered } = await office.request('OPTIONS', '/v1/admin/distribution/channels', {
      headers,
    });
    expect([status, answered['access-control-allow-origin']]).toEqual([204, 'https://office.example.com']);
  });
});

it.each(['null', ' true', '-1.5e3', '"name \\" "', `"${'long'.repeat(10_000)}"`])(
  'the JSON body %.20s is not an object: 400',
  async (raw) => {
    const { status, body, headers } = await app.as('owner').post('/v1/admin/distribution/channels', undefined, {
      raw,
      headers: { 'content-type': 'application/json' },
    });
    const issue = { path: '', message: 'The body must be a JSON object', code: 'wrong_type' };
    expect([status, body]).toEqual([
      400,
      {
        error: 'The request is invalid',
        code: 'invalid_request',
        requestId: headers['x-request-id'],
        details: { issues: [issue], fields: { '': [issue.message] } },
      },
    ]);
  },
);
