import { once } from 'node:events';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { startApp, type TestApp } from '../setup/app.js';
import { onlyAnswer, wire } from './wire.js';

const MINTED = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$/;

let app: TestApp;
beforeAll(async () => {
  app = await startApp();
});

function malformed(requestId: string | undefined): object {
  const issue = { path: '', message: 'The HTTP request is malformed', code: 'malformed' };
  return {
    error: 'The request is invalid',
    code: 'invalid_request',
    requestId,
    details: { issues: [issue], fields: { '': [issue.message] } },
  };
}

describe('a request that the HTTP parser of Node rejects', () => {
  it.each([
    ['bytes that are not HTTP', 'hello\r\n\r\n'],
    ['an unknown method', 'BREW /pot HTTP/1.1\r\nHost: x\r\n\r\n'],
    ['two Content-Lengths', 'POST /foo HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab'],
    [
      'Content-Length beside Transfer-Encoding',
      'POST /foo HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
    ],
    ['a malformed header', 'GET /foo HTTP/1.1\r\nHost: x\r\nno colon here\r\n\r\n'],
  ])('a request with %s is 400 as JSON with X-Request-Id', async (_, bytes) => {
    const { status, headers, body } = await onlyAnswer(app.url, bytes);
    expect(status).toBe(400);
    expect(headers).toMatchObject({
      'content-type': 'application/json; charset=utf-8',
      'x-request-id': expect.stringMatching(MINTED),
      'x-content-type-options': 'nosniff',
      'cache-control': 'private, no-store',
      connection: 'close',
    });
    expect(body).toEqual(malformed(headers['x-request-id']));
  });

  it('headers larger than 16 KiB are 431', async () => {
    const { status, headers, body } = await onlyAnswer(
      app.url,
      `GET /foo HTTP/1.1\r\nHost: x\r\nX-Long: ${'a'.repeat(17_000)}\r\n\r\n`,
    );
    expect(status).toBe(431);
    expect(body).toEqual({
      error: 'The headers are larger than 16 KiB',
      code: 'headers_too_large',
      requestId: headers['x-request-id'],
    });
  });

  it('headers larger than 16 KiB are rejected in the error format of their surface', async () => {
    const long = `HTTP/1.1\r\nHost: x\r\nX-Long: ${'a'.repeat(17_000)}\r\n\r\n`;
    const data = await onlyAnswer(app.url, `GET /data/geo/v1/reference/languages?limit=1 ${long}`);
    expect([data.status, data.body]).toEqual([
      431,
      { code: 'HEADERS_TOO_LARGE', message: 'The headers are larger than 16 KiB' },
    ]);
    const query = await onlyAnswer(
      app.url,
      `GET /data/geo/v1/reference/languages?${'a'.repeat(17_000)} HTTP/1.1\r\n\r\n`,
    );
    expect([query.status, query.body]).toEqual([431, data.body]);
    const vault = await onlyAnswer(app.url, `POST /vault/v1/primary/encrypt ${long}`);
    expect([vault.status, vault.body]).toEqual([431, { error: 'The headers are larger than 16 KiB' }]);
  });

  it('a body with an incomplete encoding is answered by its surface, with the id of its request', async () => {
    const head = 'POST /vault/v1/primary/encrypt HTTP/1.1\r\nHost: x\r\nX-Request-Id: partner-call-1\r\n';
    const type = `Authorization: Bearer ${app.credentials.platformKey}\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n`;
    const { status, headers, body } = await onlyAnswer(app.url, `${head}${type}5\r\n{"pla\r\nnonsense\r\n`);
    expect([status, headers['x-request-id'], body]).toEqual([
      400,
      'partner-call-1',
      { error: 'The HTTP request is malformed' },
    ]);
  });

  it('invalid bytes after a running request end the connection, and do not become the response to that request', async () => {
    const answers = await wire(app.url, 'GET /health/ready HTTP/1.1\r\nHost: x\r\n\r\n\x01\x02\r\n\r\n');
    // The service is either ready or not.
    expect(answers.map(({ body }) => body)).toEqual([expect.objectContaining({ parts: expect.anything() })]);
    expect(answers[0]?.headers['connection']).toBe('close');
  });

  it('a write followed by an additional byte gets its normal response', async () => {
    const body = JSON.stringify({ name: 'One byte too many' });
    const head = `POST /v1/admin/distribution/channels HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${app.credentials.staff.token}\r\n`;
    const typed = `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n`;
    const answers = await wire(app.url, `${head}${typed}${body}}`);
    expect(answers.map(({ status }) => status)).toEqual([201]);
    expect(answers[0]?.body).toMatchObject({ data: { name: 'One byte too many' } });
  });

  it.each([
    ['an unknown encoding', 'Transfer-Encoding: gzip\r\nConnection: close\r\n\r\nabc', 401],
    ['a body that breaks off', 'Transfer-Encoding: chunked\r\n\r\n5\r\nabcde\r\nzz\r\n', 401],
  ])('a request that is rejected before its body is read gets one response: %s', async (_, rest, status) => {
    const answers = await wire(app.url, `POST /vault/v1/primary/encrypt HTTP/1.1\r\nHost: x\r\n${rest}`);
    expect(answers).toHaveLength(1);
    expect([400, status]).toContain(answers[0]?.status);
  });

  it('a client that disconnects before its response affects no other client', async () => {
    const { hostname, port } = new URL(app.url);
    const leave = async () => {
      const socket = connect(Number(port), hostname);
      await once(socket, 'connect');
      const head = 'POST /v1/admin/auth/sessions HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n';
      socket.write(`${head}Content-Length: 100\r\n\r\n{"email":`, () => socket.resetAndDestroy());
      await once(socket, 'close');
    };
    await Promise.all(Array.from({ length: 20 }, leave));
    expect((await app.as('owner').get('/v1/admin/distribution/channels')).status).toBe(200);
  });

  it('headers that do not arrive in time are 408', async () => {
    const { hostname, port } = new URL(app.url);
    const socket = connect(Number(port), hostname);
    await once(socket, 'connect');
    const began = performance.now();
    socket.write('GET /foo HTTP/1.1\r\nHost: x\r\nX-Slow: ');
    const answer = await text(socket);
    expect(performance.now() - began).toBeGreaterThan(9_000);
    expect(answer).toMatch(/^HTTP\/1\.1 408 Request Timeout\r\n/);
    expect(answer).toMatch(/"code":"request_timeout"/);
  });
});
