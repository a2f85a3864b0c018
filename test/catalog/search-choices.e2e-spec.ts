import { beforeAll, describe, expect, it } from '@jest/globals';
import { invalid, type ErrorBody } from '../distribution/channels.js';
import { startApp, type TestApp } from '../setup/app.js';
import { fill, putAll, SEARCH, searchable } from './catalog.js';

let app: TestApp;
beforeAll(async () => {
  app = await startApp();
  await searchable(app);
});

describe('filters and facets', () => {
  let find: Awaited<ReturnType<typeof fill>>['find'];
  let ids: (body: object) => Promise<string[]>;
  beforeAll(async () => {
    ({ find, ids } = await fill(app, 'en-IE', [
      {
        id: '1',
        fields: {
          name: 'One',
          countries: ['Greece', 'Italy'],
          stars: 4,
          latitude: 37.9,
          longitude: 23.7,
          costAmountCents: 7,
        },
      },
      {
        id: '2',
        fields: {
          name: 'Two',
          countries: ['Italy'],
          stars: 3,
          startDate: '2027-05-01',
          latitude: -17.7,
          longitude: 178,
        },
      },
      {
        id: '3',
        fields: { name: 'Three', countries: ['Spain'], stars: 4, hasOffer: true, latitude: -18, longitude: -179 },
      },
      { id: '4', fields: { name: 'Four', stars: 5, startDate: '2027-06-01' } },
    ]));
  });

  it.each<[object[], string]>([
    [[{ kind: 'eq', field: 'countries', value: 'Italy' }], '12'],
    [[{ country: 'Italy' }], '12'],
    [[{ kind: 'in', field: 'country', values: ['Greece', 'Spain'] }], '13'],
    [[{ countries: [] }], ''],
    [[{ stars: { gte: 4, lt: 5 } }], '13'],
    [[{ kind: 'range', field: 'startDate', gt: '2027-05-01', lte: '2027-06-01T00:00:00Z' }], '4'],
    [[{ kind: 'not', clause: { kind: 'exists', field: 'countries' } }], '4'],
    [[{ kind: 'or', clauses: [{ stars: 5 }, { kind: 'and', clauses: [{ stars: 4 }, { hasOffer: true }] }] }], '34'],
    [[{ kind: 'or', clauses: [] }], ''],
    [[{ kind: 'and', clauses: [] }], '1234'],
    [[{ kind: 'geo', lat: 37.98, lng: 23.73, radiusKm: 20 }], '1'],
    [[{ kind: 'geo', box: [177, -20, -178, -15] }], '23'],
    [[{ id: ['2', '4'] }, { stars: 5 }], '4'],
    [[{ stars: 4, country: 'Spain' }], '3'],
  ])('the search filters %j match the documents %s', async (filters, expected) => {
    expect((await ids({ filters })).toSorted().join('')).toBe(expected);
  });

  it('facets count all results, and the alternatives of a selected value', async () => {
    const facets = [{ field: 'country' }, { field: 'stars', limit: 1 }, { field: 'boards' }].slice(0, 2);
    const all = await find({ facets, pagination: { limit: 1 } });
    const selected = await find({ facets, filters: [{ country: 'Greece' }, { stars: 4 }] });

    expect(all.facets).toEqual({
      country: [
        { value: 'Italy', count: 2 },
        { value: 'Greece', count: 1 },
        { value: 'Spain', count: 1 },
      ],
      stars: [{ value: 4, count: 2 }],
    });
    expect(all.facetStats).toEqual({ stars: { min: 3, max: 5, avg: 4, count: 4 } });
    expect(selected.total).toBe(1);
    expect(selected.facets['country']).toEqual([
      { value: 'Greece', count: 1 },
      { value: 'Italy', count: 1 },
      { value: 'Spain', count: 1 },
    ]);
    expect((await find({ facets: [{ field: 'tags' }], query: 'nothing' })).facets).toEqual({ tags: [] });
  });

  it('filters on a field that only staff can see match no document and are named in warnings, like those on an unknown field', async () => {
    const all = (await find({})).total;
    expect(all).toBeGreaterThan(0);
    for (const field of ['status', 'costAmountCents', 'unheard']) {
      const warning = (path: string) => ({ path, code: 'unknown_filter' });
      const forms: [object, string, number][] = [
        [{ kind: 'eq', field, value: 'draft' }, 'filters.0.field', 0],
        [{ kind: 'range', field, gte: 0 }, 'filters.0.field', 0],
        [{ kind: 'exists', field }, 'filters.0.field', 0],
        [{ [field]: ['draft', 7] }, `filters.0.${field}`, 0],
        [{ kind: 'not', clause: { [field]: 7 } }, `filters.0.clause.${field}`, all],
      ];
      for (const [filter, path, total] of forms) {
        for (const projection of ['raw', 'storefront-card']) {
          const found = await find({ filters: [filter], projection });
          expect([filter, found.total, found.warnings]).toEqual([filter, total, [warning(path)]]);
        }
      }
    }
    expect((await find({ filters: [{ country: 'Greece' }] })).warnings).toEqual([]);
  });

  it('facets on a field that only staff can see are rejected like those on an unknown field', async () => {
    const faults = async (body: object) => {
      const answer = await app.post<ErrorBody>(SEARCH, { vertical: 'products', ...body });
      expect(answer.status).toBe(400);
      return answer.body.details?.issues?.map(({ path, code, message }) => [
        path,
        code,
        message.replace(/costAmountCents|unheard/g, 'it'),
      ]);
    };
    expect(await faults({ facets: [{ field: 'costAmountCents' }] })).toEqual(
      await faults({ facets: [{ field: 'unheard' }] }),
    );
    expect(JSON.stringify(await find({}))).not.toContain('cost');
  });

  it.each<[object, string]>([
    [{ filters: [{ kind: 'near' }] }, 'filters.0.kind'],
    [{ filters: ['x'] }, 'filters.0'],
    [{ facets: [{ field: 'country' }, { field: 'countries' }] }, 'facets.1.field'],
    [{ pagination: { limit: 251 } }, 'pagination.limit'],
    [{ pagination: { cursor: 'made up' } }, 'pagination.cursor'],
    [{ vertical: 'flights' }, 'vertical'],
  ])('a search with %j is rejected with 400 at %s', async (body, path) => {
    const answer = await app.post<ErrorBody>(SEARCH, { vertical: 'products', ...body });
    const issues = answer.body.details?.issues ?? [];
    expect([answer.status, answer.body.code, issues.map((issue) => issue.path)]).toEqual([
      400,
      'invalid_request',
      [path],
    ]);
    if (path !== 'vertical') expect(answer.body).toEqual(invalid(answer, issues));
  });

  it('a search in the vertical extras is rejected with 400 and the name of the vertical that owns it', async () => {
    const { status, body } = await app.post<ErrorBody>(SEARCH, { vertical: 'extras' });
    const details = { reason: 'not_independently_sellable', vertical: 'extras', ownedBy: 'products' };
    expect([status, body.code, body.details]).toEqual([400, 'invalid_request', expect.objectContaining(details)]);
  });
});

describe('paging of search results', () => {
  const SORTS = ['relevance', 'price-asc', 'price-desc', 'departure-asc', 'newest'];

  it.each(
    SORTS.flatMap((sort) => [
      [sort, 'lagoon trip'],
      [sort, ''],
    ]),
  )(
    'paging of search results by %s of "%s" returns each document exactly once while documents are added',
    async (sort, query) => {
      const locale = `en-x-${sort.slice(0, 3)}${query.length}${sort.length}`;
      const documents = Array.from({ length: 57 }, (_, n) => ({
        id: `p${n}`,
        fields: {
          name: n % 3 === 0 ? `Lagoon trip ${n}` : `Lagoon and coral ${n % 5}`,
          ...(n % 4 === 0 ? {} : { priceFromAmountCents: (n % 7) * 100, priceFromCurrency: 'EUR' }),
          publishedAt: `2026-01-${String(1 + (n % 20)).padStart(2, '0')}`,
        },
      }));
      const { find } = await fill(app, locale, documents);
      const first = await find({ query, sort, pagination: { limit: 250 } });
      const walked: string[] = [];
      let cursor: string | null = null;
      for (let page = 0; page === 0 || cursor !== null; page += 1) {
        const answer = await find({ query, sort, pagination: { limit: 5, ...(cursor ? { cursor } : {}) } });
        expect(answer.hits.length).toBeGreaterThan(0);
        walked.push(...answer.hits.map(({ id }) => id));
        cursor = answer.next_cursor;
        await putAll(app, [{ id: `new${page}`, fields: { name: `Lagoon trip added ${page} lagoon` } }], { locale });
      }
      const known = walked.filter((id) => id.startsWith('p'));
      expect(new Set(walked).size).toBe(walked.length);
      expect(known.toSorted()).toEqual(first.hits.map(({ id }) => id).toSorted());
    },
  );

  it('paging of search results rejects a cursor that was changed, truncated, or issued for another search', async () => {
    const { find } = await fill(
      app,
      'en-ZA',
      Array.from({ length: 6 }, (_, n) => ({ id: `z${n}`, fields: { name: `Dune ${n}` } })),
    );
    const { next_cursor } = await find({ query: 'dune', pagination: { limit: 2 } });
    const cursor = next_cursor ?? '';
    const again = (body: object) =>
      app.post<ErrorBody>(SEARCH, { vertical: 'products', mode: 'keyword', locale: 'en-ZA', query: 'dune', ...body });
    const ok = await again({ pagination: { cursor, limit: 3 }, projection: 'storefront-card' });
    const bad = [
      await again({ pagination: { cursor: `A${cursor.slice(1)}` } }),
      await again({ pagination: { cursor: cursor.slice(0, -3) } }),
      await again({ pagination: { cursor: `${cursor}.x` } }),
      await again({ query: 'dunes', pagination: { cursor } }),
      await again({ mode: 'hybrid', pagination: { cursor } }),
      await again({ sort: 'newest', pagination: { cursor } }),
      await again({ filters: [{ stars: 1 }], pagination: { cursor } }),
      await again({ locale: 'en-AU', pagination: { cursor } }),
    ];
    expect(ok.status).toBe(200);
    for (const answer of bad) {
      expect([answer.status, answer.body.details?.issues?.map(({ path }) => path)]).toEqual([
        400,
        ['pagination.cursor'],
      ]);
    }
  });
});
