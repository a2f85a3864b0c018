import { beforeAll, describe, expect, it } from '@jest/globals';
import { startApp, type TestApp } from '../setup/app.js';
import { DOCUMENTS, fill, putAll, search, searchable, type SearchAnswer, STATUS } from './catalog.js';

/* Tests every adapter of the search; postgres-search.e2e-spec.ts runs the same tests with its adapter. */

let app: TestApp;
beforeAll(async () => {
  app = await startApp();
  await searchable(app);
});

const COUNTRIES = ['Greece', 'Italy', 'Spain', 'Ägypten', "Côte d'Ivoire"];
const WORDS = ['lagoon', 'glacier', 'temple', 'market', 'harbour', 'dune'];

/** A linear congruential generator, so that a failure can be repeated. */
function seeded(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((state / 2_147_483_648) * below);
  };
}

interface Trip {
  id: string;
  fields: { name: string; countries: string[]; stars?: number; hasOffer: boolean; priceFromAmountCents?: number };
}

function tripsOf(count: number): Trip[] {
  const random = seeded(42);
  const some = <T>(list: readonly T[]) => list.filter(() => random(3) === 0);
  return Array.from({ length: count }, (_, n) => {
    const words = Array.from({ length: 1 + random(3) }, () => WORDS[random(WORDS.length)]);
    return {
      id: `t${String(n).padStart(3, '0')}`,
      fields: {
        name: words.join(' '),
        countries: some(COUNTRIES),
        hasOffer: random(2) === 0,
        ...(random(4) > 0 ? { stars: 1 + random(5) } : {}),
        ...(random(4) > 0 ? { priceFromAmountCents: random(40) } : {}),
      },
    };
  });
}

type Condition = { readonly json: object; readonly field: string | null; readonly holds: (trip: Trip) => boolean };

function conditionOf(random: (below: number) => number, depth = 0): Condition {
  const country = COUNTRIES[random(COUNTRIES.length)] ?? '';
  const stars = 1 + random(5);
  switch (random(depth < 2 ? 7 : 4)) {
    case 0:
      return { json: { country }, field: 'countries', holds: ({ fields }) => fields.countries.includes(country) };
    case 1:
      return {
        json: { kind: 'in', field: 'stars', values: [stars, 1] },
        field: 'stars',
        holds: ({ fields }) => fields.stars === stars || fields.stars === 1,
      };
    case 2:
      return {
        json: { priceFromAmountCents: { gte: stars * 3, lt: 30 } },
        field: null,
        holds: ({ fields: { priceFromAmountCents: price } }) => price !== undefined && price >= stars * 3 && price < 30,
      };
    case 3:
      return {
        json: { kind: 'exists', field: 'stars' },
        field: null,
        holds: ({ fields }) => fields.stars !== undefined,
      };
    case 4: {
      const clause = conditionOf(random, depth + 1);
      return { json: { kind: 'not', clause: clause.json }, field: null, holds: (trip) => !clause.holds(trip) };
    }
    default: {
      const kind = random(2) === 0 ? 'and' : 'or';
      const clauses = [conditionOf(random, depth + 1), conditionOf(random, depth + 1)];
      const json = { kind, clauses: clauses.map((clause) => clause.json) };
      const holds = (trip: Trip) =>
        kind === 'and' ? clauses.every((one) => one.holds(trip)) : clauses.some((one) => one.holds(trip));
      return { json, field: null, holds };
    }
  }
}

function countsOf(trips: readonly Trip[], valuesOf: (trip: Trip) => readonly (string | number | boolean)[]) {
  const counts = new Map<string | number | boolean, number>();
  for (const trip of trips) for (const value of valuesOf(trip)) counts.set(value, (counts.get(value) ?? 0) + 1);
  return [...counts]
    .map(([value, count]) => ({ value, count }))
    .sort((a, b) => b.count - a.count || (a.value < b.value ? -1 : 1));
}

describe('a search with any filters and facets', () => {
  const trips = tripsOf(150);
  let find: (body: object) => Promise<SearchAnswer>;
  beforeAll(async () => {
    ({ find } = await fill(app, 'en-FJ', trips));
  });

  it('a search with any filters and facets finds and counts what a scan of all documents finds', async () => {
    const random = seeded(7);
    for (let round = 0; round < 40; round += 1) {
      const conditions = Array.from({ length: random(3) }, () => conditionOf(random));
      const word = random(2) === 0 ? (WORDS[random(WORDS.length)] ?? '') : '';
      const matches = (ignored: string | null) =>
        trips.filter(
          (trip) =>
            (word === '' || trip.fields.name.split(' ').includes(word)) &&
            conditions.every(({ holds, field }) => (field !== null && field === ignored) || holds(trip)),
        );
      const facets = [
        { field: 'country' },
        { field: 'stars' },
        { field: 'hasOffer' },
        { field: 'priceFromAmountCents' },
      ];
      const filters = conditions.map(({ json }) => json);
      const answer = await find({ query: word, filters, facets, pagination: { limit: 250 } });

      const expected = matches(null);
      const context = JSON.stringify({ word, filters });
      expect([context, answer.total]).toEqual([context, expected.length]);
      expect(answer.hits.map(({ id }) => id).toSorted()).toEqual(expected.map(({ id }) => id));
      expect([context, answer.facets]).toEqual([
        context,
        {
          country: countsOf(matches('countries'), ({ fields }) => fields.countries),
          stars: countsOf(matches('stars'), ({ fields }) => [fields.stars ?? []].flat()),
          hasOffer: countsOf(expected, ({ fields }) => [fields.hasOffer]),
          priceFromAmountCents: countsOf(expected, ({ fields }) => [fields.priceFromAmountCents ?? []].flat()),
        },
      ]);
      const prices = expected.flatMap(({ fields }) => fields.priceFromAmountCents ?? []);
      const stats = answer.facetStats['priceFromAmountCents'];
      expect(stats?.count ?? 0).toBe(prices.length);
      if (stats) {
        expect([stats.min, stats.max]).toEqual([Math.min(...prices), Math.max(...prices)]);
        expect(stats.avg).toBeCloseTo(prices.reduce((sum, price) => sum + price, 0) / prices.length, 6);
      }
    }
  });

  it.each(['relevance', 'price-asc', 'price-desc', 'departure-asc', 'newest'])(
    'paging by %s returns every document exactly once while others are added',
    async (sort) => {
      for (const query of ['', 'lagoon temple']) {
        const body = { query, sort, pagination: { limit: 250 } };
        const before = (await find(body)).hits.map(({ id }) => id).filter((id) => id.startsWith('t'));
        const found: string[] = [];
        let cursor: string | null = null;
        for (let page = 0; page === 0 || cursor !== null; page += 1) {
          const pagination = { limit: 23, ...(cursor === null ? {} : { cursor }) };
          const answer = await find({ ...body, pagination });
          found.push(...answer.hits.map(({ id }) => id));
          cursor = answer.next_cursor;
          if (page < 3) {
            const id = `x-${sort}-${query.length}-${page}`;
            const added = { id, fields: { name: 'lagoon temple', priceFromAmountCents: 10, hasOffer: true } };
            await putAll(app, [added], { locale: 'en-FJ' });
            await searchable(app);
          }
        }
        expect(new Set(found).size).toBe(found.length);
        expect(found.filter((id) => id.startsWith('t')).toSorted()).toEqual(before.toSorted());
      }
    },
  );
});

describe('keyword ranking', () => {
  let ids: (body: object) => Promise<string[]>;
  beforeAll(async () => {
    const filler = Array.from({ length: 60 }, (_, n) => ({
      id: `filler${n}`,
      fields: { name: `Island number ${n}`, description: 'An island with a beach, a harbour and a quiet village' },
    }));
    ({ ids } = await fill(app, 'en-PH', [
      ...filler,
      { id: 'rare', fields: { name: 'Village of weavers', description: 'A quiet place with an observatory' } },
      { id: 'frequent', fields: { name: 'Island island island', description: 'Beach and harbour of the island' } },
      { id: 'name', fields: { name: 'Volcano walk', description: 'A day in the mountains with a guide and lunch' } },
      {
        id: 'text',
        fields: { name: 'Walk with a guide', description: 'A day in the mountains, with a volcano and lunch' },
      },
      { id: 'both', fields: { name: 'Canoe and kayak', description: 'On the river' } },
      { id: 'one', fields: { name: 'Canoe canoe', description: 'On the canoe, in the canoe, with the canoe' } },
      {
        id: 'exact',
        fields: { name: 'Sunset sail', description: 'A long evening on the water with dinner and music' },
      },
      { id: 'near', fields: { name: 'Sunset sail and sunset dinner', description: 'Sunset sail, sunset sail' } },
      { id: 'short', fields: { name: 'Falcons' } },
      { id: 'long', fields: { name: `Falcons ${Array.from({ length: 60 }, (_, n) => `word${n}`).join(' ')}` } },
    ]));
  });

  it.each([
    ['a rare word counts more than a frequent one', 'observatory island', 'rare'],
    ['a word in the name counts more than in the description', 'volcano', 'name'],
    ['a document with more of the words comes before one that repeats a word', 'canoe kayak', 'both'],
    ['a document whose name is the query comes first', 'sunset sail', 'exact'],
    ['a word counts more in a short text', 'falcons', 'short'],
  ])('%s', async (_, query, first) => {
    expect((await ids({ query }))[0]).toBe(first);
  });

  it('a score is from 0 to 1 and falls from hit to hit', async () => {
    const { body } = await search(app, { locale: 'en-PH', query: 'quiet volcano walk' });
    const scores = body.hits.map(({ score }) => score);
    expect(scores[0]).toBe(1);
    expect(scores).toEqual(scores.toSorted((a, b) => b - a));
    expect(scores.at(-1)).toBeGreaterThan(0);
  });
});

it('of concurrent changes of a document the search finds the one with the highest version', async () => {
  for (let round = 0; round < 3; round += 1) {
    const path = `${DOCUMENTS}/products/contested`;
    const names = Array.from({ length: 6 }, (_, n) => `Contested marmot${round} number${n}`);
    const answers = await Promise.all(
      names.map((name) =>
        app.as('owner').put<{ data: { version: number } }>(path, { locale: 'en-SG', fields: { name } }),
      ),
    );
    const last = answers.reduce((best, answer) => (answer.body.data.version > best.body.data.version ? answer : best));
    await searchable(app);
    const { body } = await search(app, { locale: 'en-SG', query: `marmot${round}` });
    expect(body.hits.map(({ document }) => document.fields['name'])).toEqual([names[answers.indexOf(last)]]);
  }
});

it('the results of a search stay the same while its index is rebuilt', async () => {
  const { ids } = await fill(app, 'en-ZW', [
    { id: 'one', fields: { name: 'Safari by balloon' } },
    { id: 'two', fields: { name: 'Safari on foot' } },
  ]);
  const before = await ids({ query: 'safari' });
  const answer = await app.as('owner').post('/v1/admin/catalog/reindex', { locale: 'en-ZW' });
  expect(answer.status).toBe(200);
  for (let attempt = 0; attempt < 200; attempt += 1) {
    expect(await ids({ query: 'safari' })).toEqual(before);
    const status = await app.as('owner').get<{ data: { reindex: { status: string } } }>(STATUS);
    if (status.body.data.reindex.status === 'done' && attempt > 20) break;
  }
  await putAll(app, [{ id: 'three', fields: { name: 'Safari safari' } }], { locale: 'en-ZW' });
  await searchable(app);
  expect((await ids({ query: 'safari' })).toSorted()).toEqual(['one', 'three', 'two']);
});
