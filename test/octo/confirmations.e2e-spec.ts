import { beforeAll, describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { MISCOUNTED_DEPARTURES } from '../../src/modules/distribution/index.js';
import { departureIn, newAllotment } from '../distribution/allotments/allotments.js';
import { startApp, type TestApp } from '../setup/app.js';
import { assign, newDraft, newPolicy, publish } from '../legal/policies.js';
import { activeList, PRICE_LISTS } from '../products/price-lists.js';
import { BOOKINGS, countersOf, must, type OctoBooking, reserve } from './orders.js';
import { newShop, PRICING, type Shop } from './shop.js';

const STAFF = '/v1/admin/bookings';
const CONTACT = { fullName: 'Ana Pop', emailAddress: 'ana.pop@example.com', phoneNumber: '+40240555010' };

let app: TestApp;
beforeAll(async () => {
  app = await startApp();
});

const call = async ({ reseller }: Shop, uuid: string, verb: string, body: object = {}, options = {}) =>
  reseller.post<OctoBooking>(`${BOOKINGS}/${uuid}/${verb}`, body, options);
const confirm = async (shop: Shop, uuid: string, more: object = {}, options = {}) =>
  must(await call(shop, uuid, 'confirm', { contact: CONTACT, ...more }, options));
const patch = ({ reseller }: Shop, uuid: string, body: object) =>
  reseller.patch<OctoBooking>(`${BOOKINGS}/${uuid}`, body);
const read = async ({ reseller }: Shop, uuid: string) => must(await reseller.get<OctoBooking>(`${BOOKINGS}/${uuid}`));

interface Row extends Record<string, unknown> {
  id: string;
}

async function saleOf({ supplierReference }: OctoBooking): Promise<{ booking: Row; items: Row[]; commissions: Row[] }> {
  const owner = app.as('owner');
  const found = await owner.get<{ data: Row[] }>(`${STAFF}?search=${supplierReference ?? ''}`);
  const [booking] = found.body.data;
  if (!booking) throw new Error('There is no booking with this number');
  const items = (await owner.get<{ data: Row[] }>(`${STAFF}/${booking.id}/items`)).body.data;
  const commissions: Row[] = [];
  for (const { id } of items) {
    const { body } = await owner.get<{ data: Row[] }>(`/v1/admin/finance/booking-items/${id}/commissions`);
    commissions.push(...body.data);
  }
  return { booking, items, commissions };
}

/** The sum of the installments. */
const plannedFor = async (bookingId: string) => {
  const path = `/v1/admin/finance/bookings/${bookingId}/payment-schedules`;
  const { body } = await app.as('owner').get<{ data: Row[] }>(path);
  const live = body.data.filter(({ status }) => status !== 'cancelled');
  return live.reduce((sum, { amountCents }) => sum + Number(amountCents), 0);
};

/** The names of the active travelers who have a seat, in the order of their seats. */
const travelersOf = async (bookingId: string) => {
  const rows = await app.sql<{ name: string }>(
    `select distinct concat_ws(' ', traveler.first_name, traveler.last_name) as name from booking_travelers traveler
     join booking_item_travelers seat on seat.traveler_id = traveler.id
     join booking_items item on item.id = seat.item_id and item.status <> 'cancelled'
     where traveler.booking_id = $1 and traveler.status = 'active' order by 1`,
    [bookingId],
  );
  return rows.map(({ name }) => name);
};

describe('a confirmation', () => {
  it('a confirmation makes a booking with items, travelers, vouchers and the commission that the reseller has seen', async () => {
    const shop = await newShop(app, { commissionBasisPoints: 1_500 });
    const { adult, child, departureId, connection } = shop;
    const held = await reserve(shop, [adult, adult, child], {}, PRICING);
    const sold = await confirm(shop, held.uuid, { resellerReference: 'V-9' }, PRICING);
    expect(sold).toMatchObject({
      ...{ status: 'CONFIRMED', resellerReference: 'V-9', cancellable: true, utcExpiresAt: null },
      ...{ utcConfirmedAt: expect.stringMatching(/Z$/), supplierReference: expect.stringMatching(/^B-/) },
      ...{ contact: { ...CONTACT, firstName: null }, pricing: held['pricing'] },
    });
    const codes = (sold.voucher?.deliveryOptions ?? []).map(({ deliveryValue }) => deliveryValue);
    expect(codes.length).toBeGreaterThan(0);
    const { booking, items, commissions } = await saleOf(sold);
    expect(booking).toMatchObject({
      ...{ status: 'confirmed', channelId: connection.channelId, totalCents: 12_500, customerName: 'Ana Pop' },
      customerEmail: null,
    });
    expect(booking['customerId']).toMatch(/^cus_/);
    const summary = items.map(({ unitId, quantity, totalSellCents }) => [unitId, quantity, totalSellCents]);
    expect(summary).toEqual(
      expect.arrayContaining([
        [adult, 2, 10_000],
        [child, 1, 2_500],
      ]),
    );
    expect(commissions.map(({ amountCents }) => amountCents).sort()).toEqual([1_500, 375]);
    expect(await countersOf(app, departureId)).toEqual({ sold: 3, held: 0, open: 0 });
    expect(await confirm(shop, held.uuid, { contact: { fullName: 'Other' } }, PRICING)).toEqual(sold);
    expect(await app.sql(MISCOUNTED_DEPARTURES)).toEqual([]);
    const listed = await shop.reseller.get<OctoBooking[]>(`${BOOKINGS}?supplierReference=${sold.supplierReference}`);
    expect(listed.body.map(({ uuid }) => uuid)).toEqual([held.uuid]);
  });

  it('units of a slot and of the pool become items of their own, and net rates need no commission', async () => {
    const shop = await newShop(app, { settlement: 'net', commissionBasisPoints: 1_000 });
    const { adult, productId, connection, departureId } = shop;
    await newAllotment(app, { productId, channelId: connection.channelId, defaultQuantity: 2 });
    const held = await reserve(shop, [adult, adult, adult]);
    const { items, commissions } = await saleOf(await confirm(shop, held.uuid));
    expect(items.map(({ quantity }) => quantity).sort()).toEqual([1, 2]);
    expect(items.filter(({ allotmentId }) => allotmentId !== null)).toMatchObject([{ quantity: 2 }]);
    expect([commissions, await countersOf(app, departureId)]).toEqual([[], { sold: 3, held: 0, open: 0 }]);
    expect(await app.sql(MISCOUNTED_DEPARTURES)).toEqual([]);
  });

  it('a confirmation needs the contact fields of the product, and cannot follow the end of the hold', async () => {
    const shop = await newShop(app, {}, { product: { requiredContactFields: ['email', 'phone'] } });
    const { uuid } = await reserve(shop, [shop.adult]);
    const lacking = await call(shop, uuid, 'confirm', { contact: { fullName: 'Ana Pop' } });
    expect([lacking.status, lacking.body]).toMatchObject([
      400,
      { error: 'UNPROCESSABLE_ENTITY', errorMessage: 'The contact lacks emailAddress, phoneNumber' },
    ]);
    expect((await call(shop, uuid, 'confirm')).body).toMatchObject({ error: 'BAD_REQUEST' });
    app.travel({ hours: 1 });
    const late = await call(shop, uuid, 'confirm', { contact: CONTACT });
    expect([late.status, late.body]).toMatchObject([400, { error: 'INVALID_BOOKING_UUID', uuid }]);
    const cancelled = await reserve(shop, [shop.adult]);
    await call(shop, cancelled.uuid, 'cancel');
    const ended = await call(shop, cancelled.uuid, 'confirm', { contact: CONTACT });
    expect([ended.status, ended.body]).toMatchObject([400, { error: 'UNPROCESSABLE_ENTITY' }]);
  });

  it('a cancellation at the same time as a confirmation cancels the reservation or the sale, and frees its units', async () => {
    const shop = await newShop(app);
    for (let round = 0; round < 5; round += 1) {
      const { uuid } = await reserve(shop, [shop.adult]);
      const [, ended] = await Promise.all([
        call(shop, uuid, 'confirm', { contact: CONTACT }),
        call(shop, uuid, 'cancel'),
      ]);
      expect([must(ended).status, (await read(shop, uuid)).status]).toEqual(['CANCELLED', 'CANCELLED']);
    }
    expect(await countersOf(app, shop.departureId)).toEqual({ sold: 0, held: 0, open: 0 });
    expect(await app.sql(MISCOUNTED_DEPARTURES)).toEqual([]);
  });

  it('a test reservation is confirmed without a booking and without units', async () => {
    const shop = await newShop(app);
    const test = { headers: { 'Octo-Env': 'test' } };
    const { uuid } = await reserve(shop, [shop.adult], {}, test);
    const confirmed = await confirm(shop, uuid, {}, test);
    expect(confirmed).toMatchObject({
      testMode: true,
      status: 'CONFIRMED',
      supplierReference: expect.stringMatching(/^TEST-/),
    });
    expect(confirmed.voucher?.deliveryOptions).toMatchObject([{ deliveryValue: expect.stringMatching(/^TEST-/) }]);
    const [row] = await app.sql('select booking_id from octo_bookings where uuid = $1', [uuid]);
    expect([row, await countersOf(app, shop.departureId)]).toEqual([
      { booking_id: null },
      { sold: 0, held: 0, open: 0 },
    ]);
    expect(must(await call(shop, uuid, 'cancel')).status).toBe('CANCELLED');
  });
});

describe('an update', () => {
  it('an update changes units and departure, keeps the uuid of units, and releases what it no longer needs', async () => {
    const shop = await newShop(app);
    const { adult, child, productId, departureId } = shop;
    const [one, two] = [randomUUID(), randomUUID()];
    const unitItems = [
      { uuid: one, unitId: adult },
      { uuid: two, unitId: adult },
    ];
    const { uuid } = await reserve(shop, [], { unitItems });
    const fewer = must(
      await patch(shop, uuid, { unitItems: [{ uuid: one, unitId: adult }, { unitId: child }], notes: 'N' }),
    );
    expect(fewer.unitItems.map((unit) => unit.unitId)).toEqual([adult, child]);
    expect([fewer.unitItems[0]?.uuid, fewer['notes']]).toEqual([one, 'N']);
    expect((await countersOf(app, departureId))?.held).toBe(2);
    const { id: other } = await departureIn(app, 31, { productId, priceCents: 6_000, capacity: 2 });
    const full = await patch(shop, uuid, {
      availabilityId: other,
      unitItems: [adult, adult, adult].map((unitId) => ({ unitId })),
    });
    expect([full.status, full.body]).toMatchObject([400, { error: 'UNPROCESSABLE_ENTITY' }]);
    expect((await read(shop, uuid)).availabilityId).toBe(departureId);
    expect([await countersOf(app, departureId), await countersOf(app, other)]).toEqual([
      { sold: 0, held: 2, open: 0 },
      { sold: 0, held: 0, open: 0 },
    ]);
    const moved = must(await patch(shop, uuid, { availabilityId: other, unitItems: [{ uuid: one, unitId: adult }] }));
    expect(moved).toMatchObject({ availabilityId: other, unitItems: [{ uuid: one }] });
    expect([await countersOf(app, departureId), await countersOf(app, other)]).toEqual([
      { sold: 0, held: 0, open: 0 },
      { sold: 0, held: 1, open: 0 },
    ]);
    const more = await confirm(shop, uuid, { unitItems: [{ uuid: one, unitId: adult }, { unitId: adult }] });
    expect([more.unitItems.length, await countersOf(app, other)]).toEqual([2, { sold: 2, held: 0, open: 0 }]);
    const later = await patch(shop, uuid, { resellerReference: 'Z', contact: { fullName: 'Bo' } });
    expect(must(later)).toMatchObject({ resellerReference: 'Z', contact: { fullName: 'Bo' }, status: 'CONFIRMED' });
  });
});

describe('an update of a sale', () => {
  it('a sold reservation changes its units and its departure, with the items, travelers, plan and commission of the booking', async () => {
    const shop = await newShop(app, { commissionBasisPoints: 1_000 });
    const { adult, child, productId, departureId } = shop;
    const [one, two, three] = [randomUUID(), randomUUID(), randomUUID()];
    const named = (uuid: string, unitId: string, fullName: string) => ({ uuid, unitId, contact: { fullName } });
    const [ana, bo, cy] = [named(one, adult, 'Ana Pop'), named(two, adult, 'Bo Chen'), named(three, child, 'Cy Dan')];
    const { uuid } = await reserve(shop, [], { unitItems: [ana, bo] });
    await confirm(shop, uuid);

    const grown = must(
      await patch(shop, uuid, { unitItems: [{ uuid: two, unitId: adult }, { uuid: one, unitId: adult }, cy] }),
    );
    expect(grown.unitItems).toMatchObject([{ uuid: two }, { uuid: one }, { uuid: three, status: 'CONFIRMED' }]);
    const first = await saleOf(grown);
    expect(first.booking).toMatchObject({ totalCents: 12_500, status: 'confirmed' });
    expect(first.commissions.map(({ amountCents }) => amountCents).sort()).toEqual([1_000, 250]);
    expect(await countersOf(app, departureId)).toEqual({ sold: 3, held: 0, open: 0 });
    expect(await plannedFor(first.booking.id)).toBe(12_500);
    const contact = { fullName: 'Ana Maria Pop', phoneNumber: '+40240555011' };
    must(
      await patch(shop, uuid, {
        contact,
        unitItems: grown.unitItems.map((unit) => (unit.uuid === one ? { ...ana, contact } : unit)),
      }),
    );
    expect(await travelersOf(first.booking.id)).toEqual(['Ana Maria Pop', 'Bo Chen', 'Cy Dan']);
    expect((await saleOf(grown)).booking).toMatchObject({ customerName: 'Ana Maria Pop', totalCents: 12_500 });

    const fewer = must(
      await patch(shop, uuid, {
        unitItems: [
          { uuid: two, unitId: adult },
          { uuid: three, unitId: child },
        ],
      }),
    );
    expect(fewer.unitItems).toMatchObject([{ uuid: two, contact: bo.contact }, { uuid: three }]);
    expect(await travelersOf(first.booking.id)).toEqual(['Bo Chen', 'Cy Dan']);
    expect(await countersOf(app, departureId)).toEqual({ sold: 2, held: 0, open: 0 });
    expect(fewer.voucher?.deliveryOptions.length).toBeGreaterThan(0);

    const { id: other } = await departureIn(app, 31, {
      productId,
      priceCents: 6_000,
      unitPrices: [{ unitId: child, amountCents: 3_000 }],
      capacity: 2,
    });
    const full = await patch(shop, uuid, {
      availabilityId: other,
      unitItems: [adult, adult, adult].map((unitId) => ({ unitId })),
    });
    expect([full.status, full.body]).toMatchObject([400, { error: 'UNPROCESSABLE_ENTITY' }]);
    expect(await countersOf(app, departureId)).toEqual({ sold: 2, held: 0, open: 0 });
    const moved = must(await patch(shop, uuid, { availabilityId: other }));
    expect(moved).toMatchObject({
      status: 'CONFIRMED',
      availabilityId: other,
      supplierReference: grown.supplierReference,
    });
    expect([await countersOf(app, departureId), await countersOf(app, other)]).toEqual([
      { sold: 0, held: 0, open: 0 },
      { sold: 2, held: 0, open: 0 },
    ]);
    const last = await saleOf(moved);
    expect(last.booking).toMatchObject({ totalCents: 9_000 });
    expect(await plannedFor(last.booking.id)).toBe(9_000);
    expect(await travelersOf(last.booking.id)).toEqual(['Bo Chen', 'Cy Dan']);
    const owed = last.commissions.filter(({ status }) => status !== 'void').map(({ amountCents }) => amountCents);
    expect(owed.sort()).toEqual([300, 600]);
    expect(await app.sql(MISCOUNTED_DEPARTURES)).toEqual([]);
    expect(must(await call(shop, uuid, 'cancel')).status).toBe('CANCELLED');
    expect(await countersOf(app, other)).toEqual({ sold: 0, held: 0, open: 0 });
  });

  it('a guest who was added before the others in a hold keeps the seat when another one leaves, and the product stays', async () => {
    const [shop, other] = [await newShop(app), await newShop(app)];
    const guest = (fullName: string) => ({ uuid: randomUUID(), unitId: shop.adult, contact: { fullName } });
    const [ana, bo, cy] = [guest('Ana Pop'), guest('Bo Chen'), guest('Cy Dan')];
    const { uuid } = await reserve(shop, [], { unitItems: [ana, bo] });
    must(await patch(shop, uuid, { unitItems: [cy, ana, bo] }));
    const { booking } = await saleOf(await confirm(shop, uuid));
    must(await patch(shop, uuid, { unitItems: [cy, bo].map(({ uuid: own, unitId }) => ({ uuid: own, unitId })) }));
    expect(await travelersOf(booking.id)).toEqual(['Bo Chen', 'Cy Dan']);
    const { productId, optionId, departureId: availabilityId } = other;
    const unitItems = [{ unitId: other.adult }];
    const moved = await patch(shop, uuid, { productId, optionId, availabilityId, unitItems });
    expect([moved.status, moved.body]).toMatchObject([
      400,
      { error: 'UNPROCESSABLE_ENTITY', errorMessage: expect.stringContaining('keeps its product') },
    ]);
  });

  it('units are given up only while that is free of charge, and units of a slot stay with it', async () => {
    const shop = await newShop(app, { settlement: 'net' });
    const { adult, productId, connection, departureId } = shop;
    const { id: allotmentId } = await newAllotment(app, {
      ...{ productId, channelId: connection.channelId, defaultQuantity: 2 },
    });
    const policy = await newPolicy(app);
    const rules = [{ type: 'window', daysBeforeDeparture: 0, refundBasisPoints: 5_000 }];
    await publish(app, await newDraft(app, policy.id, { rules }));
    await assign(app, policy.id, { scope: 'product', targetId: productId });
    const one = randomUUID();
    const { uuid } = await reserve(shop, [], { unitItems: [{ uuid: one, unitId: adult }] });
    const sold = await confirm(shop, uuid);
    const { id: other } = await departureIn(app, 34, { productId, priceCents: 5_000 });
    for (const changes of [{ availabilityId: other }, { unitItems: [{ unitId: adult }] }]) {
      const refused = await patch(shop, uuid, changes);
      expect([refused.status, refused.body]).toMatchObject([
        400,
        { error: 'UNPROCESSABLE_ENTITY', errorMessage: expect.stringContaining('is not free of charge') },
      ]);
    }
    const unitItems = [{ uuid: one, unitId: adult }, { unitId: adult }, { unitId: adult }];
    expect(must(await patch(shop, uuid, { unitItems })).unitItems.length).toBe(3);
    const { items, booking } = await saleOf(sold);
    expect(items.map(({ allotmentId: from, quantity }) => [from, quantity])).toEqual(
      expect.arrayContaining([
        [allotmentId, 1],
        [allotmentId, 1],
        [null, 1],
      ]),
    );
    expect([booking['totalCents'], await plannedFor(booking.id)]).toEqual([15_000, 15_000]);
    expect(await countersOf(app, departureId)).toEqual({ sold: 3, held: 0, open: 0 });
    expect(await app.sql(MISCOUNTED_DEPARTURES)).toEqual([]);
  });

  it('units that staff have changed are not changed by the reseller, and those that staff have cancelled stay cancelled', async () => {
    const shop = await newShop(app);
    const { adult, child } = shop;
    const [one, two, three] = [randomUUID(), randomUUID(), randomUUID()];
    const own = [
      { uuid: one, unitId: adult },
      { uuid: two, unitId: adult },
      { uuid: three, unitId: child },
    ];
    const { uuid } = await reserve(shop, [], { unitItems: own });
    const { booking, items } = await saleOf(await confirm(shop, uuid));
    const itemOf = (unitId: string) =>
      `${STAFF}/${booking.id}/items/${items.find((item) => item['unitId'] === unitId)?.id ?? ''}`;
    const owner = app.as('owner');
    expect((await owner.post(`${itemOf(child)}/cancellation`, { reason: 'Ill' })).status).toBe(200);
    const more = must(await patch(shop, uuid, { unitItems: [...own, { unitId: adult }] }));
    const states = more.unitItems.map((unit) => [unit.uuid, unit.status]);
    expect(states).toEqual(
      expect.arrayContaining([
        [three, 'CANCELLED'],
        [one, 'CONFIRMED'],
      ]),
    );
    expect(states.length).toBe(4);
    expect((await owner.patch(itemOf(adult), { quantity: 1 })).status).toBe(200);
    const refused = await patch(shop, uuid, { unitItems: [{ uuid: one, unitId: adult }] });
    expect([refused.status, refused.body]).toMatchObject([
      400,
      { errorMessage: expect.stringContaining('The supplier has changed the booking') },
    ]);
  });

  it('concurrent changes of sales in both directions oversell no seat', async () => {
    const shop = await newShop(app);
    const { adult, productId, departureId } = shop;
    const { id: other } = await departureIn(app, 35, { productId, priceCents: 5_000, capacity: 6 });
    const uuids = await Promise.all(
      [departureId, departureId, other, other].map(async (availabilityId) => {
        const { uuid } = await reserve(shop, [adult, adult], { availabilityId });
        return (await confirm(shop, uuid)).uuid;
      }),
    );
    const changes = uuids.flatMap((uuid, index) => [
      patch(shop, uuid, { availabilityId: index < 2 ? other : departureId }),
      patch(shop, uuid, { unitItems: [{ unitId: adult }] }),
      patch(shop, uuid, { unitItems: [adult, adult, adult].map((unitId) => ({ unitId })) }),
    ]);
    const statuses = (await Promise.all(changes)).map(({ status }) => status);
    expect(statuses.filter((status) => status !== 200 && status !== 400)).toEqual([]);
    let units = 0;
    for (const uuid of uuids) units += (await read(shop, uuid)).unitItems.length;
    const [here, there] = [await countersOf(app, departureId), await countersOf(app, other)];
    expect([here?.held, there?.held, (here?.sold ?? 0) + (there?.sold ?? 0)]).toEqual([0, 0, units]);
    expect(await app.sql(MISCOUNTED_DEPARTURES)).toEqual([]);
  });
});

describe('a change during the hold', () => {
  it('units that stay keep the references and contacts that an update omits', async () => {
    const shop = await newShop(app);
    const { adult, child, productId } = shop;
    const [one, two] = [randomUUID(), randomUUID()];
    const [ana, bo] = [{ fullName: 'Ana Pop' }, { fullName: 'Bo Chen' }];
    const unitItems = [
      { uuid: one, unitId: adult, contact: ana, resellerReference: 'A1' },
      { uuid: two, unitId: adult, contact: ana, resellerReference: 'A2' },
    ];
    const { uuid } = await reserve(shop, [], { unitItems });
    const items = [
      { uuid: one, unitId: adult },
      { uuid: two, unitId: adult, contact: bo, resellerReference: null },
    ];
    const more = must(await patch(shop, uuid, { unitItems: [...items, { unitId: child }] }));
    const kept = [
      { uuid: one, contact: ana, resellerReference: 'A1' },
      { uuid: two, contact: bo, resellerReference: null },
    ];
    expect(more.unitItems).toMatchObject([...kept, { unitId: child, contact: { fullName: null } }]);
    const { id: other } = await departureIn(app, 32, { productId, priceCents: 6_000 });
    const moved = must(await patch(shop, uuid, { availabilityId: other, unitItems: [{ uuid: one, unitId: adult }] }));
    expect(moved.unitItems).toMatchObject([kept[0]]);
  });

  it('a hold that moves to another departure ends at the cut-off of that one, and a started departure is not sold', async () => {
    const shop = await newShop(app);
    const inMinutes = (minutes: number) => new Date(Math.ceil(app.now().getTime() / 1_000) * 1_000 + minutes * 60_000);
    const { uuid } = await reserve(shop, [shop.adult], { expirationMinutes: 60 });
    const startsAt = inMinutes(20).toISOString();
    const terms = { startsAt, endsAt: inMinutes(80).toISOString() };
    const { id: soon } = await departureIn(app, 1, { productId: shop.productId, priceCents: 5_000, ...terms });
    const moved = must(await patch(shop, uuid, { availabilityId: soon }));
    expect(Date.parse(moved.utcExpiresAt ?? '')).toBe(Date.parse(startsAt));
    const late = await reserve(shop, [shop.adult], { expirationMinutes: 60 });
    const times = { startsAt: inMinutes(5).toISOString(), endsAt: inMinutes(60).toISOString() };
    const earlier = await app.as('owner').patch(`/v1/admin/operations/departures/${shop.departureId}`, times);
    expect(earlier.status).toBe(200);
    app.travel({ ms: 6 * 60_000 });
    const started = await call(shop, late.uuid, 'confirm', { contact: CONTACT });
    expect([started.status, started.body]).toMatchObject([
      400,
      { error: 'UNPROCESSABLE_ENTITY', errorMessage: 'The departure has started' },
    ]);
  });

  it('a reservation is sold in its currency, or not at all', async () => {
    const shop = await newShop(app);
    const { uuid } = await reserve(shop, [shop.adult]);
    await app.sql(`update departures set currency = 'USD' where id = $1`, [shop.departureId]);
    const answers = [
      await call(shop, uuid, 'confirm', { contact: CONTACT }),
      await patch(shop, uuid, { unitItems: [{ unitId: shop.adult }, { unitId: shop.adult }] }),
    ];
    for (const { status, body } of answers)
      expect([status, body]).toMatchObject([400, { error: 'UNPROCESSABLE_ENTITY' }]);
    expect(await read(shop, uuid)).toMatchObject({ status: 'ON_HOLD', unitItems: [{ unitId: shop.adult }] });
    expect((await countersOf(app, shop.departureId))?.held).toBe(1);
  });

  it('a reservation can be confirmed although its product is no longer listed and its option no longer sold', async () => {
    const shop = await newShop(app);
    const { uuid } = await reserve(shop, [shop.adult]);
    const other = await newShop(app);
    const terms = { catalogue: 'listed', productIds: [other.productId] };
    const owner = app.as('owner');
    const unlisted = await owner.patch(`/v1/admin/octo/connections/${shop.connection.id}`, terms);
    const path = `/v1/admin/products/${shop.productId}/options/${shop.optionId}`;
    const ended = await owner.patch(path, { active: false });
    expect([unlisted.status, ended.status]).toEqual([200, 200]);
    expect((await confirm(shop, uuid)).status).toBe('CONFIRMED');
  });

  it('a last name alone is not a first name, and an empty full name is none', async () => {
    const product = { requiredTravelerFields: ['firstName', 'lastName'] };
    const shop = await newShop(app, {}, { product });
    const item = { uuid: randomUUID(), unitId: shop.adult };
    const { uuid } = await reserve(shop, [], { unitItems: [{ ...item, contact: { fullName: '', lastName: 'Pop' } }] });
    const half = await call(shop, uuid, 'confirm', { contact: CONTACT });
    expect(half.body).toMatchObject({ errorMessage: 'The contact lacks unitItems.contact.firstName' });
    const contact = { fullName: '', firstName: 'Ana', lastName: 'Pop' };
    const sold = await confirm(shop, uuid, { contact, unitItems: [{ ...item, contact }] });
    expect((await saleOf(sold)).booking['customerName']).toBe('Ana Pop');
  });
});

describe('the end of a sale', () => {
  it('a cancelled booking is cancelled here too, its units are free and its commission is 0', async () => {
    const shop = await newShop(app, { commissionBasisPoints: 1_000 });
    const { uuid } = await reserve(shop, [shop.adult]);
    const sold = await confirm(shop, uuid);
    const ended = must(await call(shop, uuid, 'cancel', { reason: 'No visa' }));
    expect(ended).toMatchObject({
      ...{ status: 'CANCELLED', cancellable: false },
      cancellation: { refund: expect.stringMatching(/^(FULL|PARTIAL)$/), reason: 'No visa' },
    });
    const { booking, commissions } = await saleOf(sold);
    expect([booking['status'], commissions.map(({ status }) => status)]).toEqual(['cancelled', ['void']]);
    expect(await countersOf(app, shop.departureId)).toEqual({ sold: 0, held: 0, open: 0 });
    expect(must(await call(shop, uuid, 'cancel'))).toEqual(ended);
  });

  it('after the start of the departure a booking can no longer be cancelled', async () => {
    const shop = await newShop(app);
    const { uuid } = await reserve(shop, [shop.adult]);
    await confirm(shop, uuid);
    app.travel({ days: 30, hours: 12 });
    const late = await call(shop, uuid, 'cancel');
    expect([late.status, late.body]).toMatchObject([400, { error: 'UNPROCESSABLE_ENTITY' }]);
    expect((await read(shop, uuid)).cancellable).toBe(false);
    app.travel({ days: -30, hours: -12 });
  });

  it('what staff do to the booking shows at once: cancelled, reinstated, moved, redeemed', async () => {
    const shop = await newShop(app);
    const { uuid } = await reserve(shop, [shop.adult]);
    const sold = await confirm(shop, uuid);
    const { booking, items } = await saleOf(sold);
    const owner = app.as('owner');
    await owner.post(`${STAFF}/${booking.id}/cancellation`, { reason: 'Storm', initiator: 'operator' });
    expect(await read(shop, uuid)).toMatchObject({ status: 'CANCELLED', cancellation: { refund: 'FULL' } });
    await owner.post(`${STAFF}/${booking.id}/reinstatement`, { reason: 'By mistake' });
    expect(await read(shop, uuid)).toMatchObject({ status: 'CONFIRMED', cancellation: null });
    const { id: other } = await departureIn(app, 33, { productId: shop.productId, priceCents: 5_000 });
    await owner.patch(`${STAFF}/${booking.id}/items/${items[0]?.id ?? ''}`, { departureId: other });
    expect((await read(shop, uuid)).availabilityId).toBe(other);
    const code = (await read(shop, uuid)).voucher?.deliveryOptions[0]?.deliveryValue;
    const redeemed = await owner.post('/v1/admin/operations/redemptions', { code });
    expect(redeemed.status).toBe(200);
    expect(await read(shop, uuid)).toMatchObject({ status: 'REDEEMED', cancellable: false });
    expect((await call(shop, uuid, 'cancel')).status).toBe(400);
  });
});

it('staff see the reservations of resellers, with tests marked, and the booking that each became', async () => {
  const shop = await newShop(app);
  const { connection, adult, departureId, productId } = shop;
  const [real, test] = [
    await reserve(shop, [adult, adult]),
    await reserve(shop, [adult], {}, { headers: { 'Octo-Env': 'test' } }),
  ];
  const sold = await confirm(shop, real.uuid);
  const list = '/v1/admin/octo/bookings';
  const listed = async (query: string) =>
    (await app.as('owner').get<{ data: Row[] }>(`${list}?connectionId=${connection.id}&${query}`)).body.data;
  expect(await listed('sort=createdAt')).toMatchObject([
    {
      id: real.id,
      status: 'CONFIRMED',
      testMode: false,
      bookingNumber: sold.supplierReference,
      departureId,
      productId,
    },
    { id: test.id, status: 'ON_HOLD', testMode: true, bookingId: null, bookingNumber: null },
  ]);
  expect((await listed('testMode=true')).map(({ id }) => id)).toEqual([test.id]);
  expect((await listed('status=CONFIRMED,CANCELLED')).map(({ id }) => id)).toEqual([real.id]);
  expect(await listed('createdAfter=2127-01-01T00:00:00Z')).toEqual([]);
  expect((await listed('createdBefore=2127-01-01T00:00:00Z')).length).toBe(2);
  const one = await app.as('owner').get<{ data: Row }>(`${list}/${real.id}`);
  const unit = { unitId: adult, retailCents: 5_000, netCents: 5_000, allotmentId: null };
  expect(one.body.data).toMatchObject({ uuid: real.uuid, units: [unit, unit] });
});

it('a reservation whose price list was retired meanwhile keeps its price', async () => {
  const shop = await newShop(app, {}, { departure: { unitPrices: [] } });
  const { id } = await activeList(app, [{ productId: shop.productId, unitId: shop.adult, amountCents: 4_000 }]);
  const held = await reserve(shop, [shop.adult], {}, PRICING);
  const retired = await app.as('owner').post(`${PRICE_LISTS}/${id}/retirement`);
  expect(retired.status).toBe(200);
  expect((await reserve(shop, [shop.adult], {}, PRICING))['pricing']).toMatchObject({ retail: 5_000 });
  const sold = await confirm(shop, held.uuid, {}, PRICING);
  expect(sold['pricing']).toMatchObject({ retail: 4_000 });
  const { booking } = await saleOf(sold);
  expect(booking['totalCents']).toBe(4_000);
});
