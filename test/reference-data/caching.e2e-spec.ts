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

  it('may be kept for five minutes, by the client alone', async () => {
    const { headers } = await client.get(path);

    expect(headers['cache-control']).toBe('private, max-age=300');
    expect(headers.vary).toBe('Authorization, Accept');
  });

  it('has one ETag per query, whichever process answers', async () => {
    const other = (await startApp()).as('platform');
    const tags = await Promise.all(['', '?lang=de', '?limit=5', '?limit=6', '?limit=5&lang=de'].map(tagOf));

    expect(new Set(tags).size).toBe(5);
    expect((await other.get(`${path}?limit=5`)).headers.etag).toBe(tags[2]);
    expect(await tagOf('?limit=500&lang=en')).toBe(tags[0]);
  });

  it.each([
    ['the ETag', (tag: string) => tag],
    ['a list that holds it', (tag: string) => `"other", ${tag}`],
    ['its weak form, which caches send', (tag: string) => `W/${tag}`],
    ['*', () => '*'],
  ])('answers If-None-Match with %s by 304 without a body', async (_form, header) => {
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

  it('answers 304 also to clients such as fetch, which add Cache-Control: no-cache', async () => {
    const { status } = await client.get(path, {
      headers: { 'If-None-Match': await tagOf(), 'Cache-Control': 'no-cache', Pragma: 'no-cache' },
    });

    expect(status).toBe(304);
  });

  it('answers If-None-Match with the ETag of another query by the whole list', async () => {
    const { status, body } = await client.get<{ data: unknown[] }>(path, {
      headers: { 'If-None-Match': await tagOf('?lang=de') },
    });

    expect(status).toBe(200);
    expect(body.data.length).toBeGreaterThan(10);
  });

  it('does not let a valid ETag past the checks', async () => {
    const tag = await tagOf();

    const answers = await Promise.all([
      client.get(`${path}?limit=0`, { headers: { 'If-None-Match': '*' } }),
      client.with('tpk_wrong').get(path, { headers: { 'If-None-Match': tag } }),
    ]);

    expect(answers.map(({ status }) => status)).toEqual([400, 401]);
  });

  it('answers HEAD like GET, without the body', async () => {
    const { status, text, headers } = await client.request('HEAD', path);

    expect(status).toBe(200);
    expect(text).toBe('');
    expect(headers.etag).toBe(await tagOf());
  });
});
