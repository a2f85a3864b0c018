/** @jest-environment-options {"application":"shared"} */
import { beforeAll, describe, expect, it } from '@jest/globals';
import { startApp } from '../setup/app.js';
import type { TestClient } from '../setup/client.js';

let client: TestClient;

beforeAll(async () => {
  client = (await startApp()).as('platform');
});

describe.each([
  ['geo languages', '/data/geo/v1/reference/languages'],
  ['review languages', '/data/hotels/v1/reviewsite/reference/languages'],
])('caching of the %s', (_name, path) => {
  async function tagOf(query = ''): Promise<string> {
    const { headers } = await client.get(path + query);
    expect(headers.etag).toMatch(/^"[\w-]{22}"$/);
    return headers.etag ?? '';
  }

  it('a language list may be cached for five minutes, only by the client', async () => {
    const { headers } = await client.get(path);

    expect(headers['cache-control']).toBe('private, max-age=300');
    expect(headers.vary).toBe('Authorization, Accept, Origin');
  });

  it('a language list has the same ETag per query in every process', async () => {
    const other = (await startApp()).as('platform');
    const tags = await Promise.all(['', '?lang=de', '?limit=5', '?limit=6', '?limit=5&lang=de'].map(tagOf));

    expect(new Set(tags).size).toBe(5);
    expect((await other.get(`${path}?limit=5`)).headers.etag).toBe(tags[2]);
    expect(await tagOf('?limit=500&lang=en')).toBe(tags[0]);
  });

  it.each([
    ['the ETag', (tag: string) => tag],
    ['a list that contains it', (tag: string) => `"other", ${tag}`],
    ['its weak form, which caches send', (tag: string) => `W/${tag}`],
    ['*', () => '*'],
  ])('a language list returns 304 without a body for If-None-Match with %s', async (_form, header) => {
    const tag = await tagOf('?limit=5');

    const { status, text, headers } = await client.get(`${path}?limit=5`, {
      headers: { 'If-None-Match': header(tag) },
    });

    expect(status).toBe(304);
    expect(text).toBe('');
    expect(headers.etag).toBe(tag);
    expect(headers['cache-control']).toBe('private, max-age=300');
    expect(headers['content-type']).toBeUndefined();
  });

  it('a language list returns 304 also for clients such as fetch, which add Cache-Control: no-cache', async () => {
    const { status } = await client.get(path, {
      headers: { 'If-None-Match': await tagOf(), 'Cache-Control': 'no-cache', Pragma: 'no-cache' },
    });

    expect(status).toBe(304);
  });

  it('a language list is returned completely for If-None-Match with the ETag of another query', async () => {
    const { status, body } = await client.get<{ data: unknown[] }>(path, {
      headers: { 'If-None-Match': await tagOf('?lang=de') },
    });

    expect(status).toBe(200);
    expect(body.data.length).toBeGreaterThan(10);
  });

  it('a language list checks the credential before the ETag', async () => {
    const tag = await tagOf();

    const answers = await Promise.all([
      client.get(`${path}?limit=0`, { headers: { 'If-None-Match': '*' } }),
      client.with('tpk_wrong').get(path, { headers: { 'If-None-Match': tag } }),
    ]);

    expect(answers.map(({ status }) => status)).toEqual([400, 401]);
  });

  it('a language list has the same headers for HEAD as for GET, without the body', async () => {
    const { status, text, headers } = await client.request('HEAD', path);

    expect(status).toBe(200);
    expect(text).toBe('');
    expect(headers.etag).toBe(await tagOf());
  });
});
