import { beforeAll, describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { newAllotment } from '../distribution/allotments/allotments.js';
import { change } from '../distribution/channels.js';
import { OctoBookingsService } from '../../src/modules/octo/supplier/octo-bookings.service.js';
import { OctoData } from '../../src/modules/octo/supplier/octo-data.js';
import { asSystem } from '../../src/platform/context/request-context.js';
import { DEPARTURES } from '../operations/departures.js';
import { startApp, type TestApp } from '../setup/app.js';
import { BOOKINGS, countersOf, must, type OctoBooking, order, reserve } from './orders.js';
import { newShop, PRICING, type Shop } from './shop.js';

let app: TestApp;
let shop: Shop;
beforeAll(async () => {
  app = await startApp();
  shop = await newShop(app);
});

const CONTACT = {
  ...{ fullName: 'Ana Pop', firstName: null, lastName: null, emailAddress: 'ana@example.com', phoneNumber: null },
  ...{ locales: ['ro'], postalCode: null, country: 'RO', notes: null },
};
const seconds = (text: string | null) => Date.parse(text ?? '') / 1_000;
const expireAll = () => asSystem(() => app.nest.get(OctoBookingsService, { strict: false }).expireLapsed());

describe('a reservation', () => {
  it('a reservation holds its seats, freezes its prices and comes back with every member that was sent', async () => {
    const { adult, child, optionId, productId, departureId } = shop;
    const [mine, uuid] = [randomUUID(), randomUUID()];
    const unitItems = [{ unitId: adult, uuid: mine, resellerReference: 'A1' }, { unitId: adult }, { unitId: child }];
    const sent = { resellerReference: 'R-77', notes: 'Window', contact: CONTACT, unitItems, uuid };
    const before = await countersOf(app, departureId);
    const held = await reserve(shop, [], sent, PRICING);
    const pricing = (cents: number) => ({
      ...{ original: cents, retail: cents, net: cents, currency: 'EUR', currencyPrecision: 2, includedTaxes: [] },
    });
    const none = expect.objectContaining({ fullName: null, locales: [] });
    const item = (unitId: string, cents: number, contact: unknown = none) => ({
      ...{ uuid: expect.any(String), unitId, resellerReference: null, supplierReference: null, status: 'ON_HOLD' },
      ...{ utcRedeemedAt: null, contact, ticket: null, pricing: pricing(cents) },
    });
    expect(held).toEqual({
      ...{ id: expect.stringMatching(/^obok_/), uuid, testMode: false, resellerReference: 'R-77' },
      ...{ supplierReference: null, status: 'ON_HOLD', productId, optionId, availabilityId: departureId },
      availability: {
        ...{ id: departureId, allDay: false, openingHours: [] },
        localDateTimeStart: expect.any(String),
        localDateTimeEnd: expect.any(String),
      },
      ...{ cancellable: true, freesale: false, utcConfirmedAt: null, utcRedeemedAt: null },
      utcCreatedAt: expect.stringMatching(/:\d\dZ$/),
      utcUpdatedAt: expect.any(String),
      utcExpiresAt: expect.any(String),
      ...{ contact: CONTACT, notes: 'Window', deliveryMethods: ['VOUCHER'] },
      voucher: { redemptionMethod: 'DIGITAL', utcRedeemedAt: null, deliveryOptions: [] },
      cancellation: null,
      unitItems: [
        { ...item(adult, 5_000), uuid: mine, resellerReference: 'A1' },
        item(adult, 5_000),
        item(child, 2_500),
      ],
      pricing: pricing(12_500),
    });
    expect(seconds(held.utcExpiresAt) - app.now().getTime() / 1_000).toBeCloseTo(1_800, -2);
    const after = await countersOf(app, departureId);
    expect(after?.held).toBe((before?.held ?? 0) + 3);
    expect(must(await shop.reseller.get<OctoBooking>(`${BOOKINGS}/${held.uuid}/`, PRICING))).toEqual(held);
  });

  it('the same order with the same uuid, in either case, returns the same booking, another order is INVALID_BOOKING_UUID', async () => {
    const body = order(shop, [], { unitItems: [{ unitId: shop.adult, uuid: randomUUID() }] });
    const loud = {
      ...{ ...body, uuid: body.uuid.toUpperCase() },
      unitItems: body.unitItems.map((item) => ({ ...item, uuid: String(Reflect.get(item, 'uuid')).toUpperCase() })),
    };
    const before = await countersOf(app, shop.departureId);
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, index) => shop.reseller.post<OctoBooking>(BOOKINGS, index % 2 === 0 ? body : loud)),
    );
    expect(new Set(answers.map(({ status, body: { id } }) => `${status} ${id}`)).size).toBe(1);
    expect((await countersOf(app, shop.departureId))?.held).toBe((before?.held ?? 0) + 1);
    const found = must(await shop.reseller.get<OctoBooking>(`${BOOKINGS}/${loud.uuid}`));
    expect(found).toMatchObject({ uuid: body.uuid, unitItems: body.unitItems });
    const described = { unitItems: loud.unitItems.map((item) => ({ ...item, resellerReference: 'L' })) };
    const patched = must(await shop.reseller.patch<OctoBooking>(`${BOOKINGS}/${loud.uuid}`, described));
    expect(patched.unitItems).toMatchObject([{ ...body.unitItems[0], resellerReference: 'L' }]);
    const other = await shop.reseller.post(BOOKINGS, { ...body, unitItems: [...body.unitItems, ...body.unitItems] });
    expect([other.status, other.body]).toMatchObject([400, { error: 'INVALID_BOOKING_UUID', uuid: body.uuid }]);
  });

  it('a reservation that cannot be made is rejected with the code of the standard and holds nothing', async () => {
    const { adult, child } = shop;
    const other = await newShop(app);
    const before = await countersOf(app, shop.departureId);
    const wrong: [object, object][] = [
      [{ uuid: 'mine' }, { error: 'INVALID_BOOKING_UUID', uuid: 'mine' }],
      [{ productId: 'x' }, { error: 'INVALID_PRODUCT_ID', productId: 'x' }],
      [{ optionId: 'x' }, { error: 'INVALID_OPTION_ID', optionId: 'x' }],
      [{ availabilityId: null }, { error: 'INVALID_AVAILABILITY_ID' }],
      [{ availabilityId: other.departureId }, { error: 'INVALID_AVAILABILITY_ID', availabilityId: other.departureId }],
      [{ unitItems: [{ unitId: 'x' }] }, { error: 'INVALID_UNIT_ID', unitId: 'x' }],
      [{ unitItems: [] }, { error: 'UNPROCESSABLE_ENTITY' }],
      [{ unitItems: null }, { error: 'UNPROCESSABLE_ENTITY' }],
      [{ unitItems: [{ unitId: child }] }, { error: 'UNPROCESSABLE_ENTITY' }],
      [{ unitItems: Array.from({ length: 21 }, () => ({ unitId: adult })) }, { error: 'UNPROCESSABLE_ENTITY' }],
      [{ unitItems: Array.from({ length: 101 }, () => ({ unitId: adult })) }, { error: 'BAD_REQUEST' }],
      [{ unitItems: 'all' }, { error: 'BAD_REQUEST' }],
      [{ currency: 'USD' }, { error: 'BAD_REQUEST' }],
      [{ expirationMinutes: 0 }, { error: 'BAD_REQUEST' }],
    ];
    for (const [terms, expected] of wrong) {
      const { status, body } = await shop.reseller.post(BOOKINGS, order(shop, [adult], terms));
      expect([terms, status, body]).toMatchObject([terms, 400, expected]);
    }
    expect(await countersOf(app, shop.departureId)).toEqual(before);
    const { id: channelId } = { id: other.connection.channelId };
    const kept = await reserve(other, [other.adult]);
    await change(app.as('owner'), channelId, { status: 'inactive' });
    const closed = await other.reseller.post(BOOKINGS, order(other, [other.adult]));
    expect([closed.status, closed.body]).toMatchObject([400, { error: 'UNPROCESSABLE_ENTITY' }]);
    const ended = await other.reseller.post<OctoBooking>(`${BOOKINGS}/${kept.uuid}/cancel`, {});
    expect([ended.status, ended.body.status]).toEqual([200, 'CANCELLED']);
  });

  it('a reseller never sees, changes or ends the bookings of another one', async () => {
    const other = await newShop(app);
    const held = await reserve(shop, [shop.adult], { resellerReference: 'MINE' });
    const { uuid } = held;
    const path = `${BOOKINGS}/${uuid}`;
    const answers = [
      await other.reseller.get(path),
      await other.reseller.patch(path, { notes: 'N' }),
      await other.reseller.delete(path),
      await other.reseller.post(`${path}/extend`, {}),
      await other.reseller.post(`${path}/confirm`, { contact: CONTACT }),
      await other.reseller.post(`${path}/cancel`, {}),
    ];
    for (const { status, body } of answers) {
      expect([status, body]).toMatchObject([400, { error: 'INVALID_BOOKING_UUID', uuid }]);
    }
    expect((await other.reseller.get(`${BOOKINGS}?resellerReference=MINE`)).body).toEqual([]);
    expect(must(await shop.reseller.get<OctoBooking>(`${BOOKINGS}/${uuid}`))).toEqual(held);
  });
});

describe('the end of a reservation', () => {
  it('an extension prolongs the hold, never shortens it, and lasts at most as long as the connection allows', async () => {
    const held = await reserve(shop, [shop.adult]);
    const extend = async (expirationMinutes?: number) =>
      must(await shop.reseller.post<OctoBooking>(`${BOOKINGS}/${held.uuid}/extend`, { expirationMinutes }));
    const longer = await extend(31);
    expect(seconds(longer.utcExpiresAt)).toBeGreaterThan(seconds(held.utcExpiresAt));
    expect((await extend(5)).utcExpiresAt).toBe(longer.utcExpiresAt);
    const longest = await extend(10_000);
    expect(seconds(longest.utcExpiresAt) - app.now().getTime() / 1_000).toBeCloseTo(7_200, -2);
  });

  it('a cancelled hold releases its seats once, repeats its reason and is not cancelled again', async () => {
    const own = await newShop(app);
    const { uuid } = await reserve(own, [own.adult, own.adult]);
    const cancel = () => own.reseller.post<OctoBooking>(`${BOOKINGS}/${uuid}/cancel`, { reason: 'Changed plans' });
    const first = must(await cancel());
    expect(first).toMatchObject({
      ...{ status: 'CANCELLED', cancellable: false, utcExpiresAt: null },
      cancellation: { refund: 'FULL', reason: 'Changed plans', utcCancelledAt: expect.any(String) },
    });
    expect(must(await cancel())).toEqual(first);
    expect(must(await own.reseller.delete<OctoBooking>(`${BOOKINGS}/${uuid}`))).toEqual(first);
    expect(await countersOf(app, own.departureId)).toEqual({ sold: 0, held: 0, open: 0 });
    const late = await own.reseller.post(`${BOOKINGS}/${uuid}/extend`, {});
    expect([late.status, late.body]).toMatchObject([400, { error: 'UNPROCESSABLE_ENTITY' }]);
  });

  it('a hold that has lapsed is EXPIRED and its units return to where they came from, the slot before the pool', async () => {
    const own = await newShop(app, {});
    const { productId, connection, adult, departureId } = own;
    await newAllotment(app, { productId, channelId: connection.channelId, defaultQuantity: 2 });
    const { uuid } = await reserve(own, [adult, adult, adult], { expirationMinutes: 1 });
    const kept = await reserve(own, [adult], { expirationMinutes: 60 });
    expect(await countersOf(app, departureId)).toEqual({ sold: 0, held: 4, open: 0 });
    app.travel({ ms: 61_000 });
    await Promise.all([expireAll(), expireAll()]);
    expect(await countersOf(app, departureId)).toEqual({ sold: 0, held: 1, open: 2 });
    const lapsed = must(await own.reseller.get<OctoBooking>(`${BOOKINGS}/${uuid}`));
    expect(lapsed).toMatchObject({ status: 'EXPIRED', cancellable: false, utcExpiresAt: null, cancellation: null });
    expect(must(await own.reseller.post<OctoBooking>(`${BOOKINGS}/${uuid}/cancel`, {})).status).toBe('EXPIRED');
    app.travel({ hours: 2 });
    expect(must(await own.reseller.get<OctoBooking>(`${BOOKINGS}/${kept.uuid}`)).status).toBe('EXPIRED');
    expect(await countersOf(app, departureId)).toEqual({ sold: 0, held: 0, open: 2 });
  });

  it('a departure that is cancelled ends the holds on it', async () => {
    const own = await newShop(app);
    const { uuid } = await reserve(own, [own.adult]);
    const ended = await app.as('owner').post(`${DEPARTURES}/${own.departureId}/cancellation`, { reason: 'Storm' });
    expect(ended.status).toBe(200);
    expect(must(await own.reseller.get<OctoBooking>(`${BOOKINGS}/${uuid}`))).toMatchObject({
      ...{ status: 'CANCELLED', cancellation: { refund: 'FULL' } },
    });
  });
});

it('a call with Octo-Env test never changes a live booking', async () => {
  const own = await newShop(app);
  const test = { headers: { 'Octo-Env': 'test' } };
  const { uuid } = await reserve(own, [own.adult]);
  const path = `${BOOKINGS}/${uuid}`;
  const attempt = async (what: string) => {
    const answers = [
      await own.reseller.patch(path, { notes: 'Test' }, test),
      await own.reseller.post(`${path}/extend`, {}, test),
      await own.reseller.post(`${path}/confirm`, { contact: CONTACT }, test),
      await own.reseller.post(`${path}/cancel`, {}, test),
      await own.reseller.delete(path, test),
    ];
    for (const { status, body } of answers) {
      expect([what, status, body]).toMatchObject([what, 400, { error: 'UNPROCESSABLE_ENTITY' }]);
    }
  };
  await attempt('a hold');
  expect(await countersOf(app, own.departureId)).toEqual({ sold: 0, held: 1, open: 0 });
  must(await own.reseller.post<OctoBooking>(`${path}/confirm`, { contact: CONTACT }));
  await attempt('a sale');
  const read = await own.reseller.get<OctoBooking>(path, test);
  expect([read.headers['octo-env'], must(read).status, must(read)['notes']]).toEqual(['live', 'CONFIRMED', null]);
  expect(await countersOf(app, own.departureId)).toEqual({ sold: 1, held: 0, open: 0 });
});

it('the personal data of reservations that were not sold, and of erased bookings, is erased after its time', async () => {
  const own = await newShop(app);
  const contact = { fullName: 'Zoe Retention' };
  const test = { headers: { 'Octo-Env': 'test' } };
  const unitItems = [{ unitId: own.adult, contact, resellerReference: 'Zoe Retention' }];
  const inUnit = await reserve(own, [], { unitItems });
  const tried = await reserve(own, [own.adult], { contact }, test);
  const sold = await reserve(own, [], { unitItems, notes: 'Zoe Retention' });
  const kept = await reserve(own, [], { unitItems });
  const call = async (uuid: string, verb: string, options = {}) =>
    must(
      await own.reseller.post<OctoBooking>(
        `${BOOKINGS}/${uuid}/${verb}`,
        { contact, reason: 'Zoe Retention' },
        options,
      ),
    );
  await call(inUnit.uuid, 'cancel');
  await call(tried.uuid, 'confirm', test);
  for (const { uuid } of [sold, kept]) await call(uuid, 'confirm');
  await call(sold.uuid, 'cancel');
  const all = [inUnit, tried, sold, kept].map(({ id }) => id);
  const named = async () => {
    const rows = await app.sql<{ id: string }>(
      `select octo.id from octo_bookings octo where octo.id = any($1) and (octo::text like '%Zoe%' or exists (
         select from octo_unit_items unit where unit.octo_booking_id = octo.id and unit::text like '%Zoe%'))`,
      [all],
    );
    return rows.map(({ id }) => id).sort();
  };
  expect(await named()).toEqual([...all].sort());
  await app.sql(`update octo_bookings set created_at = created_at - interval '30 years' where id = any($1)`, [all]);
  await app.sql(`update bookings set erased_at = $2 where id = (select booking_id from octo_bookings where id = $1)`, [
    sold.id,
    app.now(),
  ]);
  await asSystem(() => app.nest.get(OctoData, { strict: false }).erasePast());
  expect(await named()).toEqual([kept.id]);
  const entries = await app.sql(
    `select from action_ledger_entries entry join ledger_payloads payload on payload.entry_id = entry.id
     where entry.subject_id = any($1) and (payload.before is not null or payload.after is not null)`,
    [[inUnit.id, tried.id, sold.id]],
  );
  expect(entries).toEqual([]);
});

describe('the list of bookings', () => {
  it('bookings are found by reference and by local day, and a list without a filter is BAD_REQUEST', async () => {
    const own = await newShop(app);
    const [one, two] = [await reserve(own, [own.adult], { resellerReference: 'X-1' }), await reserve(own, [own.adult])];
    const uuids = async (query: string) =>
      (await own.reseller.get<OctoBooking[]>(`${BOOKINGS}?${query}`)).body.map(({ uuid }) => uuid);
    const day = app.day(30);
    expect(await uuids('resellerReference=X-1')).toEqual([one.uuid]);
    expect(await uuids(`localDate=${day}`)).toEqual([one.uuid, two.uuid]);
    expect(await uuids(`localDateStart=${app.day(40)}&localDateEnd=${app.day(41)}`)).toEqual([]);
    expect(await uuids('supplierReference=B-0000-1')).toEqual([]);
    for (const query of ['', '?localDateStart=2127-01-01', '?localDate=tomorrow']) {
      const { status, body } = await own.reseller.get(`${BOOKINGS}${query}`);
      expect([status, body]).toMatchObject([400, { error: 'BAD_REQUEST' }]);
    }
  });
});

describe('a test reservation', () => {
  it('a reservation with Octo-Env test takes no units and is marked', async () => {
    const own = await newShop(app);
    const held = await reserve(own, [own.adult], {}, { headers: { 'Octo-Env': 'test' } });
    expect(held).toMatchObject({ testMode: true, status: 'ON_HOLD' });
    expect(await countersOf(app, own.departureId)).toEqual({ sold: 0, held: 0, open: 0 });
    const read = await own.reseller.get(`${BOOKINGS}/${held.uuid}`);
    expect(read.headers['octo-env']).toBe('test');
    app.travel({ hours: 1 });
    await expireAll();
    expect(await countersOf(app, own.departureId)).toEqual({ sold: 0, held: 0, open: 0 });
  });
});
