import { beforeAll, describe, expect, it } from '@jest/globals';
import { newKey, newOperator } from '../connect/partners.js';
import { ALLOTMENTS, departureIn, newAllotment } from '../distribution/allotments/allotments.js';
import { change } from '../distribution/channels.js';
import { activeList } from '../products/price-lists.js';
import { startApp, type TestApp } from '../setup/app.js';
import { countersOf, reserve } from './orders.js';
import { newShop, PRICING, type Shop } from './shop.js';

interface Availability {
  id: string;
  status: string;
  available: boolean;
  vacancies: number;
  capacity: number;
  [member: string]: unknown;
}

let app: TestApp;
let shop: Shop;
beforeAll(async () => {
  app = await startApp();
  shop = await newShop(app, { commissionBasisPoints: 1_500 });
});

async function availabilityOf({ reseller, productId, optionId, departureId }: Shop, more: object = {}, options = {}) {
  const body = { productId, optionId, availabilityIds: [departureId], ...more };
  const answer = await reseller.post<Availability[]>('/octo/availability', body, options);
  if (answer.status !== 200) throw new Error(answer.text);
  return answer.body;
}

const period = (days = 60) => ({ localDateStart: app.day(), localDateEnd: app.day(days) });

describe('a caller of the OCTO surface', () => {
  it('a missing or unknown credential gets 401 UNAUTHORIZED with the same body on both forms of a path', async () => {
    for (const client of [app, app.with('tpk_unknown')]) {
      for (const path of ['/octo/products', '/octo/products/']) {
        const { status, body, headers } = await client.get(path);
        expect([status, body]).toEqual([
          401,
          {
            error: 'UNAUTHORIZED',
            errorMessage: 'A platform API key or OAuth access token is required, sent as Authorization: Bearer',
            requestId: headers['x-request-id'],
          },
        ]);
        expect(headers['www-authenticate']).toMatch(/^Bearer realm="octo"/);
      }
    }
  });

  it('a credential without the scope or without a connection gets 403 FORBIDDEN', async () => {
    const operatorId = await newOperator(app);
    for (const scopes of [['connect:octo:browse'], ['connect:bookings:read']]) {
      const { status, body } = await app.with(await newKey(app, scopes, operatorId)).get('/octo/supplier');
      expect([status, body]).toMatchObject([403, { error: 'FORBIDDEN' }]);
    }
  });

  it('an unknown path is 404 NOT_FOUND, and an unreadable body 400 BAD_REQUEST', async () => {
    const unknown = await shop.reseller.get('/octo/carts');
    expect([unknown.status, unknown.body]).toMatchObject([404, { error: 'NOT_FOUND' }]);
    const options = { raw: '{"productId":', headers: { 'Content-Type': 'application/json' } };
    const unreadable = await shop.reseller.post('/octo/availability', undefined, options);
    expect([unreadable.status, unreadable.body]).toMatchObject([400, { error: 'BAD_REQUEST' }]);
  });
});

describe('the supplier and its products', () => {
  it('the supplier has an endpoint and all members of its contact', async () => {
    const { status, body, headers } = await shop.reseller.get<{ contact: object }>('/octo/supplier');
    expect([status, body]).toEqual([
      200,
      {
        id: expect.any(String),
        name: expect.any(String),
        endpoint: expect.stringMatching(/^https?:\/\/.*\/octo$/),
        contact: expect.any(Object),
      },
    ]);
    expect(Object.keys(body.contact)).toEqual(['website', 'email', 'telephone', 'address']);
    expect([headers['octo-capabilities'], headers['octo-env']]).toEqual(['', 'live']);
    expect((await shop.reseller.get('/octo/capabilities/')).body).toEqual([
      { id: 'octo/pricing', revision: 1, required: false, dependencies: [], docs: null },
      { id: 'octo/content', revision: 1, required: false, dependencies: [], docs: null },
    ]);
  });

  it('a product has its option and units, and amounts only with the capability', async () => {
    const { productId, optionId, adult, child, reseller } = shop;
    const plain = await reseller.get<Record<string, unknown>>(`/octo/products/${productId}`);
    const unit = (id: string, name: string, minAge: number, maxAge: number, accompaniedBy: string[]) => ({
      ...{ id, internalName: name, reference: null, type: name.toUpperCase(), requiredContactFields: [] },
      restrictions: {
        ...{ minAge, maxAge, idRequired: false, minQuantity: null, maxQuantity: null, paxCount: 1, accompaniedBy },
      },
    });
    expect([plain.status, plain.body]).toEqual([
      200,
      {
        ...{ id: productId, internalName: expect.any(String), reference: null, locale: 'en' },
        ...{ timeZone: 'Europe/Bucharest', allowFreesale: false, instantConfirmation: true, instantDelivery: true },
        ...{ availabilityRequired: true, availabilityType: 'START_TIME' },
        ...{ deliveryFormats: ['QRCODE'], deliveryMethods: ['VOUCHER'], redemptionMethod: 'DIGITAL' },
        options: [
          {
            ...{ id: optionId, default: true, internalName: 'Morning', reference: null },
            availabilityLocalStartTimes: ['09:00'],
            cancellationCutoff: expect.any(String),
            cancellationCutoffAmount: expect.any(Number),
            cancellationCutoffUnit: 'day',
            requiredContactFields: [],
            restrictions: { minUnits: 1, maxUnits: 60 },
            units: [unit(adult, 'Adult', 13, 120, []), unit(child, 'Child', 0, 12, [adult])],
          },
        ],
      },
    ]);
    const priced = await reseller.get<Record<string, unknown>>(`/octo/products/${productId}?_capabilities=pricing,x`);
    expect(priced.headers['octo-capabilities']).toBe('octo/pricing');
    expect(priced.body).toMatchObject({ defaultCurrency: 'EUR', availableCurrencies: ['EUR'], pricingPer: 'UNIT' });
    const listed = await reseller.get<{ id: string }[]>('/octo/products');
    expect(listed.body.map(({ id }) => id)).toContain(productId);
  });

  it('the content of a product comes in one language, with its pictures and its meeting point', async () => {
    const owner = app.as('owner');
    const place = { name: 'Harbour', kind: 'meeting_point', latitude: 45.18, longitude: 28.8 };
    const address = { line1: 'Isaccei 1', city: 'Tulcea', country: 'RO' };
    const facility = await owner.post<{ data: { id: string } }>('/v1/admin/operations/facilities', {
      ...place,
      address,
    });
    expect(facility.status).toBe(201);
    const { productId, reseller } = await newShop(
      app,
      {},
      {
        product: {
          ...{ kind: 'day_tour', durationMinutes: 240, facilityId: facility.body.data.id },
          texts: [
            { locale: 'en', title: 'Danube Delta', summary: 'By boat.' },
            { locale: 'de', title: 'Donaudelta', description: 'Mit dem Boot.' },
          ],
          media: [
            { url: 'https://media.example.com/terms.pdf', kind: 'document' },
            { url: 'https://media.example.com/delta.png', kind: 'image', caption: 'Pelicans' },
            { url: 'https://www.youtube.com/watch?v=1', kind: 'video' },
          ],
        },
      },
    );
    const read = async (language: string) => {
      const headers = { 'Octo-Capabilities': 'octo/content', 'Accept-Language': language };
      return reseller.get<Record<string, unknown>>(`/octo/products/${productId}`, { headers });
    };
    const german = await read('fr, de-AT;q=0.8, en;q=0.5');
    expect([german.headers['content-language'], german.headers['octo-capabilities']]).toEqual(['de', 'octo/content']);
    const nothing = { features: [], faqs: [], durationMinutesFrom: 240, durationMinutesTo: null, commentary: [] };
    const file = { title: null, copyright: null };
    expect(german.body).toMatchObject({
      ...{ title: 'Donaudelta', shortDescription: null, description: 'Mit dem Boot.', categoryLabels: ['day-trips'] },
      ...nothing,
      media: [
        { ...file, src: 'https://media.example.com/delta.png', type: 'image/png', rel: 'COVER', caption: 'Pelicans' },
        { ...file, src: 'https://www.youtube.com/watch?v=1', type: 'external/youtube', rel: 'GALLERY', caption: null },
      ],
      locations: [
        {
          ...{ title: 'Harbour', types: ['START'] },
          place: {
            latitude: 45.18,
            longitude: 28.8,
            postalAddress: { streetAddress: 'Isaccei 1', addressCountry: 'RO' },
          },
        },
      ],
      options: [{ ...nothing, title: 'Morning', media: [], units: [{ title: 'Adult' }, { title: 'Child' }] }],
    });
    const other = await read('fr');
    expect([other.headers['content-language'], other.body['title']]).toEqual(['en', 'Danube Delta']);
    expect((await reseller.get<object>(`/octo/products/${productId}`)).body).not.toHaveProperty('title');
  });

  it('a product that is unknown, a draft or not listed for the connection is INVALID_PRODUCT_ID', async () => {
    const other = await newShop(app, { catalogue: 'listed', productIds: [shop.productId] });
    const listed = await other.reseller.get<{ id: string }[]>('/octo/products');
    expect(listed.body.map(({ id }) => id)).toEqual([shop.productId]);
    for (const id of [other.productId, 'unknown']) {
      const { status, body } = await other.reseller.get(`/octo/products/${id}`);
      expect([status, body]).toMatchObject([400, { error: 'INVALID_PRODUCT_ID', productId: id }]);
    }
  });

  it('a channel that does not sell shows no products, and its availability is closed', async () => {
    const closed = await newShop(app);
    await change(app.as('owner'), closed.connection.channelId, { status: 'inactive' });
    expect((await closed.reseller.get('/octo/products')).body).toEqual([]);
    expect(await availabilityOf(closed)).toMatchObject([{ status: 'CLOSED', available: false }]);
  });
});

describe('availability', () => {
  it('a departure has local times with their offset, its cut-off, vacancies, and the prices of its units', async () => {
    const { adult, child, departureId } = shop;
    const units = [
      { id: adult, quantity: 2 },
      { id: child, quantity: 1 },
    ];
    const [found, ...others] = await availabilityOf(shop, { units, currency: 'EUR' }, PRICING);
    const pricing = (retail: number, net: number) => ({
      ...{ original: retail, retail, net, currency: 'EUR', currencyPrecision: 2, includedTaxes: [] },
    });
    expect([found, others]).toEqual([
      {
        id: departureId,
        localDateTimeStart: expect.stringMatching(/^\d{4}-\d{2}-\d{2}T0[89]:00:00\+0[23]:00$/),
        localDateTimeEnd: expect.stringMatching(/^\d{4}-\d{2}-\d{2}T1[23]:00:00\+0[23]:00$/),
        utcCutoffAt: expect.stringMatching(/^\d{4}-\d{2}-\d{2}T06:00:00Z$/),
        ...{ allDay: false, available: true, status: 'AVAILABLE', vacancies: 20, capacity: 20, maxUnits: 60 },
        openingHours: [],
        unitPricing: [
          { unitId: adult, ...pricing(5_000, 4_250) },
          { unitId: child, ...pricing(2_500, 2_125) },
        ],
        pricing: pricing(12_500, 10_625),
      },
      [],
    ]);
    expect(await availabilityOf(shop, { units: [{ id: adult, quantity: 21 }] })).toMatchObject([
      { status: 'SOLD_OUT', available: false, vacancies: 20 },
    ]);
  });

  it('departures on both sides of a clock change, and in the doubled hour, have the offset of their instant', async () => {
    const { productId, optionId, reseller } = shop;
    const at = async (startsAt: string, endsAt: string) =>
      (await departureIn(app, 1, { productId, startsAt, endsAt })).id;
    const ids = [
      await at('2127-03-30T07:00:00Z', '2127-03-30T08:00:00Z'),
      await at('2127-03-31T06:00:00Z', '2127-03-31T07:00:00Z'),
      await at('2127-10-26T00:30:00Z', '2127-10-26T01:30:00Z'),
      await at('2127-10-26T01:30:00Z', '2127-10-26T02:30:00Z'),
    ];
    const answer = await reseller.post<Availability[]>('/octo/availability', {
      ...{ productId, optionId, availabilityIds: ids },
    });
    const times = answer.body.map(({ id, localDateTimeStart }) => [ids.indexOf(id), localDateTimeStart]);
    expect(times).toEqual([
      [0, '2127-03-30T10:00:00+03:00'],
      [1, '2127-03-31T09:00:00+03:00'],
      [2, '2127-10-26T03:30:00+03:00'],
      [3, '2127-10-26T03:30:00+02:00'],
    ]);
  });

  it('the calendar has every day of the period, with the best departure of each', async () => {
    const { productId, optionId, adult, child, reseller, departureId } = shop;
    const body = { productId, optionId, ...period(40) };
    const { status, body: days } = await reseller.post<Record<string, unknown>[]>(
      ...(['/octo/availability/calendar/', body, PRICING] as const),
    );
    expect([status, days.length]).toEqual([200, 41]);
    const open = days.filter(({ available }) => available);
    expect(open).toMatchObject([
      {
        ...{ localDate: app.day(30), status: 'AVAILABLE', vacancies: 20, capacity: 20, openingHours: [] },
        unitPricingFrom: [
          { unitId: adult, retail: 5_000 },
          { unitId: child, retail: 2_500 },
        ],
      },
    ]);
    const listed = await reseller.post<Availability[]>('/octo/availability', body);
    expect(listed.body.map(({ id }) => id)).toEqual([departureId]);
  });

  it('an allotment decides what the channel sees: guaranteed units alone, with the pool, or at most the cap', async () => {
    const only = await newShop(app, { poolPolicy: 'allotment_only' });
    expect(await availabilityOf(only)).toMatchObject([{ status: 'CLOSED', vacancies: 0 }]);
    const allot = ({ productId, connection: { channelId } }: Shop, type: string, defaultQuantity: number) =>
      newAllotment(app, { productId, channelId, type, defaultQuantity });
    await allot(only, 'guaranteed', 5);
    expect(await availabilityOf(only)).toMatchObject([{ status: 'AVAILABLE', vacancies: 5, capacity: 5 }]);
    const both = await newShop(app);
    await allot(both, 'guaranteed', 5);
    expect(await availabilityOf(both)).toMatchObject([{ vacancies: 20, capacity: 20 }]);
    const capped = await newShop(app);
    await allot(capped, 'cap', 6);
    expect(await availabilityOf(capped)).toMatchObject([{ status: 'LIMITED', vacancies: 6, capacity: 20 }]);
  });

  it('a slot of an active allotment counts before that of an inactive one, in the answer and in the reservation', async () => {
    const own = await newShop(app, { poolPolicy: 'allotment_only' });
    const { productId, connection, adult, departureId } = own;
    const allot = (defaultQuantity: number) =>
      newAllotment(app, { productId, channelId: connection.channelId, defaultQuantity });
    const { id } = await allot(3);
    const ended = await app.as('owner').patch(`${ALLOTMENTS}/${id}`, { active: false });
    expect(ended.status).toBe(200);
    await allot(5);
    expect(await availabilityOf(own)).toMatchObject([{ vacancies: 5, capacity: 5 }]);
    const held = await reserve(
      own,
      Array.from({ length: 5 }, () => adult),
    );
    expect(held.status).toBe('ON_HOLD');
    expect((await countersOf(app, departureId))?.held).toBe(5);
  });

  it('with net rates, the list of the channel is what the reseller pays, and the general price what the guest pays', async () => {
    const bought = await newShop(app, { settlement: 'net' }, { departure: { unitPrices: [] } });
    const { adult, productId, connection } = bought;
    await activeList(app, [{ productId, unitId: adult, amountCents: 6_000 }]);
    const { channelId } = connection;
    await activeList(app, [{ productId, unitId: adult, amountCents: 4_800 }], { channelId });
    const [found] = await availabilityOf(bought, {}, PRICING);
    expect(found?.['unitPricing']).toMatchObject([{ unitId: adult, original: 6_000, retail: 6_000, net: 4_800 }]);
    await app.as('owner').patch(`/v1/admin/octo/connections/${connection.id}`, { showNet: false });
    const [hidden] = await availabilityOf(bought, {}, PRICING);
    expect(hidden?.['unitPricing']).toMatchObject([{ retail: 6_000, net: null }]);
    const { body } = await bought.reseller.get<object>(`/octo/products/${productId}`, PRICING);
    const priced = { id: adult, pricingFrom: [{ original: 6_000, retail: 6_000, net: null }] };
    expect(body).toMatchObject({ options: [{ units: [priced, { pricingFrom: [] }] }] });
  });

  it('questions that make no sense are rejected with the code of the standard', async () => {
    const { productId, optionId, adult, departureId, reseller } = shop;
    const base = { productId, optionId };
    const ids = { availabilityIds: [departureId] };
    const wrong: [string, object, object][] = [
      ['', { ...base, productId: 'x', ...period() }, { error: 'INVALID_PRODUCT_ID', productId: 'x' }],
      ['', { ...base, optionId: 'x', ...period() }, { error: 'INVALID_OPTION_ID', optionId: 'x' }],
      ['', { ...base, ...ids, units: [{ id: 'x', quantity: 1 }] }, { error: 'INVALID_UNIT_ID', unitId: 'x' }],
      ['', { ...base, ...ids, ...period() }, { error: 'BAD_REQUEST' }],
      ['', base, { error: 'BAD_REQUEST' }],
      ['', { ...base, ...period(92) }, { error: 'BAD_REQUEST' }],
      ['', { ...base, ...ids, currency: 'USD' }, { error: 'BAD_REQUEST' }],
      ['', { ...base, ...ids, units: [{ id: adult, quantity: '1' }] }, { error: 'BAD_REQUEST' }],
      ['/calendar', { ...base, localDateEnd: app.day() }, { error: 'BAD_REQUEST' }],
      ['/calendar', { ...base, ...period(731) }, { error: 'BAD_REQUEST' }],
      ['/calendar', { ...base, localDateStart: app.day(1), localDateEnd: app.day() }, { error: 'BAD_REQUEST' }],
    ];
    for (const [path, body, expected] of wrong) {
      const answer = await reseller.post(`/octo/availability${path}`, body);
      expect([answer.status, answer.body]).toMatchObject([400, expected]);
    }
    const further = { ...base, ...ids, pickupRequested: true, units: [{ id: adult, quantity: 1, price: 3 }] };
    expect((await reseller.post('/octo/availability', further)).status).toBe(200);
  });
});
