import { beforeAll, describe, expect, it } from '@jest/globals';
import { type ErrorBody, errorBody } from '../distribution/channels.js';
import { startApp, type TestApp } from '../setup/app.js';
import { DOCUMENTS, put, putAll, search, searchable, SEARCH, STATUS } from './catalog.js';

const SYNONYMS = '/v1/admin/catalog/synonyms';
const REINDEX = '/v1/admin/catalog/reindex';

interface Status {
  fresh: boolean;
  lagMs: number;
  documents: number;
  embedder: { name: string; model: string; dimensions: number | null; state: string; pending: number };
  slices: {
    vertical: string;
    locale: string;
    documents: number;
    generation: number;
    indexedGeneration: number;
    memoryBytes: number;
  }[];
  reindex: { id: string; status: string; done: number; total: number } | null;
}

let app: TestApp;
beforeAll(async () => {
  app = await startApp();
  await searchable(app);
});

const status = async (one: TestApp = app) => (await one.as('owner').get<{ data: Status }>(STATUS)).body.data;
const until = async (holds: () => Promise<boolean>) => {
  for (let attempt = 0; attempt < 800; attempt += 1) {
    if (await holds()) return;
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
  throw new Error('The condition was not met in time');
};

describe('synonyms', () => {
  it('synonyms take effect within two seconds, only in their direction, until they are deleted', async () => {
    const locale = 'en-KE';
    await putAll(
      app,
      [
        { id: 'a', fields: { name: 'Velocipede tour' } },
        { id: 'b', fields: { name: 'Penny farthing' } },
      ],
      { locale },
    );
    await searchable(app);
    const ids = async (query: string) => (await search(app, { query, locale })).body.hits.map(({ id }) => id);
    expect(await ids('roadster')).toEqual([]);

    const made = await app.as('owner').post<{ data: { id: string } }>(SYNONYMS, {
      language: 'en',
      input: 'roadster',
      terms: ['velocipede', 'penny farthing'],
    });
    const started = performance.now();
    await until(async () => (await ids('roadster')).length === 2);
    expect(performance.now() - started).toBeLessThan(2_000);
    expect(await ids('velocipede')).toEqual(['a']);

    const path = `${SYNONYMS}/${made.body.data.id}`;
    await app.as('owner').patch(path, { input: null });
    await until(async () => (await ids('velocipede')).length === 2);
    await app.as('owner').delete(path);
    await until(async () => (await ids('roadster')).length === 0);
    expect((await app.as('owner').get(path)).status).toBe(404);
  });

  it.each([
    ['uk', 'countries', 'United Kingdom'],
    ['great britain', 'countries', 'United Kingdom'],
    ['walking in scotland', 'countries', 'United Kingdom'],
    ['england', 'countries', 'United Kingdom'],
    ['czech republic', 'countries', 'Czechia'],
    ['Türkiye', 'countries', 'Turkey'],
    ['Firenze', 'cities', 'Florence'],
    ['Praha', 'cities', 'Prague'],
    ['Roma', 'cities', 'Rome'],
    ['Venezia', 'cities', 'Venice'],
    ['lisboa', 'cities', 'Lisbon'],
    ['Wien', 'cities', 'Vienna'],
    ['München', 'cities', 'Munich'],
    ['Athina', 'cities', 'Athens'],
  ])('synonyms let a search for "%s" find demo documents with the %s %s', async (query, field, value) => {
    const { body } = await search(app, { query });
    expect(body.hits[0]?.document.fields[field]).toContain(value);
  });

  it('synonyms with a single term and no input are rejected with 400', async () => {
    const { status: code, body } = await app
      .as('owner')
      .post<ErrorBody>(SYNONYMS, { language: 'en', terms: ['alone'] });
    expect([code, body.details?.issues?.map(({ path }) => path)]).toEqual([400, ['terms']]);
  });
});

describe('synonyms without effect', () => {
  it.each<[object, string]>([
    [{ terms: ['-', '...'] }, 'terms.0'],
    [{ input: '!?', terms: ['word'] }, 'input'],
    [{ terms: ['Café', 'cafe'] }, 'terms'],
    [{ input: 'Café', terms: ['cafe'] }, 'terms'],
  ])('synonyms without effect such as %j are rejected with 400', async (given, path) => {
    const { status: code, body } = await app.as('owner').post<ErrorBody>(SYNONYMS, { language: 'en', ...given });
    expect([code, body.details?.issues?.map((issue) => issue.path)]).toEqual([400, [path]]);
  });
});

describe('a rebuild of the index', () => {
  it('a rebuild of the index runs one at a time, does not change search results, and is shown in the status', async () => {
    const total = (await search(app, { vertical: 'cruises' })).body.total;
    const searches: Promise<number>[] = [];
    const started = await Promise.all(
      [0, 1, 2].map(() => app.as('owner').post<ErrorBody & { data: { id: string } }>(REINDEX, { vertical: 'cruises' })),
    );
    for (let n = 0; n < 40; n += 1) {
      searches.push(search(app, { vertical: 'cruises' }).then(({ body }) => body.total));
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    const [first] = started.filter(({ status: code }) => code === 200);
    const rejected = started.filter(({ status: code }) => code === 409);
    for (const answer of rejected) {
      expect(answer.body).toEqual(
        errorBody(answer, { code: 'reindex_in_progress', error: 'A rebuild of the index is already running' }),
      );
    }
    expect(rejected.length).toBeGreaterThan(0);
    expect(new Set(await Promise.all(searches))).toEqual(new Set([total]));
    await until(async () => (await status()).reindex?.status === 'done');
    const { reindex } = await status();
    expect(reindex).toEqual({ id: expect.stringMatching(/^crix_/), status: 'done', done: total, total });
    expect(first?.body.data).toEqual({ id: expect.any(String), status: 'queued', slices: 1 });
  });
});

describe('two processes', () => {
  it('two processes both find the changes that either one commits, the last of concurrent changes, and no deleted document', async () => {
    const other = await startApp();
    await searchable(other);
    const locale = 'en-SG';
    await putAll(app, [{ id: 'one', fields: { name: 'Orchid garden' } }], { locale });
    await putAll(other, [{ id: 'two', fields: { name: 'Orchid market' } }], { locale });
    await Promise.all([searchable(app), searchable(other)]);
    const ids = async (one: TestApp) =>
      (await search(one, { query: 'orchid', locale })).body.hits.map(({ id }) => id).toSorted();
    expect([await ids(app), await ids(other)]).toEqual([
      ['one', 'two'],
      ['one', 'two'],
    ]);

    await Promise.all(
      [app, other].map((one, n) =>
        one.as('owner').put(`${DOCUMENTS}/products/one`, { locale, fields: { name: `Orchid ${n}` } }),
      ),
    );
    await app.as('owner').delete(`${DOCUMENTS}/products/two?locale=${locale}`);
    await Promise.all([searchable(app), searchable(other)]);
    const { body } = await app
      .as('owner')
      .get<{ data: { fields: { name: string } } }>(`${DOCUMENTS}/products/one?locale=${locale}`);
    for (const one of [app, other]) {
      const hits = (await search(one, { query: 'orchid', locale })).body.hits;
      expect(hits.map(({ document }) => document.fields['name'])).toEqual([body.data.fields.name]);
    }
  });

  it('two processes stay up to date if notifications are lost, and accept the cursors of each other', async () => {
    const other = await startApp();
    await searchable(other);
    await app.sql(
      `select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'travel-operations-notifier' and datname = current_database()`,
    );
    const locale = 'en-MT';
    const documents = Array.from({ length: 9 }, (_, n) => ({ id: `m${n}`, fields: { name: `Harbour ${n}` } }));
    const started = performance.now();
    await putAll(app, documents, { locale });
    await searchable(other);
    expect(performance.now() - started).toBeLessThan(5_000);
    const first = await search(app, { query: 'harbour', locale, pagination: { limit: 4 } });
    const cursor = first.body.next_cursor ?? '';
    const second = await search(other, { query: 'harbour', locale, pagination: { limit: 5, cursor } });
    const all = [...first.body.hits, ...second.body.hits].map(({ id }) => id);
    expect([new Set(all).size, second.body.next_cursor]).toEqual([9, null]);
  });
});

it('the status shows the generations that this process has indexed', async () => {
  const { fresh, lagMs, embedder, slices, documents } = await status();
  expect([fresh, lagMs, embedder]).toEqual([
    true,
    0,
    { name: 'none', model: 'none', dimensions: null, state: 'off', pending: 0 },
  ]);
  expect(documents).toBeGreaterThan(399);
  for (const slice of slices)
    expect([slice.indexedGeneration, slice.memoryBytes > 0]).toEqual([slice.generation, true]);
});

it('a search with a body over 64 KiB is rejected with 413', async () => {
  const answer = await app.post<ErrorBody>(SEARCH, { vertical: 'products', query: 'x'.repeat(70_000) });
  expect([answer.status, answer.body.code]).toEqual([413, 'payload_too_large']);
});

it('documents show changes of the departures of their product', async () => {
  const { id } = await put(app, { name: 'Volcano walk' });
  const startsAt = new Date(app.now().getTime() + 9 * 86_400_000).toISOString();
  const endsAt = new Date(app.now().getTime() + 9 * 86_400_000 + 7_200_000).toISOString();
  const departure = { productId: id, startsAt, endsAt, timeZone: 'UTC', capacity: 7, priceCents: 100, currency: 'EUR' };
  const made = await app.as('owner').post<{ data: { id: string } }>('/v1/admin/operations/departures', departure);
  const shown = async () => (await search(app, { filters: [{ id }] })).body.hits[0]?.document.fields ?? {};
  await until(async () => (await shown())['availableUnitsTotal'] === 7);
  expect(await shown()).toMatchObject({
    nextDepartureAt: startsAt,
    hasUpcomingDeparture: true,
    upcomingDepartureCount: 1,
  });

  await app.as('owner').post(`/v1/admin/operations/departures/${made.body.data.id}/sales-closing`, { reason: 'Full' });
  await until(async () => (await shown())['availableUnitsTotal'] === 0);
  expect((await shown())['upcomingDepartureCount']).toBe(1);

  await app.as('owner').post(`/v1/admin/operations/departures/${made.body.data.id}/cancellation`, { reason: 'Ash' });
  await until(async () => (await shown())['hasUpcomingDeparture'] === false);
  expect((await shown())['upcomingDepartureCount']).toBe(0);
});
