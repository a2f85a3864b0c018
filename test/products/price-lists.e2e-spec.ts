import { beforeAll, describe, expect, it } from '@jest/globals';
import { ENTRIES } from '../action-ledger/ledger.js';
import { blocked, type Detail, entryOf, reversed } from '../action-ledger/reversals.js';
import { change as changeChannel, type ErrorBody, errorBody, newChannel } from '../distribution/channels.js';
import { startApp, type TestApp } from '../setup/app.js';
import type { TestClient } from '../setup/client.js';
import {
  activeList,
  newPricedUnit,
  newPriceList,
  type Price,
  PRICE_LISTS,
  type PriceList,
  priceList,
} from './price-lists.js';
import { newPart, newProduct, PRODUCTS } from './products.js';

let app: TestApp;
let owner: TestClient;
beforeAll(async () => {
  app = await startApp();
  owner = app.as('owner');
});

type Answer = { data: PriceList };
const put = <T = ErrorBody>(id: string, prices: readonly object[]) =>
  owner.put<T>(`${PRICE_LISTS}/${id}/prices`, { prices });
const pricesOf = async (id: string, query = '') =>
  (await owner.get<{ data: Price[] }>(`${PRICE_LISTS}/${id}/prices${query}`)).body.data;
const amountsOf = async (id: string) => (await pricesOf(id)).map(({ amountCents }) => amountCents);

const SUMMER = { from: '2027-06-01', to: '2027-08-31' };
const AUTUMN = { from: '2027-09-01', to: null };

describe('price lists', () => {
  it('a new price list is a draft without prices, with all its members', async () => {
    const { id: channelId } = await newChannel(app);
    const terms = { channelId, soldFrom: '2027-01-01', soldTo: '2027-01-31', priority: -5 };
    const answer = await owner.post<Answer>(PRICE_LISTS, priceList({ name: 'Winter', ...terms }));
    const { data } = answer.body;
    expect([answer.status, answer.headers['location']]).toEqual([201, `${PRICE_LISTS}/${data.id}`]);
    expect(data).toEqual({
      ...{ id: expect.stringMatching(/^plst_/), name: 'Winter', currency: 'EUR', ...terms, status: 'draft' },
      ...{ priceCount: 0, activatedAt: null, retiredAt: null, version: 1 },
      ...{ createdAt: expect.any(String), updatedAt: expect.any(String) },
    });
    expect((await owner.get<Answer>(`${PRICE_LISTS}/${data.id}`)).body.data).toEqual(data);
    const found = await owner.get<{ data: PriceList[] }>(`${PRICE_LISTS}?channelId=${channelId}&status=draft`);
    expect(found.body.data).toEqual([{ ...data, channelName: expect.stringMatching(/^Channel /) }]);
  });

  it('price-lists is not taken as the ID of a product', async () => {
    const list = await owner.get<{ total: number }>(PRICE_LISTS);
    expect([list.status, typeof list.body.total]).toEqual([200, 'number']);
    for (const path of ['units', 'options']) {
      expect((await owner.get(`${PRICE_LISTS}/${path}`)).status).toBe(404);
    }
  });

  it('a price list needs an existing channel that is not archived', async () => {
    const unknown = { channelId: 'chan_00000000000000000000000000' };
    const missing = await owner.post<ErrorBody>(PRICE_LISTS, priceList(unknown));
    expect([missing.status, missing.body.details]).toEqual([404, { field: 'channelId' }]);
    const { id } = await newPriceList(app);
    expect((await owner.patch(`${PRICE_LISTS}/${id}`, unknown)).status).toBe(404);
    const { id: channelId } = await newChannel(app);
    await changeChannel(owner, channelId, { status: 'archived' });
    const archived = await owner.patch<ErrorBody>(`${PRICE_LISTS}/${id}`, { channelId });
    expect([archived.status, archived.body.code]).toEqual([409, 'channel_archived']);
  });

  it.each([
    [{ soldFrom: '2027-02-01', soldTo: '2027-01-31' }, 'soldTo', 'end_before_start'],
    [{ currency: 'XXX' }, 'currency', 'wrong_format'],
    [{ priority: 10_001 }, 'priority', 'too_large'],
  ])('a price list with %j is rejected at %s', async (terms, path, code) => {
    const answer = await owner.post<ErrorBody>(PRICE_LISTS, priceList(terms));
    expect([answer.status, answer.body.details]).toMatchObject([400, { issues: [{ path, code }] }]);
  });

  it('a price list changes until it is retired, except for its currency', async () => {
    const { id } = await activeList(app, []);
    const path = `${PRICE_LISTS}/${id}`;
    const changed = await owner.patch<Answer>(path, { priority: 3, soldTo: '2027-01-01' });
    expect(changed.body.data).toMatchObject({ status: 'active', priority: 3, soldTo: '2027-01-01' });
    expect((await owner.patch(path, { currency: 'CHF' })).status).toBe(400);
    const again = await owner.post<ErrorBody>(`${path}/activation`);
    expect([again.status, again.body.code]).toEqual([409, 'invalid_transition']);

    const retired = await owner.post<Answer>(`${path}/retirement`);
    expect(retired.body.data).toMatchObject({ status: 'retired', retiredAt: expect.any(String) });
    const rejected = [
      await owner.post<ErrorBody>(`${path}/retirement`),
      await owner.post<ErrorBody>(`${path}/activation`),
      await owner.patch<ErrorBody>(path, { name: 'Later' }),
      await put(id, []),
    ];
    for (const answer of rejected) {
      expect(answer.status).toBe(409);
      expect(answer.body).toEqual(
        errorBody(answer, { code: 'price_list_retired', error: 'The price list is retired' }),
      );
    }
    await reversed(app, id, 'products.price_list.retire');
    expect((await owner.get<Answer>(path)).body.data).toMatchObject({ status: 'active', retiredAt: null });
  });

  it('a reversed activation makes a draft, unless the list was changed since', async () => {
    const { id } = await activeList(app, []);
    await reversed(app, id, 'products.price_list.activate');
    const path = `${PRICE_LISTS}/${id}`;
    expect((await owner.get<Answer>(path)).body.data).toMatchObject({ status: 'draft', activatedAt: null });
    const other = await activeList(app, []);
    await owner.patch(`${PRICE_LISTS}/${other.id}`, { priority: 1 });
    const details = await blocked(app, other.id, 'products.price_list.activate');
    expect(details).toMatchObject({ reason: 'changed_since' });
  });
});

describe('prices of price lists', () => {
  it('the prices of a list are replaced as a whole and keep their order', async () => {
    const unit = await newPricedUnit(app);
    const { id: optionId } = await newPart(app, unit.productId, 'options', { name: 'Private' });
    const { id } = await newPriceList(app);
    const first = await put<Answer>(id, [
      { ...unit, amountCents: 9_900, optionId },
      { ...unit, amountCents: 0 },
      { ...unit, amountCents: 6_500, weekday: 7 },
    ]);
    expect([first.status, first.body.data]).toMatchObject([200, { id, priceCount: 3, version: 2 }]);
    expect(await pricesOf(id)).toEqual([
      expect.objectContaining({ ...unit, optionId, amountCents: 9_900, position: 1, weekday: null, from: null }),
      expect.objectContaining({ ...unit, optionId: null, amountCents: 0, position: 2, to: null }),
      expect.objectContaining({ ...unit, amountCents: 6_500, position: 3, weekday: 7 }),
    ]);
    const second = await put<Answer>(id, [
      { ...unit, amountCents: 0 },
      { ...unit, ...SUMMER, amountCents: 1, optionId },
    ]);
    expect(second.body.data.priceCount).toBe(2);
    expect(await amountsOf(id)).toEqual([0, 1]);
    const entry = await entryOf(app, id, 'products.price_list.replace_prices');
    const detail = await owner.get<{ data: Detail }>(`${ENTRIES}/${entry.id}`);
    const { before, after } = detail.body.data;
    expect([before, after]).toMatchObject([
      { priceCount: 3, prices: [{ amountCents: 9_900 }, { amountCents: 0 }, { amountCents: 6_500 }] },
      { priceCount: 2, prices: [{ amountCents: 0 }, { amountCents: 1, ...SUMMER }] },
    ]);
    await reversed(app, id, 'products.price_list.replace_prices');
    expect(await amountsOf(id)).toEqual([9_900, 0, 6_500]);
    await put(id, [
      { ...unit, amountCents: 0 },
      { ...unit, amountCents: 1, optionId },
    ]);
    expect(await pricesOf(id, `?productId=${unit.productId}&unitId=${unit.unitId}&sort=-amountCents&limit=1`)).toEqual([
      expect.objectContaining({ amountCents: 1 }),
    ]);
  });

  it('seasons may meet at midnight, but must not share a day', async () => {
    const unit = await newPricedUnit(app);
    const { id } = await newPriceList(app);
    const autumn = { ...unit, ...AUTUMN, amountCents: 100 };
    expect((await put(id, [autumn, { ...unit, ...SUMMER, amountCents: 200 }])).status).toBe(200);
    const shared = await put(id, [
      autumn,
      { ...unit, weekday: 1, amountCents: 1 },
      { ...unit, to: '2027-09-01', amountCents: 2 },
    ]);
    expect(shared.status).toBe(409);
    const error = 'Two prices of the same unit, option and weekday have a common service date';
    expect(shared.body).toEqual(errorBody(shared, { code: 'price_overlap', error, details: { indexes: [0, 2] } }));
    expect(await amountsOf(id)).toEqual([100, 200]);
  });

  it('the database rejects overlapping prices as well', async () => {
    const unit = await newPricedUnit(app);
    const { id } = await activeList(app, [{ ...unit, ...SUMMER, amountCents: 1 }]);
    const insert = (from: string) =>
      app.sql(
        `insert into prices (id, price_list_id, product_id, unit_id, position, service_from, amount_cents, created_at)
         select 'pric_' || $2, price_list_id, product_id, unit_id, 2, $2::date, 5, now() from prices where price_list_id = $1`,
        [id, from],
      );
    await expect(insert('2027-08-31')).rejects.toThrow('prices_no_overlap');
    await insert('2027-09-01');
    expect(await amountsOf(id)).toEqual([1, 5]);
  });

  it('a price names a unit and an option of its own product', async () => {
    const [unit, other] = [await newPricedUnit(app), await newPricedUnit(app)];
    const { id: optionId } = await newPart(app, other.productId, 'options', { name: 'Private' });
    const { id } = await newPriceList(app);
    const good = { ...unit, amountCents: 1 };
    const rejected = async (price: object) => {
      const { status, body } = await put(id, [good, { ...good, weekday: 1, ...price }]);
      return [status, body.details];
    };
    expect(await rejected({ productId: 'none' })).toEqual([404, { field: 'prices.1.productId' }]);
    expect(await rejected({ unitId: other.unitId })).toEqual([404, { field: 'prices.1.unitId' }]);
    expect(await rejected({ optionId })).toEqual([404, { field: 'prices.1.optionId' }]);
    const reversedDays = await put(id, [{ ...good, from: '2027-02-01', to: '2027-01-31' }]);
    const issues = [{ path: 'prices.0.to', code: 'end_before_start' }];
    expect([reversedDays.status, reversedDays.body.details]).toMatchObject([400, { issues }]);
    const negative = await put(id, [{ ...good, amountCents: -1 }]);
    expect([negative.status, negative.body.details]).toMatchObject([
      400,
      { issues: [{ path: 'prices.0.amountCents' }] },
    ]);
  });

  it('a list takes 2,000 prices and no more', async () => {
    const unit = await newPricedUnit(app);
    const { id } = await newPriceList(app);
    const day = (number: number) => new Date(Date.UTC(2027, 0, number)).toISOString().slice(0, 10);
    const prices = Array.from({ length: 2_001 }, (_, index) => {
      return { ...unit, from: day(index), to: day(index), amountCents: index };
    });
    const tooMany = await put(id, prices);
    expect([tooMany.status, tooMany.body.details]).toMatchObject([
      400,
      { issues: [{ path: 'prices', code: 'too_many' }] },
    ]);
    const most = await put<Answer>(id, prices.slice(1));
    expect([most.status, most.body.data.priceCount]).toEqual([200, 2_000]);
    const last = await pricesOf(id, '?sort=-position&limit=1');
    expect(last).toEqual([expect.objectContaining({ position: 2_000, from: day(2_000), amountCents: 2_000 })]);
  });

  it('parallel replacements leave the prices of exactly one of them', async () => {
    const unit = await newPricedUnit(app);
    const { id } = await newPriceList(app);
    const sets = [1, 2, 3, 4, 5].map((set) =>
      [1, 2, 3, 4, 5, 6, 7]
        .slice(0, set + 2)
        .map((weekday) => ({ ...unit, weekday, amountCents: set * 100 + weekday })),
    );
    const answers = await Promise.all(sets.map((prices) => put(id, prices)));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
    const amounts = await amountsOf(id);
    expect(sets.map((prices) => prices.map(({ amountCents }) => amountCents))).toContainEqual(amounts);
    const { priceCount, version } = (await owner.get<Answer>(`${PRICE_LISTS}/${id}`)).body.data;
    expect([priceCount, version]).toEqual([amounts.length, 6]);
  });

  it('a unit or an option with prices is not deleted', async () => {
    const unit = await newPricedUnit(app);
    const path = `${PRODUCTS}/${unit.productId}`;
    const { id: optionId } = await newPart(app, unit.productId, 'options', { name: 'Private' });
    const { id } = await newPriceList(app);
    await put(id, [{ ...unit, optionId, amountCents: 1 }]);
    const ofUnit = await owner.delete<ErrorBody>(`${path}/units/${unit.unitId}`);
    const error = 'Price lists contain prices of the unit';
    expect(ofUnit.body).toEqual(errorBody(ofUnit, { code: 'unit_in_use', error }));
    const ofOption = await owner.delete<ErrorBody>(`${path}/options/${optionId}`);
    expect([ofUnit.status, ofOption.status, ofOption.body.code]).toEqual([409, 409, 'option_in_use']);
    await put(id, []);
    expect((await owner.delete(`${path}/units/${unit.unitId}`)).status).toBe(200);
    expect((await owner.delete(`${path}/options/${optionId}`)).status).toBe(200);
  });

  it('of a parallel deletion of a unit and its new price exactly one succeeds', async () => {
    for (let round = 0; round < 5; round += 1) {
      const unit = await newPricedUnit(app);
      const { id } = await newPriceList(app);
      const answers = await Promise.all([
        owner.delete(`${PRODUCTS}/${unit.productId}/units/${unit.unitId}`),
        put(id, [{ ...unit, amountCents: 1 }]),
      ]);
      expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
      expect(answers.map(({ status }) => status).filter((status) => status === 404 || status === 409)).toHaveLength(1);
    }
  });

  it('an archived product keeps its prices', async () => {
    const unit = await newPricedUnit(app);
    const { id } = await activeList(app, [{ ...unit, amountCents: 1 }]);
    expect((await owner.post(`${PRODUCTS}/${unit.productId}/archival`)).status).toBe(200);
    expect((await put(id, [{ ...unit, amountCents: 2 }])).status).toBe(200);
    expect(await amountsOf(id)).toEqual([2]);
  });
});

describe('copies of price lists', () => {
  it('a copy of a retired list is a draft with changed and rounded prices', async () => {
    const unit = await newPricedUnit(app);
    const amounts = [0, 1_000, 1_449, 1_450, 333];
    const prices = amounts.map((amountCents, index) => ({ ...unit, weekday: index + 1, amountCents }));
    const source = await activeList(app, prices, { priority: 7, soldTo: '2027-12-31' });
    await owner.post(`${PRICE_LISTS}/${source.id}/retirement`);
    const copy = await owner.post<Answer>(`${PRICE_LISTS}/${source.id}/copies`, {
      ...{ name: 'Next', changeBasisPoints: 1_000, roundToCents: 50 },
    });
    expect([copy.status, copy.body.data]).toMatchObject([
      201,
      { name: 'Next', status: 'draft', priority: 7, soldTo: '2027-12-31', priceCount: 5, retiredAt: null, version: 1 },
    ]);
    expect(await amountsOf(copy.body.data.id)).toEqual([0, 1_100, 1_600, 1_600, 350]);
    expect(await amountsOf(source.id)).toEqual(amounts);
    const same = await owner.post<Answer>(`${PRICE_LISTS}/${source.id}/copies`, {});
    expect([same.body.data['name'], await amountsOf(same.body.data.id)]).toEqual([source['name'], amounts]);
  });

  it('a copy with a price that no whole number expresses exactly is rejected', async () => {
    const unit = await newPricedUnit(app);
    const { id } = await activeList(app, [{ ...unit, amountCents: Number.MAX_SAFE_INTEGER }]);
    const answer = await owner.post<ErrorBody>(`${PRICE_LISTS}/${id}/copies`, { changeBasisPoints: 1 });
    const issues = [{ path: 'changeBasisPoints', code: 'amount_too_large' }];
    expect([answer.status, answer.body.details]).toMatchObject([400, { issues }]);
    expect((await owner.post(`${PRICE_LISTS}/${id}/copies`, { changeBasisPoints: -10_001 })).status).toBe(400);
  });

  it('a copy that would round a price down to nothing is rejected, unless all prices become 0', async () => {
    const unit = await newPricedUnit(app);
    const { id } = await activeList(app, [{ ...unit, amountCents: 40 }]);
    const rounded = await owner.post<ErrorBody>(`${PRICE_LISTS}/${id}/copies`, { roundToCents: 100 });
    const issues = [{ path: 'roundToCents', code: 'amount_zero' }];
    expect([rounded.status, rounded.body.details]).toMatchObject([400, { issues }]);
    const free = await owner.post<Answer>(`${PRICE_LISTS}/${id}/copies`, { changeBasisPoints: -10_000 });
    expect(await amountsOf(free.body.data.id)).toEqual([0]);
  });

  it('products do not copy prices', async () => {
    const { id } = await newProduct(app);
    const { id: unitId } = await newPart(app, id, 'units', { type: 'adult', name: 'Adult' });
    const list = await activeList(app, [{ productId: id, unitId, amountCents: 1 }]);
    await owner.post(`${PRODUCTS}/${id}/copies`, {});
    expect(await amountsOf(list.id)).toEqual([1]);
  });
});
