import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Agent, createServer, type Server } from 'node:http';
import { text } from 'node:stream/consumers';
import { readContract, TestClient } from './client.js';

const echo = {
  type: 'object',
  required: ['method', 'url', 'authorization', 'type', 'sent'],
  properties: Object.fromEntries(
    ['method', 'url', 'authorization', 'type', 'sent'].map((name) => [name, { type: 'string', nullable: true }]),
  ),
};
const responses = { 200: { content: { 'application/json': { schema: echo } } } };
const document = { openapi: '3.0.0', paths: { '/echo/{id}': { get: { responses }, post: { responses } } } };

describe('the test client', () => {
  const agent = new Agent({ keepAlive: true });
  let server: Server;
  let client: TestClient;

  beforeAll(async () => {
    server = createServer((request, response) => {
      void text(request).then((sent) => {
        const { method, url, headers } = request;
        const seen = {
          method,
          url,
          authorization: headers.authorization ?? null,
          type: headers['content-type'] ?? null,
          sent,
        };
        const broken = url === '/echo/broken' ? { unexpected: true } : {};
        response.setHeader('X-Request-Id', 'request-0001').setHeader('Content-Type', 'application/json');
        response.end(JSON.stringify(url === '/openapi.json' ? document : { ...seen, ...broken }));
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const address = server.address();
    const port = typeof address === 'object' && address ? address.port : 0;
    const url = new URL(`http://127.0.0.1:${port}`);
    client = new TestClient({ url, agent, contract: await readContract(url, agent) });
  });

  afterAll(async () => {
    agent.destroy();
    await new Promise((resolve) => server.close(resolve));
  });

  it('the test client sends path and query exactly as they are written', async () => {
    const { body } = await client.get<{ url: string }>('/echo/%zz..%2F?a=1&a=2');
    expect(body.url).toBe('/echo/%zz..%2F?a=1&a=2');
  });

  it('the test client sends a body as JSON, and its credential', async () => {
    const { body } = await client.with('secret').post('/echo/1', { a: 1 });
    expect(body).toEqual({
      method: 'POST',
      url: '/echo/1',
      authorization: 'Bearer secret',
      type: 'application/json',
      sent: '{"a":1}',
    });
  });

  it('the test client sends raw bytes with the content type of the test, and no credential unless requested', async () => {
    const { body } = await client.post('/echo/1', undefined, {
      raw: '{"a":',
      headers: { 'Content-Type': 'text/plain' },
    });
    expect(body).toEqual({ method: 'POST', url: '/echo/1', authorization: null, type: 'text/plain', sent: '{"a":' });
  });

  it('the test client sends no content type without a body', async () => {
    const { body } = await client.post('/echo/1');
    expect(body).toEqual({ method: 'POST', url: '/echo/1', authorization: null, type: null, sent: '' });
  });

  it('the test client fails the test on a response that the document does not contain', async () => {
    await expect(client.get('/echo/broken')).rejects.toThrow(/GET \/echo\/broken answered 200[^]*unexpected/);
  });
});
