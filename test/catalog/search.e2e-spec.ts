import { beforeAll, describe, expect, it } from '@jest/globals';
import { startApp, type TestApp } from '../setup/app.js';
import { DOCUMENTS, fill, newDocumentId, put, putAll, search, SEARCH, searchable } from './catalog.js';

let app: TestApp;

const DAY_MS = 86_400_000;
const inDays = (days: number) => new Date(app.now().getTime() + days * DAY_MS).toISOString();

beforeAll(async () => {
  app = await startApp();
  await searchable(app);
});

describe('keyword search', () => {
  let ids: (body: object) => Promise<string[]>;
  beforeAll(async () => {
    ({ ids } = await fill(app, 'en-AU', [
      {
        id: 'beach',
        fields: { name: 'Beach holidays in Greece', description: 'Sandy <b>beaches</b> and caf&eacute;s.' },
      },
      {
        id: 'alps',
        fields: { name: 'Hiking the Alps', description: 'Mountains, huts and a glacier', tags: ['walking'] },
      },
      { id: 'zurich', fields: { name: 'Zürich city break', description: 'Lake, cheese and museums' } },
      { id: 'cruise', fields: { name: 'Nile journey', description: 'Temples of Luxor, a boat and the desert' } },
      { id: 'draft', fields: { name: 'Beach draft', status: 'draft' } },
      { id: 'old', fields: { name: 'Beach of old', status: 'archived' } },
    ]));
  });

  it.each([
    ['beach', 'beach'],
    ['beaches', 'beach'],
    ['greece beach', 'beach'],
    ['cafes', 'beach'],
    ['zurich', 'zurich'],
    ['ZÜRICH', 'zurich'],
    ['zurihc', 'zurich'],
    ['mountan huts', 'alps'],
    ['glac', 'alps'],
    ['trekking', 'alps'],
    ['temple at luxor', 'cruise'],
    ['nile journey', 'cruise'],
  ])('keyword search returns for "%s" the document %s first', async (query, id) => {
    expect((await ids({ query }))[0]).toBe(id);
  });

  it('keyword search does not find drafts, archived documents or HTML markup', async () => {
    expect(await ids({ query: 'beach' })).toEqual(['beach']);
    expect(await ids({ query: 'quantum' })).toEqual([]);
    expect((await ids({})).toSorted()).toEqual(['alps', 'beach', 'cruise', 'zurich']);
    expect(await ids({ query: '?!' })).toHaveLength(4);
  });

  it('keyword search finds changed documents, and no longer finds deleted ones', async () => {
    await putAll(app, [{ id: 'alps', fields: { name: 'Canoeing the Yukon' } }], { locale: 'en-AU' });
    await app.as('owner').delete('/v1/admin/catalog/documents/products/cruise?locale=en-AU');
    await searchable(app);
    expect(await ids({ query: 'yukon' })).toEqual(['alps']);
    expect(await ids({ query: 'glacier' })).toEqual([]);
    expect(await ids({ query: 'luxor' })).toEqual([]);
  });
});

describe('every sort', () => {
  it('every sort is a total order with missing values last', async () => {
    const priced = (cents: number, currency = 'EUR') => ({ priceFromAmountCents: cents, priceFromCurrency: currency });
    const { ids } = await fill(app, 'en-NZ', [
      { id: 'a', fields: { name: 'Trip a', ...priced(300), publishedAt: '2026-01-03' } },
      {
        id: 'b',
        fields: { name: 'Trip b', ...priced(100), publishedAt: '2026-01-01', startDate: inDays(3).slice(0, 10) },
      },
      { id: 'c', fields: { name: 'Trip c', ...priced(5, 'USD'), publishedAt: '2026-01-02', startDate: '2020-01-01' } },
      { id: 'd', fields: { name: 'Trip d', sellAmountCents: 100, publishedAt: '2026-01-02', hasOffer: true } },
      { id: 'e', fields: { name: 'Trip e', publishedAt: '2025-01-01', departures: [{ startsAt: inDays(2) }] } },
    ]);
    expect(await ids({ sort: 'price-asc' })).toEqual(['b', 'd', 'a', 'c', 'e']);
    expect(await ids({ sort: 'price-desc' })).toEqual(['a', 'b', 'd', 'c', 'e']);
    expect(await ids({ sort: 'departure-asc' })).toEqual(['e', 'b', 'a', 'c', 'd']);
    expect(await ids({ sort: 'newest' })).toEqual(['a', 'c', 'd', 'b', 'e']);
    expect(await ids({})).toEqual(['e', 'd', 'a', 'c', 'b']);
    expect(await ids({ query: 'trip', sort: 'price-asc' })).toEqual(['b', 'd', 'a', 'c', 'e']);
    app.travel({ days: 2.5 });
    expect(await ids({ sort: 'departure-asc' })).toEqual(['b', 'a', 'c', 'd', 'e']);
    app.travel({ days: -2.5 });
  });
});

describe('the response of a search', () => {
  it('the response of a search has every member, cards with every key, and the locale and market that were searched', async () => {
    await fill(app, 'en-CA', [
      { id: 'bare', fields: { name: 'Bare zeppelin' } },
      {
        id: 'full',
        fields: {
          name: 'Full zeppelin',
          slug: 'full',
          primaryMediaUrl: 'https://m/x.jpg',
          primaryCategoryName: 'Flights',
          priceFromAmountCents: 100,
          priceFromCurrency: 'EUR',
          bestOfferId: 'o',
          bestOfferName: 'Sale',
          bestOfferDiscountPercent: 5,
          conditionalOfferId: 'g',
          conditionalOfferName: 'Group',
          conditionalOfferMinPax: 4,
          departureTimezone: 'Pacific/Auckland',
          departures: [
            { startsAt: '2100-01-01T13:00:00Z', endsAt: '2100-01-03T13:00:00Z', availableUnits: 2 },
            { startsAt: '2100-02-01T13:00:00Z', availableUnits: 3 },
          ],
          countries: ['Germany'],
          latitude: 1,
          longitude: 2,
        },
      },
    ]);
    const answer = await search(app, {
      query: 'zeppelin',
      locale: 'en-CA',
      sort: 'price-asc',
      projection: 'storefront-card',
    });

    const { body, headers } = answer;
    expect([headers['content-language'], headers['cache-control']]).toEqual(['en-CA', 'no-store']);
    expect(body).toMatchObject({
      vertical: 'products',
      mode: 'keyword',
      total: 2,
      totalRelation: 'eq',
      facets: {},
      next_cursor: null,
      market: 'default',
    });
    expect(body.hits.map(({ id, document }) => [id, document])).toEqual([
      ['full', { id: 'full', fields: {} }],
      ['bare', { id: 'bare', fields: {} }],
    ]);
    expect(body.cards).toEqual([
      {
        id: 'full',
        name: 'Full zeppelin',
        slug: 'full',
        primaryCategory: { id: null, name: 'Flights', slug: null },
        media: { thumbnailUrl: 'https://m/x.jpg', coverMediaUrl: 'https://m/x.jpg' },
        priceFrom: { amountCents: 100, currency: 'EUR', originalAmountCents: null },
        offerBadges: [
          { id: 'o', name: 'Sale', discountKind: null, discountPercent: 5, discountAmountCents: null },
          { id: 'g', name: 'Group', discountKind: null, discountPercent: null, discountAmountCents: null, minPax: 4 },
        ],
        departures: {
          upcomingCount: 2,
          nextDepartureAt: '2100-01-01T13:00:00.000Z',
          nextDepartureDate: '2100-01-02',
          nextDepartureEndsAt: '2100-01-03T13:00:00.000Z',
          nextDepartureEndDate: '2100-01-04',
          timezone: 'Pacific/Auckland',
          months: ['2100-01', '2100-02'],
          dates: ['2100-01-02', '2100-02-02'],
        },
        destinations: { regions: [], countries: ['Germany'], cities: [], ids: [], slugs: [] },
        coordinates: { latitude: 1, longitude: 2 },
      },
      {
        id: 'bare',
        name: 'Bare zeppelin',
        slug: null,
        primaryCategory: null,
        media: { thumbnailUrl: null, coverMediaUrl: null },
        priceFrom: null,
        offerBadges: [],
        departures: {
          upcomingCount: null,
          nextDepartureAt: null,
          nextDepartureDate: null,
          nextDepartureEndsAt: null,
          nextDepartureEndDate: null,
          timezone: null,
          months: [],
          dates: [],
        },
        destinations: { regions: [], countries: [], cities: [], ids: [], slugs: [] },
        coordinates: null,
      },
    ]);
  });

  it('the response of a search falls back to the nearest language, to the default market, and to keyword mode without an embedder', async () => {
    const { body } = await app.post<{ mode: string; locale: string; market: string; total: number }>(SEARCH, {
      vertical: 'charters',
      query: 'yacht',
      locale: 'pt-BR',
      market: 'moon',
    });
    expect([body.mode, body.locale, body.market]).toEqual(['keyword', 'en-GB', 'default']);
    expect(body.total).toBeGreaterThan(0);
  });

  it('the response of a search is in another language if the requested one has no document to find', async () => {
    const path = `${DOCUMENTS}/charters/${newDocumentId()}`;
    const stored = { locale: 'pt-PT', fields: { name: 'Veleiro' } };
    const found = async () => {
      await searchable(app);
      const { body } = await search(app, { vertical: 'charters', locale: 'pt' });
      return [body.locale, body.total > 1];
    };
    await app.as('owner').put(path, stored);
    expect(await found()).toEqual(['pt-PT', false]);
    await app.as('owner').put(path, { ...stored, fields: { ...stored.fields, status: 'draft' } });
    expect(await found()).toEqual(['en-GB', true]);
    await app.as('owner').put(path, stored);
    await app.as('owner').delete(`${path}?locale=pt-PT`);
    expect(await found()).toEqual(['en-GB', true]);
  });
});

it('a past departure disappears from results without a change of the document', async () => {
  const { id } = await put(app, { name: 'Eclipse flight', departures: [{ startsAt: inDays(1), availableUnits: 4 }] });
  await searchable(app);
  const fields = async () =>
    (await search(app, { query: 'eclipse flight', filters: [{ id }] })).body.hits[0]?.document.fields ?? {};
  const before = await fields();
  app.travel({ days: 1.01 });
  // Indexes in PostgreSQL are updated after up to half a second.
  let after = await fields();
  for (let attempt = 0; after['hasUpcomingDeparture'] === true && attempt < 200; attempt += 1) {
    await new Promise((resolve) => setTimeout(resolve, 25));
    after = await fields();
  }
  app.travel({ days: -1.01 });
  expect([before['hasUpcomingDeparture'], before['upcomingDepartureCount'], before['availableUnitsTotal']]).toEqual([
    true,
    1,
    4,
  ]);
  expect([after['hasUpcomingDeparture'], after['upcomingDepartureCount'], after['nextDepartureAt']]).toEqual([
    false,
    0,
    undefined,
  ]);
});
