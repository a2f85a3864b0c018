/** @jest-environment-options {"application":"shared"} */
import { beforeAll, describe, expect, it } from '@jest/globals';
import { demoId } from '../../../src/platform/ids/id.js';
import { addItem, BOOKINGS, entriesAbout, makeBooking } from '../../bookings/bookings.js';
import { startApp, type TestApp } from '../../setup/app.js';
import type { TestClient } from '../../setup/client.js';
import { invalid, problem, staffWith } from '../invoices.js';
import {
  cancelItem,
  commissionsOf,
  earn,
  fixed,
  linesOf,
  type One,
  readLine,
  soldItem,
  terms,
  eventNamesOf,
  insisting,
} from './commissions.js';

let app: TestApp;
let owner: TestClient;

beforeAll(async () => {
  app = await startApp();
  owner = app.as('owner');
});

const create = (itemId: string, body: object) => owner.post<One>(commissionsOf(itemId), body);

describe('POST .../commissions', () => {
  it('a new commission is answered with 201, all its members, Location and ETag', async () => {
    const { id, bookingId } = await soldItem(owner);
    const sent = { recipientId: 'AR-17', channelId: demoId('chan', 2), rateBasisPoints: 1250, notes: 'By phone' };
    const { status, body, headers } = await create(id, terms(sent));
    expect(status).toBe(201);
    expect(body).toEqual({
      data: {
        id: expect.stringMatching(/^comm_[0-7][0-9a-hjkmnp-tv-z]{25}$/),
        bookingId,
        bookingItemId: id,
        recipientType: 'agency',
        recipientName: 'Alpine Resellers',
        recipientId: 'AR-17',
        channelId: demoId('chan', 2),
        commissionModel: 'percentage',
        basis: 'net_sell',
        rateBasisPoints: 1250,
        fixedCents: null,
        perUnit: false,
        netRateCents: null,
        amountCents: 12_500,
        currency: 'EUR',
        baseCents: 100_000,
        computedAt: expect.stringMatching(/Z$/),
        payableTrigger: 'paid_in_full',
        status: 'pending',
        payableAt: null,
        paidOn: null,
        paidAt: null,
        payoutReference: null,
        voidedAt: null,
        voidReason: null,
        adjustsId: null,
        adjustReason: null,
        notes: 'By phone',
        version: 1,
        createdAt: expect.stringMatching(/Z$/),
        updatedAt: expect.stringMatching(/Z$/),
      },
    });
    expect(headers['location']).toBe(`${commissionsOf(id)}/${body.data.id}`);
    expect(headers['etag']).toBe('"1"');
    expect(await readLine(owner, body.data)).toEqual(body.data);
  });

  it.each([
    [{}, 10_000],
    [{ basis: 'gross_sell' }, 12_000],
    [{ basis: 'margin' }, 2_000],
    [{ commissionModel: 'markup', rateBasisPoints: 5000 }, 10_000],
    [{ commissionModel: 'fixed', rateBasisPoints: undefined, amountCents: 500 }, 500],
    [{ commissionModel: 'net', rateBasisPoints: undefined, netRateCents: 85_000 }, 35_000],
  ])('%j earns %d cents', async (over, amountCents) => {
    const { id } = await soldItem(owner);
    expect((await earn(owner, id, terms(over))).amountCents).toBe(amountCents);
  });

  it('a fixed amount per unit is multiplied by the quantity', async () => {
    const { id } = await soldItem(owner, { quantity: 3 });
    expect(await earn(owner, id, fixed(500, { perUnit: true }))).toMatchObject({ amountCents: 1_500, fixedCents: 500 });
    expect(await earn(owner, id, fixed(500))).toMatchObject({ amountCents: 500 });
  });

  it.each([
    [{ rateBasisPoints: undefined }, 'rateBasisPoints', 'required_by_model'],
    [{ commissionModel: 'fixed', rateBasisPoints: undefined }, 'amountCents', 'required_by_model'],
    [{ commissionModel: 'net', rateBasisPoints: undefined }, 'netRateCents', 'required_by_model'],
    [{ amountCents: 5 }, 'amountCents', 'not_of_model'],
    [{ commissionModel: 'markup', basis: 'margin' }, 'basis', 'not_of_model'],
    [{ rateBasisPoints: 10_001 }, 'rateBasisPoints', 'too_large'],
  ])('%j is rejected with 400 at %s with the code %s, and nothing is created', async (over, field, code) => {
    const { id } = await soldItem(owner);
    const { status, body } = await create(id, terms(over));
    expect(status).toBe(400);
    expect(body).toEqual(invalid(field, code));
    expect(await linesOf(owner, id)).toEqual([]);
  });

  it.each([
    [{ costCents: null, costCurrency: null }, null],
    [{ costCents: 5, costCurrency: 'USD' }, 'USD'],
  ])('a commission on the margin of an item with %j is 422 cost_unknown', async (over, costCurrency) => {
    const { id } = await soldItem(owner, over);
    for (const how of [{ basis: 'margin' }, { commissionModel: 'markup' }]) {
      const { status, body } = await create(id, terms(how));
      expect([status, body]).toEqual([
        422,
        problem('cost_unknown', { field: 'commissionModel', currency: 'EUR', costCurrency }),
      ]);
    }
  });

  it('a commission on a pass-through item is 409 pass_through_item', async () => {
    const { id } = await soldItem(owner, { pricingTreatment: 'pass_through' });
    const { status, body } = await create(id, terms());
    expect([status, body]).toEqual([409, problem('pass_through_item')]);
  });

  it('a commission on a cancelled item is 409 booking_item_cancelled, in a cancelled booking 409 booking_closed', async () => {
    const item = await soldItem(owner);
    await cancelItem(owner, item);
    expect((await create(item.id, terms())).body).toEqual(problem('booking_item_cancelled'));
    await owner.post(`${BOOKINGS}/${item.bookingId}/cancellation`, { reason: 'Ill' });
    const { status, body } = await create(item.id, terms());
    expect([status, body]).toEqual([409, problem('booking_closed', { status: 'cancelled' })]);
  });

  it('a commission with an unknown channel is 404 with the field, and of an unknown item 404', async () => {
    const { id } = await soldItem(owner);
    const { status, body } = await create(id, terms({ channelId: 'chan_01k0dem000e000000000009999' }));
    expect([status, body]).toEqual([404, problem('not_found', { field: 'channelId' })]);
    for (const unknown of ['bkit_01k0dem000e000000000009999', demoId('book', 1), 'x']) {
      expect((await create(unknown, terms())).body).toEqual(problem('not_found'));
    }
  });

  it('creating a commission needs finance:write', async () => {
    const reader = await staffWith(app, 'finance:read', 'bookings:*');
    const { status, body } = await reader.post(commissionsOf(demoId('bkit', 19)), terms());
    expect([status, body]).toEqual([403, problem('forbidden', { requiredScope: 'finance:write' })]);
  });

  it('two requests with the same Idempotency-Key create one commission', async () => {
    const { id } = await soldItem(owner);
    const call = { headers: { 'Idempotency-Key': `commission-${id}` } };
    const [first, again] = [
      await owner.post(commissionsOf(id), terms(), call),
      await owner.post(commissionsOf(id), terms(), call),
    ];
    expect(again.body).toEqual(first.body);
    expect(await linesOf(owner, id)).toHaveLength(1);
  });

  it('a new commission is recorded without the name of the recipient and published', async () => {
    const { id } = await soldItem(owner);
    const line = await earn(owner, id, terms({ notes: 'By phone' }));
    const [entry, ...more] = await entriesAbout(owner, line.id);
    expect(more).toEqual([]);
    const after = { bookingItemId: id, amountCents: 10_000, status: 'pending' };
    expect(entry).toMatchObject({ action: 'finance.commission.create', before: null, after });
    expect(JSON.stringify(entry)).not.toMatch(/Alpine|phone/);
    expect(await eventNamesOf(app, line.id, 1)).toEqual(['commission.created']);
  });
});

describe('all commissions of an item', () => {
  it('concurrent commissions never exceed the price of the item: 422 commission_exceeds_base', async () => {
    const { id } = await soldItem(owner, { unitSellCents: 1_000, taxIncludedCents: 0 });
    const answers = await Promise.all(Array.from({ length: 10 }, () => insisting(() => create(id, fixed(300)))));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 201, 201, ...Array<number>(7).fill(422)]);
    const details = { field: 'amountCents', totalSellCents: 1_000, commissionCents: 1_200 };
    const rejected = answers.find(({ status }) => status === 422);
    expect(rejected?.body).toEqual(problem('commission_exceeds_base', details));
    await earn(owner, id, fixed(100));
  });

  it('commissions of all models count towards the price of the item', async () => {
    const { id } = await soldItem(owner);
    await earn(owner, id, terms({ basis: 'gross_sell', rateBasisPoints: 9_000 }));
    expect((await create(id, fixed(12_001))).status).toBe(422);
    await earn(owner, id, fixed(12_000));
    const sum = (await linesOf(owner, id)).reduce((all, { amountCents }) => all + amountCents, 0);
    expect(sum).toBe(120_000);
  });

  it('void commissions do not count towards the price of the item', async () => {
    const { id } = await soldItem(owner);
    const line = await earn(owner, id, fixed(120_000));
    await owner.post(`${commissionsOf(id)}/${line.id}/voiding`, { reason: 'Wrong' });
    await earn(owner, id, fixed(120_000));
  });

  it('a discount cannot have commissions', async () => {
    const { id } = await makeBooking(owner);
    await addItem(owner, id);
    const discount = await addItem(owner, id, { type: 'discount', unitSellCents: -10 });
    expect((await create(discount.id, fixed(0))).status).toBe(422);
  });

  it('the 51st commission of an item is 409 commission_limit_reached', async () => {
    const { id } = await soldItem(owner);
    await app.sql(
      `insert into commission_lines (id, booking_id, booking_item_id, currency, recipient_type, recipient_name,
         commission_model, fixed_cents, per_unit, base_cents, amount_cents, computed_at, payable_trigger, status, version,
         created_at, updated_at)
       select 'comm_' || n || id, booking_id, id, currency, 'other', 'Many', 'fixed', 1, false, 1, 1, now(),
         'paid_in_full', 'pending', 1, now(), now()
       from booking_items, generate_series(1, 49) n where id = $1`,
      [id],
    );
    const answers = await Promise.all(Array.from({ length: 4 }, () => insisting(() => create(id, fixed(1)))));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409]);
    const rejected = answers.find(({ status }) => status === 409);
    expect(rejected?.body).toEqual(problem('commission_limit_reached', { limit: 50 }));
    expect(await linesOf(owner, id)).toHaveLength(50);
  });
});
