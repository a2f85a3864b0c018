import { beforeAll, describe, expect, it } from '@jest/globals';
import { SigningKeys } from '../../src/platform/keys/signing-keys.js';
import { startApp, type TestApp } from '../setup/app.js';
import type { TestClient } from '../setup/client.js';
import { codesOf, type LanguagePage, walk } from './pages.js';

const PATH = '/data/geo/v1/reference/languages';
const INVALID_REQUEST = { code: 'INVALID_REQUEST', message: expect.any(String) };

let app: TestApp;
let client: TestClient;

beforeAll(async () => {
  app = await startApp();
  client = app.as('limited');
});

async function read(query = ''): Promise<LanguagePage> {
  const { status, body } = await client.get<LanguagePage>(PATH + query);
  expect(status).toBe(200);
  return body;
}

async function nameOf(code: string, lang: string): Promise<string | undefined> {
  const { data } = await read(`?lang=${lang}`);
  return data.find((language) => language.code === code)?.name;
}

describe('the language catalog', () => {
  it('the language catalog is returned completely without parameters: 184 two-letter codes, sorted, without nextCursor', async () => {
    const page = await read();

    expect(Object.keys(page)).toEqual(['data', 'totalCount']);
    expect(page.totalCount).toBe(184);
    expect(page.data).toHaveLength(184);
    expect(codesOf(page)).toEqual([...new Set(codesOf(page))].sort());
    expect(page.data.filter((entry) => Object.keys(entry).join() !== 'code,name')).toEqual([]);
    expect(codesOf(page).filter((code) => !/^[a-z]{2}$/.test(code))).toEqual([]);
    expect(page.data).toContainEqual({ code: 'de', name: 'German' });
  });

  it.each([
    ['cs', 'pt-BR', 'tcheco'],
    ['cs', 'pt-PT', 'checo'],
    ['cs', 'pt-AO', 'checo'],
    ['de', 'DE', 'Deutsch'],
    ['de', 'de-LI-1996-u-co-phonebk', 'Deutsch'],
    ['fr', 'zh-TW', '法文'],
    ['fr', 'zh-SG', '法语'],
    ['de', 'iw', 'גרמנית'],
    ['de', 'qqq', 'German'],
    ['de', 'x-ours', 'German'],
    ['de', 'i-klingon', 'German'],
  ])('the language catalog returns the name of %s in lang=%s, its parent or English: %s', async (code, lang, name) => {
    expect(await nameOf(code, lang)).toBe(name);
  });

  it('the language catalog returns English names by default', async () => {
    expect(await read()).toEqual(await read('?lang=en'));
  });
});

describe('paging through the language catalog', () => {
  it('paging through the language catalog with limit 50 returns each code once, and no nextCursor at the end', async () => {
    const pages = await walk(client, PATH, 'limit=50');

    expect(pages.map(({ data }) => data.length)).toEqual([50, 50, 50, 34]);
    expect(pages.map((page) => 'nextCursor' in page)).toEqual([true, true, true, false]);
    expect(pages.map(({ totalCount }) => totalCount)).toEqual([184, 184, 184, 184]);
    expect(pages.flatMap(codesOf)).toEqual(codesOf(await read()));
  });

  it.each([
    [1, 1, true],
    [183, 183, true],
    [184, 184, false],
    [1000, 184, false],
  ])(
    'paging through the language catalog with limit %d returns %d entries; more pages follow: %s',
    async (limit, length, more) => {
      const page = await read(`?limit=${limit}`);

      expect(page.data).toHaveLength(length);
      expect('nextCursor' in page).toBe(more);
    },
  );

  it('paging through the language catalog keeps the language of the names, and can change the limit between pages', async () => {
    const { nextCursor } = await read('?limit=100&lang=fr');
    const rest = await read(`?lang=FR&cursor=${nextCursor}`);

    expect(rest.data).toHaveLength(84);
    expect(rest.data.at(-1)).toEqual({ code: 'zu', name: 'zoulou' });
    expect('nextCursor' in rest).toBe(false);
  });

  it('paging through the language catalog returns Link with rel="next" while more pages follow', async () => {
    const first = await client.get<LanguagePage>(`${PATH}?limit=150&lang=zh-TW`);
    const [, next = ''] = /^<([^>]+)>; rel="next"$/.exec(first.headers.link ?? '') ?? [];
    const last = await client.get<LanguagePage>(next);

    expect(last.body.data).toHaveLength(34);
    expect(last.body.data[0]?.name).toMatch(/文|語/);
    expect(last.headers.link).toBeUndefined();
  });

  it('paging through the language catalog continues in another process', async () => {
    const other = (await startApp()).as('limited');
    const { nextCursor } = await read('?limit=180');

    const { status, body } = await other.get<LanguagePage>(`${PATH}?cursor=${nextCursor}`);

    expect(status).toBe(200);
    expect(codesOf(body)).toEqual(['yo', 'za', 'zh', 'zu']);
  });
});

describe('a request that is rejected with 400 INVALID_REQUEST', () => {
  it.each(['limit=1e2', 'lang=de_DE', 'cursor=abc', 'cursor=abc.def', 'page=2'])(
    'a request for languages is 400 INVALID_REQUEST if it has %s',
    async (query) => {
      const { status, body, headers } = await client.get(`${PATH}?${query}`);

      expect(status).toBe(400);
      expect(body).toEqual(INVALID_REQUEST);
      expect(headers['cache-control']).toBe('private, no-store');
      expect(headers.etag).toBeUndefined();
    },
  );

  it('a cursor that was changed, extended or truncated is 400 INVALID_REQUEST', async () => {
    const { nextCursor = '' } = await read('?limit=10');
    const changed = [...nextCursor].map((letter, at) => {
      return nextCursor.slice(0, at) + (letter === 'A' ? 'B' : 'A') + nextCursor.slice(at + 1);
    });
    const forged = [...changed, `${nextCursor}A`, `${nextCursor}.A`, nextCursor.slice(0, -1), nextCursor.slice(1)];

    const answers = await Promise.all(forged.map((cursor) => client.get(`${PATH}?limit=10&cursor=${cursor}`)));

    expect(nextCursor.length).toBeGreaterThan(30);
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([400]));
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
    expect(answers[0]?.body).toEqual({
      code: 'INVALID_REQUEST',
      message: 'cursor: is not a cursor of this list and language',
    });
  });

  it('a cursor of another language is 400 INVALID_REQUEST', async () => {
    const { nextCursor } = await read('?limit=10&lang=de');

    const answers = await Promise.all(
      ['', '&lang=en', '&lang=de-AT'].map((more) => client.get(`${PATH}?cursor=${nextCursor}${more}`)),
    );

    expect(answers.map(({ status }) => status)).toEqual([400, 400, 400]);
    expect(answers.map(({ body }) => body)).toEqual([INVALID_REQUEST, INVALID_REQUEST, INVALID_REQUEST]);
  });

  it('a cursor of another list is 400 INVALID_REQUEST', async () => {
    const hotels = '/data/hotels/v1/reviewsite/reference/languages';
    const { body } = await app.as('platform').get<LanguagePage>(`${hotels}?limit=3`);

    const answer = await client.get(`${PATH}?limit=3&cursor=${body.nextCursor}`);

    expect(body.nextCursor).toEqual(expect.any(String));
    expect(answer.status).toBe(400);
    expect(answer.body).toEqual(INVALID_REQUEST);
  });

  it('a value that the service signed for another purpose is 400 INVALID_REQUEST as a cursor', async () => {
    const { nextCursor = '' } = await read('?limit=10');
    const content: unknown = JSON.parse(Buffer.from(nextCursor.split('.')[0] ?? '', 'base64url').toString());
    const sealed = await app.nest.get(SigningKeys).sign('something-else', content);

    const answer = await client.get(`${PATH}?limit=10&cursor=${sealed}`);

    expect(sealed.split('.')[0]).toBe(nextCursor.split('.')[0]);
    expect(answer.status).toBe(400);
    expect(answer.body).toEqual(INVALID_REQUEST);
  });
});
