import { beforeAll, describe, expect, it } from '@jest/globals';
import { type AppliedSection, Provisioning } from '../../src/platform/provisioning/provisioning.js';
import { startApp, type TestApp } from '../setup/app.js';
import type { TestClient } from '../setup/client.js';
import { codesOf, type LanguagePage, walk } from './pages.js';

const GEO = '/data/geo/v1/reference/languages';
const NOT_FOUND = { code: 'NOT_FOUND', message: 'Not found' };
const pathOf = (source: string) => `/data/hotels/v1/${source}/reference/languages`;

let app: TestApp;
let client: TestClient;

beforeAll(async () => {
  app = await startApp();
  client = app.as('platform');
});

function provision(...reviewSources: object[]): Promise<AppliedSection[]> {
  return app.nest.get(Provisioning).apply({ reviewSources });
}

async function read(source: string, query = ''): Promise<LanguagePage> {
  const { status, body } = await client.get<LanguagePage>(pathOf(source) + query);
  expect(status).toBe(200);
  return body;
}

describe('the languages of a review source', () => {
  it('the languages of a review source exist for reviewsite in every deployment, in the envelope of the geo catalog', async () => {
    const page = await read('reviewsite');

    expect(Object.keys(page)).toEqual(['data', 'totalCount']);
    expect(page.totalCount).toBe(page.data.length);
    expect(codesOf(page)).toEqual(expect.arrayContaining(['de', 'en', 'es', 'fr', 'it', 'ja', 'zh']));
    expect(codesOf(page)).toEqual([...codesOf(page)].sort());
  });

  it.each(['en', 'de', 'zh-TW'])(
    'the languages of a review source are entries of the geo catalog with the same names (lang=%s)',
    async (lang) => {
      const { body: geo } = await client.get<LanguagePage>(`${GEO}?lang=${lang}`);
      const { data } = await read('reviewsite', `?lang=${lang}`);

      expect(data.length).toBeGreaterThan(10);
      expect(geo.data).toEqual(expect.arrayContaining(data));
    },
  );

  it('the languages of a review source have pages as the geo catalog: each code once, no nextCursor at the end', async () => {
    const pages = await walk(client, pathOf('reviewsite'), 'limit=10');
    const whole = await read('reviewsite');

    expect(pages.length).toBe(Math.ceil(whole.totalCount / 10));
    expect(pages.flatMap(({ data }) => data)).toEqual(whole.data);
    expect(pages.map((page) => 'nextCursor' in page).lastIndexOf(true)).toBe(pages.length - 2);
  });

  it.each(['limit=0', 'cursor=abc'])('the languages of a review source are rejected with 400 for %s', async (query) => {
    const { status, body } = await client.get(`${pathOf('reviewsite')}?${query}`);

    expect(status).toBe(400);
    expect(body).toEqual({ code: 'INVALID_REQUEST', message: expect.any(String) });
  });

  it('the languages of a review source reject a cursor of the geo catalog', async () => {
    const { body } = await client.get<LanguagePage>(`${GEO}?limit=10`);

    const answer = await client.get(`${pathOf('reviewsite')}?limit=10&cursor=${body.nextCursor}`);

    expect(answer.status).toBe(400);
    expect(answer.body).toEqual({
      code: 'INVALID_REQUEST',
      message: 'cursor: is not a cursor of this list and language',
    });
  });
});

describe('an unknown review source', () => {
  it.each(['nowhere', 'REVIEWSITE', 'review_site', '%00', '%ff', '%zz', 'a%2Fb', 'a'.repeat(64), "x'--"])(
    'the unknown review source %s gets 404 NOT_FOUND',
    async (source) => {
      const { status, body, headers } = await client.get(pathOf(source));

      expect(status).toBe(404);
      expect(body).toEqual(NOT_FOUND);
      expect(headers['cache-control']).toBe('private, no-store');
    },
  );
});

describe('the provisioning of review sources', () => {
  it('the provisioning of review sources gives an alias the same list, the same ETag and the same cursors as the key', async () => {
    await provision({ key: 'reviewsite', aliases: ['tripsite'] });
    const [entry, alias] = await Promise.all(['reviewsite', 'tripsite'].map((name) => client.get(pathOf(name))));
    const { nextCursor } = await read('reviewsite', '?limit=20');

    expect(alias?.body).toEqual(entry?.body);
    expect(alias?.headers.etag).toBe(entry?.headers.etag);
    expect(codesOf(await read('tripsite', `?cursor=${nextCursor}`))).toEqual(
      codesOf(await read('reviewsite')).slice(20),
    );
  });

  it('the provisioning of review sources stores a list for each source, and a change updates its ETag and totalCount', async () => {
    await provision({ key: 'alpine-reviews', languages: ['it', 'de', 'fr'], aliases: ['alpine'] });
    const before = await client.get<LanguagePage>(pathOf('alpine'));
    await provision({ key: 'alpine-reviews', languages: ['it', 'de', 'fr', 'rm'] });
    const after = await client.get<LanguagePage>(pathOf('alpine'));

    expect(before.body).toEqual({
      data: [
        { code: 'de', name: 'German' },
        { code: 'fr', name: 'French' },
        { code: 'it', name: 'Italian' },
      ],
      totalCount: 3,
    });
    expect(codesOf(after.body)).toEqual(['de', 'fr', 'it', 'rm']);
    expect(after.body.totalCount).toBe(4);
    expect(after.headers.etag).not.toBe(before.headers.etag);
  });

  it('the provisioning of review sources can change a list while a client reads pages, whose cursor continues after the last code', async () => {
    await provision({ key: 'changing', languages: ['cs', 'de', 'el', 'fr'] });
    const { data, nextCursor } = await read('changing', '?limit=2');
    await provision({ key: 'changing', languages: ['ar', 'cs', 'dz', 'fr'] });

    expect(data.at(-1)?.code).toBe('de');
    expect(codesOf(await read('changing', `?limit=2&cursor=${nextCursor}`))).toEqual(['dz', 'fr']);
  });

  it('the provisioning of review sources can be repeated, and keeps the members that a row omits', async () => {
    const row = { key: 'repeated', languages: ['da', 'sv'], aliases: ['again', 'once-more'] };
    await provision(row);
    expect(await provision(row)).toEqual([{ name: 'reviewSources', rows: 1 }]);
    await provision({ key: 'repeated' });

    expect(codesOf(await read('again'))).toEqual(['da', 'sv']);
    expect(codesOf(await read('once-more'))).toEqual(['da', 'sv']);
  });

  it('the provisioning of review sources moves an alias if one document removes it from one source and adds it to another', async () => {
    await provision({ key: 'giver', languages: ['pl'], aliases: ['handed-over', 'kept'] });
    await provision(
      { key: 'a-taker', languages: ['uk'], aliases: ['handed-over'] },
      { key: 'giver', aliases: ['kept'] },
    );

    expect(codesOf(await read('handed-over'))).toEqual(['uk']);
    expect(codesOf(await read('kept'))).toEqual(['pl']);
    expect(codesOf(await read('giver'))).toEqual(['pl']);
  });

  it.each([
    [
      'a code that is missing in the geo catalog',
      { languages: ['de', 'xx'] },
      'languages must be codes of the language catalog',
    ],
    ['a duplicate code', { languages: ['de', 'de'] }, 'must be unique'],
    ['no code at all', { languages: [] }, 'must contain at least 1'],
    ['null', { languages: null }, 'must be an array'],
    ['a new source without languages', {}, 'languages of the new source refused are missing'],
    ['a malformed key', { key: 'Refused', languages: ['de'] }, 'key must match'],
    ['a malformed alias', { languages: ['de'], aliases: ['a/b'] }, 'aliases must match'],
    [
      'an alias that is another key',
      { languages: ['de'], aliases: ['reviewsite'] },
      'the name reviewsite of refused belongs to reviewsite',
    ],
    ['an unknown member', { languages: ['de'], names: [] }, 'names is not recognized'],
  ])('the provisioning of review sources rejects %s and writes nothing', async (_what, row, message) => {
    await expect(provision({ key: 'innocent', languages: ['de'] }, { key: 'refused', ...row })).rejects.toThrow(
      message,
    );

    const answers = await Promise.all(['refused', 'innocent'].map((name) => client.get(pathOf(name))));
    expect(answers.map(({ body }) => body)).toEqual([NOT_FOUND, NOT_FOUND]);
  });

  it('the provisioning of review sources assigns a name to one of several concurrent requests', async () => {
    const keys = Array.from({ length: 8 }, (_, number) => `rival-${number}`);

    const outcomes = await Promise.allSettled(
      keys.map((key) => provision({ key, languages: ['nl'], aliases: ['wanted'] })),
    );

    const owners = await app.sql('select source_key from review_source_names where name = $1', ['wanted']);
    const winners = keys.filter((_, number) => outcomes[number]?.status === 'fulfilled');
    expect(owners).toEqual([{ source_key: winners[0] }]);
    expect(winners).toHaveLength(1);
    expect(codesOf(await read('wanted'))).toEqual(['nl']);
    expect(
      (await app.sql("select key from review_sources where key like 'rival-%'")).map(({ key }) => key as string),
    ).toEqual(winners);
  });
});
