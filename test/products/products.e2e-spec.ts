import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { Products1796320000000 } from '../../src/migrations/1796320000000-products.js';
import { reversed } from '../action-ledger/reversals.js';
import { ALLOTMENTS, allotted } from '../distribution/allotments/allotments.js';
import { type ErrorBody, errorBody } from '../distribution/channels.js';
import { DEPARTURES, departure, newDeparture } from '../operations/departures.js';
import { archived } from '../operations/facilities.js';
import { startApp, type TestApp } from '../setup/app.js';
import type { TestClient } from '../setup/client.js';
import { newPart, newProduct, type Product, product, PRODUCTS } from './products.js';

let app: TestApp;
let owner: TestClient;
beforeAll(async () => {
  app = await startApp();
  owner = app.as('owner');
});

const found = async (query: Record<string, string>): Promise<string[]> => {
  const { status, body } = await owner.get<{ data: Product[] }>(`${PRODUCTS}?${new URLSearchParams(query)}`);
  expect(status).toBe(200);
  return body.data.map(({ id }) => id);
};

interface Part extends Record<string, unknown> {
  id: string;
  isDefault: boolean;
  position: number;
  accompaniedBy: string[];
}

const parts = async (productId: string, list: 'options' | 'units' | 'extras') =>
  (await owner.get<{ data: Part[] }>(`${PRODUCTS}/${productId}/${list}`)).body.data;

describe('products', () => {
  it('a new product is a draft with all its members and the defaults', async () => {
    const id = `delta-${randomUUID()}`;
    const answer = await owner.post<{ data: Product }>(PRODUCTS, {
      ...product({ name: 'Delta tour', id, cutoff: { minutesBefore: 60 }, minParticipants: 4, decideDaysBefore: 3 }),
      resourceNeeds: [{ type: 'guide' }],
      texts: [{ locale: 'de', title: 'Deltafahrt' }],
      media: [{ url: 'https://example.com/a.jpg' }],
      requiredTravelerFields: ['firstName', 'birthDate'],
    });
    expect([answer.status, answer.headers['location']]).toEqual([201, `${PRODUCTS}/${id}`]);
    expect(answer.body.data).toEqual({
      ...{ id, name: 'Delta tour', kind: 'day_tour', status: 'draft', timeZone: 'Europe/Berlin' },
      ...{ durationMinutes: null, defaultCapacity: null, facilityId: null, taxCodeId: null },
      ...{ cutoff: { minutesBefore: 60, daysBefore: null, at: null }, minParticipants: 4, decideDaysBefore: 3 },
      ...{ requiredContactFields: [], requiredTravelerFields: ['firstName', 'birthDate'] },
      ...{ resourceNeeds: [{ type: 'guide', quantity: 1 }], bufferBeforeMinutes: 0, bufferAfterMinutes: 0 },
      issueVouchers: 'on_confirmation',
      texts: [{ locale: 'de', title: 'Deltafahrt', summary: null, description: null }],
      media: [{ url: 'https://example.com/a.jpg', kind: 'image', caption: null }],
      ...{ activatedAt: null, archivedAt: null, version: 1 },
      ...{ createdAt: expect.any(String), updatedAt: expect.any(String) },
    });
    const again = await owner.post<ErrorBody>(PRODUCTS, product({ id }));
    expect(again.status).toBe(409);
    const taken = { error: 'Another product already has this ID', details: { field: 'id' } };
    expect(again.body).toEqual(errorBody(again, { code: 'product_id_taken', ...taken }));
  });

  it.each([
    [{ id: 'price-lists' }, 'id', 'wrong_format'],
    [{ decideDaysBefore: 3 }, 'decideDaysBefore', 'minimum_missing'],
    [{ texts: [{ locale: 'de' }, { locale: 'de' }] }, 'texts.1.locale', 'duplicate'],
    [{ cutoff: { minutesBefore: 5, at: '10:00' } }, 'cutoff', 'exactly_one'],
    [{ requiredTravelerFields: ['shoeSize'] }, 'requiredTravelerFields', 'wrong_format'],
  ])('a product with %j is rejected at %s', async (terms, path, code) => {
    const answer = await owner.post<ErrorBody>(PRODUCTS, product(terms));
    expect(answer.status).toBe(400);
    expect(answer.body.details).toMatchObject({ issues: [{ path, code }] });
  });

  it('a product cannot get an archived meeting point or an unknown tax code', async () => {
    const facility = await owner.post<ErrorBody>(PRODUCTS, product({ facilityId: (await archived(app)).id }));
    expect([facility.status, facility.body.code]).toEqual([409, 'facility_archived']);
    const unknown = { taxCodeId: 'taxc_00000000000000000000000000' };
    const taxCode = await owner.post<ErrorBody>(PRODUCTS, product(unknown));
    expect([taxCode.status, taxCode.body.details]).toEqual([404, { field: 'taxCodeId' }]);
  });

  it('products are found by words of their name and titles, without accents and in any order', async () => {
    const word = randomUUID().slice(0, 8);
    const { id } = await newProduct(app, { name: `Córdoba ${word}`, texts: [{ locale: 'de', title: 'Führung' }] });
    const byWords = await found({ search: `fuhrung ${word} CORDOBA` });
    expect([byWords, await found({ search: `${word} %` })]).toEqual([[id], []]);
    expect(await found({ search: word, status: 'active' })).toEqual([]);
    expect(await found({ search: word, kind: 'transfer' })).toEqual([]);
  });

  it('a draft is activated once, and changed with the fields that are sent', async () => {
    const { id } = await newProduct(app, { durationMinutes: 60 });
    const active = await owner.post<{ data: Product }>(`${PRODUCTS}/${id}/activation`);
    expect(active.body.data).toMatchObject({ status: 'active', version: 2 });
    const again = await owner.post<ErrorBody>(`${PRODUCTS}/${id}/activation`);
    expect([again.status, again.body.code]).toEqual([409, 'invalid_transition']);
    const changed = await owner.patch<{ data: Product }>(`${PRODUCTS}/${id}`, { name: 'New', durationMinutes: null });
    expect(changed.body.data).toMatchObject({ name: 'New', durationMinutes: null, status: 'active', version: 3 });
  });

  it('an archived product is read-only and gets no departures and allotments, until its archival is reversed', async () => {
    const { id } = await newProduct(app);
    expect((await owner.post(`${PRODUCTS}/${id}/archival`)).status).toBe(200);
    const archivedBody = { code: 'product_archived', details: { productId: id } };
    const rejected = [
      await owner.patch<ErrorBody>(`${PRODUCTS}/${id}`, { name: 'Other' }),
      await owner.post<ErrorBody>(`${PRODUCTS}/${id}/activation`),
      await owner.post<ErrorBody>(`${PRODUCTS}/${id}/options`, { name: 'Late' }),
      await owner.post<ErrorBody>(DEPARTURES, departure({ productId: id })),
    ];
    for (const { status, body } of rejected)
      expect([status, body]).toEqual([409, expect.objectContaining(archivedBody)]);
    const { allotment } = await allotted(app);
    const { channelId, validFrom, type, defaultQuantity } = allotment;
    const other = { channelId, validFrom, type, defaultQuantity, productId: id };
    const refused = await owner.post<ErrorBody>(ALLOTMENTS, other);
    expect([refused.status, refused.body.code]).toEqual([409, 'product_archived']);
    expect(await found({ search: id })).toEqual([]);
    await reversed(app, id, 'products.product.archive');
    expect((await newDeparture(app, { productId: id })).productId).toBe(id);
  });

  it('a product with departures ahead or live allotments is not archived', async () => {
    const { id, productId } = await newDeparture(app);
    await newProduct(app, { id: productId });
    const inUse = await owner.post<ErrorBody>(`${PRODUCTS}/${productId}/archival`);
    expect(inUse.status).toBe(409);
    const error = 'The product has departures that have yet to start';
    const details = { productId, departures: 1 };
    expect(inUse.body).toEqual(errorBody(inUse, { code: 'product_in_use', error, details }));
    await owner.post(`${DEPARTURES}/${id}/cancellation`, { reason: 'Not enough guests' });
    expect((await owner.post(`${PRODUCTS}/${productId}/archival`)).status).toBe(200);
    const again = await owner.post<ErrorBody>(`${DEPARTURES}/${id}/reinstatement`, { reason: 'Enough guests now' });
    expect([again.status, again.body.code]).toEqual([409, 'product_archived']);

    const { allotment, departure: of } = await allotted(app);
    await newProduct(app, { id: allotment['productId'] });
    await app.sql(`update departures set status = 'cancelled', cancelled_at = now() where id = $1`, [of.id]);
    const live = await owner.post<ErrorBody>(`${PRODUCTS}/${String(allotment['productId'])}/archival`);
    expect([live.status, live.body.details]).toEqual([409, { productId: allotment['productId'], allotments: 1 }]);
    await owner.patch(`${ALLOTMENTS}/${allotment.id}`, { active: false });
    expect((await owner.post(`${PRODUCTS}/${String(allotment['productId'])}/archival`)).status).toBe(200);
    const active = await owner.patch<ErrorBody>(`${ALLOTMENTS}/${allotment.id}`, { active: true });
    expect([active.status, active.body.code]).toEqual([409, 'product_archived']);
  });

  it('of a parallel archival and new departure only one succeeds', async () => {
    for (let round = 0; round < 5; round += 1) {
      const { id } = await newProduct(app);
      const answers = await Promise.all([
        owner.post(`${PRODUCTS}/${id}/archival`),
        owner.post(DEPARTURES, departure({ productId: id })),
      ]);
      expect(answers.map(({ status }) => status).filter((status) => status === 409)).toHaveLength(1);
    }
  });

  it('the migration makes a draft of each product ID in use', async () => {
    const { productId } = await newDeparture(app, { timeZone: 'Asia/Tokyo' });
    const [text = ''] = await statementsOf(new Products1796320000000(), /insert into products/);
    await app.sql(`${text} on conflict do nothing`);
    const { body } = await owner.get<{ data: Product }>(`${PRODUCTS}/${productId}`);
    expect(body.data).toMatchObject({ name: productId, status: 'draft', kind: 'service', timeZone: 'Asia/Tokyo' });
  });
});

describe('options of products', () => {
  it('the first option is the default, and a new default ends the former one', async () => {
    const { id: productId } = await newProduct(app);
    const first = await newPart(app, productId, 'options', { name: 'Morning', startTimes: ['09:00'] });
    const second = await newPart(app, productId, 'options', { name: 'Private', isDefault: true });
    const defaults = (await parts(productId, 'options')).map(({ isDefault, position }) => ({ isDefault, position }));
    expect(defaults).toEqual([
      { isDefault: false, position: 1 },
      { isDefault: true, position: 2 },
    ]);
    const path = `${PRODUCTS}/${productId}/options`;
    const ended = await owner.patch<ErrorBody>(`${path}/${second.id}`, { isDefault: false });
    expect([ended.status, ended.body.details]).toMatchObject([400, { issues: [{ code: 'last_default' }] }]);
    const deleted = await owner.delete<ErrorBody>(`${path}/${second.id}`);
    expect([deleted.status, deleted.body.code]).toEqual([409, 'option_is_default']);
    expect((await owner.patch(`${path}/${first.id}`, { isDefault: true, minUnits: 2, maxUnits: 4 })).status).toBe(200);
    expect((await owner.delete(`${path}/${second.id}`)).status).toBe(200);
    expect((await owner.delete(`${path}/${first.id}`)).status).toBe(200);
    expect(await parts(productId, 'options')).toEqual([]);
  });

  it('parallel new options leave exactly one default', async () => {
    const { id } = await newProduct(app);
    await Promise.all([1, 2, 3, 4].map((name) => newPart(app, id, 'options', { name: `${name}`, isDefault: true })));
    expect((await parts(id, 'options')).filter(({ isDefault }) => isDefault)).toHaveLength(1);
  });

  it('an option of another product is not found', async () => {
    const [one, other] = [await newProduct(app), await newProduct(app)];
    const { id } = await newPart(app, one.id, 'options', { name: 'Morning' });
    expect((await owner.get(`${PRODUCTS}/${other.id}/options/${id}`)).status).toBe(404);
    expect((await owner.patch(`${PRODUCTS}/${other.id}/options/${id}`, { name: 'X' })).status).toBe(404);
  });
});

describe('units of products', () => {
  it('a unit names units of its own product only, and is not deleted while one names it', async () => {
    const { id: productId } = await newProduct(app);
    const { id: foreign } = await newPart(app, (await newProduct(app)).id, 'units', { type: 'adult', name: 'Adult' });
    const adult = await newPart(app, productId, 'units', { type: 'adult', name: 'Adult' });
    const path = `${PRODUCTS}/${productId}/units`;
    const infant = { type: 'infant', name: 'Infant', maxAge: 3, seats: 0 };
    const unknown = await owner.post<ErrorBody>(path, { ...infant, accompaniedBy: [foreign] });
    expect([unknown.status, unknown.body.details]).toEqual([404, { field: 'accompaniedBy', id: foreign }]);
    const { id } = await newPart(app, productId, 'units', { ...infant, accompaniedBy: [adult.id] });
    const inUse = await owner.delete<ErrorBody>(`${path}/${adult.id}`);
    expect([inUse.status, inUse.body.code, inUse.body.details]).toEqual([409, 'unit_in_use', { unitIds: [id] }]);
    expect((await owner.patch(`${path}/${id}`, { accompaniedBy: [] })).status).toBe(200);
    expect((await owner.delete(`${path}/${adult.id}`)).status).toBe(200);
  });

  it.each([
    [{ minAge: 12, maxAge: 11 }, 'maxAge', 'below_minimum'],
    [{ minQuantity: 3, maxQuantity: 2 }, 'maxQuantity', 'below_minimum'],
    [{ costCents: 100 }, 'costCurrency', 'cost_incomplete'],
    [{ seats: 51 }, 'seats', 'too_large'],
  ])('a unit with %j is rejected at %s', async (terms, path, code) => {
    const { id } = await newProduct(app);
    const answer = await owner.post<ErrorBody>(`${PRODUCTS}/${id}/units`, { type: 'child', name: 'Child', ...terms });
    expect([answer.status, answer.body.details]).toMatchObject([400, { issues: [{ path, code }] }]);
  });
});

describe('copies of products', () => {
  it('a copy is a draft with the options, units and extras of the product, which refer to each other', async () => {
    const { id: source } = await newProduct(app, { texts: [{ locale: 'de', title: 'Fahrt' }] });
    const { id: morning } = await newPart(app, source, 'options', { name: 'Morning' });
    const { id: adult } = await newPart(app, source, 'units', { type: 'adult', name: 'Adult' });
    await newPart(app, source, 'units', { type: 'child', name: 'Child', accompaniedBy: [adult] });
    const lunch = { name: 'Lunch', kind: 'meal', pricing: 'per_person', optionIds: [morning] };
    await newPart(app, source, 'extras', lunch);
    await owner.post(`${PRODUCTS}/${source}/archival`);
    const { status, body } = await owner.post<{ data: Product }>(`${PRODUCTS}/${source}/copies`, { name: 'Next year' });
    expect([status, body.data]).toMatchObject([
      201,
      { name: 'Next year', status: 'draft', archivedAt: null, version: 1 },
    ]);
    const [options, units] = [await parts(body.data.id, 'options'), await parts(body.data.id, 'units')];
    expect(options).toMatchObject([{ name: 'Morning', isDefault: true, productId: body.data.id }]);
    expect(units).toMatchObject([{ name: 'Adult' }, { name: 'Child', accompaniedBy: [units[0]?.id] }]);
    expect(units[0]?.id).not.toBe(adult);
    expect(await parts(body.data.id, 'extras')).toMatchObject([{ ...lunch, optionIds: [options[0]?.id] }]);
    expect(await found({ search: `Next year ${body.data.id} Fahrt` })).toEqual([body.data.id]);
  });
});

/** The statements of a migration that match. */
async function statementsOf(migration: { up: (runner: never) => Promise<void> }, pattern: RegExp): Promise<string[]> {
  const texts: string[] = [];
  const runner = { query: (text: string) => Promise.resolve(texts.push(text)) };
  await migration.up(runner as never);
  return texts.filter((text) => pattern.test(text));
}
