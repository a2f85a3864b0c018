import { beforeAll, describe, expect, it } from '@jest/globals';
import { DocumentsService } from '../../src/modules/catalog/documents/documents.service.js';
import { asSystem } from '../../src/platform/context/request-context.js';
import type { ErrorBody } from '../distribution/channels.js';
import { newDeparture } from '../operations/departures.js';
import { activeList, newPriceList, PRICE_LISTS } from '../products/price-lists.js';
import { newPart, newProduct, PRODUCTS } from '../products/products.js';
import { startApp, type TestApp } from '../setup/app.js';
import type { TestClient } from '../setup/client.js';
import { type CatalogDocument, DOCUMENTS, put, search, searchable } from './catalog.js';

type Stored = { data: CatalogDocument };

let app: TestApp;
let owner: TestClient;

beforeAll(async () => {
  // The tests run the job, to avoid waiting.
  const CATALOG_MARKETS = 'default:EUR:en-GB,us:USD:en-US';
  app = await startApp({ env: { JOBS: 'false', CATALOG_MARKETS } });
  owner = app.as('owner');
});

const follow = (productId: string) => asSystem(() => app.nest.get(DocumentsService).followProduct({ productId }));

async function documentsOf(id: string): Promise<CatalogDocument[]> {
  const { body } = await owner.get<{ data: CatalogDocument[] }>(`${DOCUMENTS}?search=${id}`);
  return body.data.filter((one) => one.id === id);
}

async function documentOf(id: string, { market = 'default', locale = 'en-GB' } = {}) {
  return (await documentsOf(id)).find((one) => one.market === market && one.locale === locale);
}

async function activeProduct(terms: object = {}) {
  const { id } = await newProduct(app, terms);
  const { id: unitId } = await newPart(app, id, 'units', { type: 'adult', name: 'Adult' });
  expect((await owner.post(`${PRODUCTS}/${id}/activation`)).status).toBe(200);
  return { id, unitId };
}

const ZONES = { timezone: 'Europe/Berlin', departureTimezone: 'Europe/Berlin' };

const price = (productId: string, unitId: string, amountCents: number, terms: object = {}) => ({
  ...{ productId, unitId, amountCents, ...terms },
});

describe('documents of products', () => {
  it('an active product has a document in the language of each market, and in each other language of its texts', async () => {
    const { id } = await activeProduct({
      name: 'Bog walk',
      durationMinutes: 180,
      texts: [
        { locale: 'en', title: 'Walk on the bog', summary: 'Boots are lent.', description: 'Three hours.' },
        { locale: 'de', title: 'Moorwanderung' },
      ],
      media: [{ url: 'https://media.example.com/bog.jpg' }],
    });
    expect(await documentsOf(id)).toEqual([]);

    await follow(id);

    const documents = await documentsOf(id);
    expect(documents.map(({ locale, market }) => `${locale} ${market}`)).toEqual([
      'de default',
      'de us',
      'en-GB default',
      'en-US us',
    ]);
    const common = {
      ...{ status: 'active', timezone: 'Europe/Berlin', departureTimezone: 'Europe/Berlin', durationMinutes: 180 },
      primaryMediaUrl: 'https://media.example.com/bog.jpg',
    };
    expect(documents[0]?.fields).toEqual({ ...common, name: 'Moorwanderung' });
    expect(documents[2]).toMatchObject({
      fields: { ...common, name: 'Walk on the bog', shortDescription: 'Boots are lent.', description: 'Three hours.' },
      version: 1,
    });
    expect(documents[2]?.productFields).toEqual(Object.keys(documents[2]?.fields ?? {}).sort());
  });

  it('fields that the product does not own stay, and its own are copied again until they are the same', async () => {
    const id = `seal.${Date.now()}`;
    await put(app, { name: 'Seals', tags: ['sea'], description: 'By a client', departures: [] }, id);
    await activeProduct({ id, name: 'Seal watching', texts: [{ locale: 'en', title: 'Seals', summary: 'Two hours' }] });

    await follow(id);
    const first = await documentOf(id);
    await Promise.all([follow(id), follow(id), follow(id)]);
    const again = await documentOf(id);
    await owner.patch(`${PRODUCTS}/${id}`, { texts: [] });
    await follow(id);

    expect(first?.fields).toMatchObject({ name: 'Seals', shortDescription: 'Two hours', tags: ['sea'] });
    expect(first?.fields['description']).toBe('By a client');
    expect(again).toEqual(first);
    const { fields } = (await documentOf(id)) ?? { fields: {} };
    expect(fields).toMatchObject({ name: 'Seal watching', tags: ['sea'], description: 'By a client' });
    expect(Object.keys(fields)).not.toContain('shortDescription');
  });

  it('a document of a language leaves with the text of the product, one that a client wrote stays', async () => {
    const { id } = await activeProduct({ texts: [{ locale: 'de', title: 'Fahrt' }] });
    await owner.put(`${DOCUMENTS}/products/${id}`, { locale: 'fr', fields: { name: 'Tour en bateau' } });
    await follow(id);
    expect((await documentOf(id, { locale: 'fr' }))?.fields).toMatchObject({
      name: 'Tour en bateau',
      status: 'active',
    });

    await owner.patch(`${PRODUCTS}/${id}`, { texts: [] });
    await follow(id);

    expect((await documentsOf(id)).map(({ locale }) => locale)).toEqual(['en-GB', 'en-US', 'fr']);
  });

  it('a new document has the departures of the product that lie ahead, and later changes of them', async () => {
    const { id } = await activeProduct();
    const { id: departureId } = await newDeparture(app, { productId: id, capacity: 7 });
    await follow(id);
    const [shown] = (await documentsOf(id)).map(({ fields }) => fields['departures']);
    const change = { productId: id, departureId, startsAt: '2099-01-01T08:00:00Z', endsAt: '2099-01-01T09:00:00Z' };
    const followDeparture = asSystem(() =>
      app.nest.get(DocumentsService).followDeparture({ ...change, status: 'scheduled', available: 3 }),
    );
    await Promise.all([followDeparture, follow(id)]);

    expect(shown).toEqual([expect.objectContaining({ departureId, availableUnits: 7 })]);
    expect((await documentOf(id))?.fields['departures']).toMatchObject([{ departureId, availableUnits: 3 }]);
  });

  it('a document without a record of its product is never changed', async () => {
    const { id } = await put(app, { name: 'No record' });
    await follow(id);
    expect(await documentOf(id)).toMatchObject({ version: 1, productFields: [] });
  });

  it('a draft and an archived product are not found by the search, an active one is', async () => {
    const word = `zwim${Date.now()}`;
    const { id } = await newProduct(app, { name: `Swim ${word}` });
    const found = async () => {
      await follow(id);
      await searchable(app);
      return (await search(app, { query: word })).body.total;
    };

    await put(app, { name: `Swim ${word}` }, id);
    const draft = await found();
    await owner.post(`${PRODUCTS}/${id}/activation`);
    const active = await found();
    await owner.post(`${PRODUCTS}/${id}/archival`);
    const archived = await found();

    expect([draft, active, archived]).toEqual([0, 1, 0]);
    expect((await documentOf(id))?.fields['status']).toBe('archived');
  });
});

describe('the price of a document', () => {
  const fromOf = async (id: string, variant?: { market: string; locale: string }) => {
    await follow(id);
    const { fields = {} } = (await documentOf(id, variant)) ?? {};
    return [fields['priceFromAmountCents'], fields['priceFromCurrency'], fields['hasPricing']];
  };

  it('the price of a document is the lowest price of an adult in the currency of its market for the next 365 days', async () => {
    const { id, unitId } = await activeProduct();
    const { id: childId } = await newPart(app, id, 'units', { type: 'child', name: 'Child' });
    const weekday = new Date(app.day(10)).getUTCDay() || 7;
    await activeList(app, [price(id, unitId, 9_000), price(id, unitId, 8_000, { weekday }), price(id, childId, 100)]);
    await activeList(app, [price(id, unitId, 7_000, { from: app.day(365) })], { priority: 9 });
    await activeList(app, [price(id, unitId, 11_000)], { currency: 'USD' });
    await activeList(app, [price(id, unitId, 100)], { soldTo: app.day(-1) });
    await newPriceList(app, {});

    expect(await fromOf(id)).toEqual([8_000, 'EUR', true]);
    expect(await fromOf(id, { market: 'us', locale: 'en-US' })).toEqual([11_000, 'USD', true]);
  });

  it('the price of a document follows price lists that are preceded, retired and replaced, also by a job for each product', async () => {
    const { id, unitId } = await activeProduct();
    const general = await activeList(app, [price(id, unitId, 5_000)]);
    const before = await fromOf(id);
    const preceding = await activeList(app, [price(id, unitId, 6_000)], { priority: 5 });
    const preceded = await fromOf(id);
    await app.sql('delete from graphile_worker._private_jobs where key like $1', [`%${id}`]);
    await owner.post(`${PRICE_LISTS}/${preceding.id}/retirement`);
    const jobs = await app.sql('select key from graphile_worker.jobs where key like $1', [`%${id}`]);
    const retired = await fromOf(id);
    await owner.put(`${PRICE_LISTS}/${general.id}/prices`, { prices: [] });
    const none = await fromOf(id);

    expect([before, preceded, retired]).toEqual([
      [5_000, 'EUR', true],
      [6_000, 'EUR', true],
      [5_000, 'EUR', true],
    ]);
    expect(jobs).toEqual([{ key: `catalog.product-changed:${id}` }]);
    expect(none).toEqual([undefined, undefined, undefined]);
  });

  it('the price of a document changes with the day, when all active products are refreshed', async () => {
    const { id, unitId } = await activeProduct();
    await activeList(app, [price(id, unitId, 5_000), price(id, unitId, 4_000)].slice(1), { soldTo: app.day(2) });
    await activeList(app, [price(id, unitId, 5_000)], { priority: -1 });
    const before = await fromOf(id);
    await app.sql('delete from graphile_worker._private_jobs where key like $1', [`%${id}`]);
    app.travel({ days: 3 });
    try {
      await asSystem(() => app.nest.get(DocumentsService).refreshProducts());
      const jobs = await app.sql('select key from graphile_worker.jobs where key like $1', [`%${id}`]);
      expect([before, jobs.length, await fromOf(id)]).toEqual([[4_000, 'EUR', true], 1, [5_000, 'EUR', true]]);
    } finally {
      app.travel({ days: -3 });
    }
  });
});

describe('changes by clients', () => {
  it('a PUT that changes a field of the product is rejected with 409 document_managed, and one that omits it keeps it', async () => {
    const { id } = await activeProduct({ name: 'Owned' });
    await follow(id);
    const path = `${DOCUMENTS}/products/${id}`;

    const changed = await owner.put<ErrorBody>(path, { fields: { name: 'Owned', status: 'archived' } });
    const batch = { documents: [{ vertical: 'products', id, fields: { name: 'Mine' } }] };
    const inBatch = await owner.post<ErrorBody>(`${DOCUMENTS}/batch`, batch);
    const added = await owner.put<Stored>(path, { fields: { name: 'Owned', tags: ['lake'] } });
    const again = await owner.put<Stored>(path, { fields: added.body.data.fields });

    expect([changed.status, changed.body.code, changed.body.details]).toEqual([
      409,
      'document_managed',
      { document: `products/en-GB/default/${id}`, changed: ['status'] },
    ]);
    expect([inBatch.status, inBatch.body.code, inBatch.body.details?.['changed']]).toEqual([
      409,
      'document_managed',
      ['name'],
    ]);
    expect([added.status, added.body.data.fields]).toEqual([
      200,
      { ...{ name: 'Owned', tags: ['lake'], status: 'active' }, ...ZONES },
    ]);
    expect([again.status, again.body.data.version]).toEqual([200, 3]);
  });

  it('a copy of an active product cannot be deleted, one of an archived product can', async () => {
    const { id } = await activeProduct();
    await follow(id);
    const rejected = await owner.delete<ErrorBody>(`${DOCUMENTS}/products/${id}`);
    await owner.post(`${PRODUCTS}/${id}/archival`);
    await follow(id);
    const deleted = await owner.delete(`${DOCUMENTS}/products/${id}`);

    expect([rejected.status, rejected.body.code, rejected.body.details]).toEqual([
      409,
      'document_managed',
      { productId: id },
    ]);
    expect([deleted.status, await documentsOf(id)]).toEqual([200, []]);
  });

  it('a PUT and a copy at the same time leave the fields of both', async () => {
    const { id } = await activeProduct({ name: 'Both' });
    await follow(id);
    await owner.patch(`${PRODUCTS}/${id}`, { texts: [{ locale: 'en', summary: 'New summary' }] });

    const path = `${DOCUMENTS}/products/${id}`;
    const puts = [1, 2, 3].map((n) => owner.put(path, { fields: { name: 'Both', tags: [`t${n}`] } }));
    const [, ...answers] = await Promise.all([follow(id), ...puts]);

    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    const { fields } = (await documentOf(id)) ?? { fields: {} };
    expect(fields).toMatchObject({ name: 'Both', shortDescription: 'New summary', tags: [expect.any(String)] });
  });
});
