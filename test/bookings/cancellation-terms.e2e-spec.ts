/** @jest-environment-options {"application":"shared"} */
import { beforeAll, describe, expect, it } from '@jest/globals';
import { assign, newDraft, newPolicy, publish } from '../legal/policies.js';
import { newDeparture } from '../operations/departures.js';
import { startApp, type TestApp } from '../setup/app.js';
import type { TestClient } from '../setup/client.js';
import { taxCodeAt } from '../taxes/tax-codes.js';
import { addItem, BOOKINGS, type Item, makeBooking, type One, problem, readBooking } from './bookings.js';

interface Settlement extends Record<string, unknown> {
  id: string;
  computedFeeCents: number | null;
  agreedFeeCents: number | null;
}

let app: TestApp;
let owner: TestClient;
beforeAll(async () => {
  app = await startApp();
  owner = app.as('owner');
});

/** Refunds 100 % until 30 days before, 50 % until 14 days, and nothing after that. */
const STEPS = [
  { type: 'window', daysBeforeDeparture: 30, refundBasisPoints: 10_000 },
  { type: 'window', daysBeforeDeparture: 14, refundBasisPoints: 5_000, refundType: 'cash_or_credit' },
  { type: 'window', daysBeforeDeparture: 0, refundBasisPoints: 0 },
];

/** Noon in UTC, so that it is the same day in the time zone of the departure. */
const day = (days: number) => `${app.day(days)}T12:00:00.000Z`;
const today = () => app.day();

/** Creates a departure in N days, of a product with these cancellation terms. */
async function departureUnder(rules: object[] | null, days: number, currency = 'EUR') {
  const departure = await newDeparture(app, { startsAt: day(days), endsAt: day(days + 1), currency });
  if (!rules) return { departure, policy: null, version: null };
  const policy = await newPolicy(app);
  const version = await publish(app, await newDraft(app, policy.id, { rules }));
  await assign(app, policy.id, { scope: 'product', targetId: departure.productId });
  return { departure, policy, version };
}

/** Creates a confirmed booking of one seat on a departure in N days. */
async function sold(
  rules: object[] | null,
  { days, cents, currency }: { days: number; cents: number; currency?: string },
) {
  const terms = await departureUnder(rules, days, currency);
  const { id } = await makeBooking(owner, { currency: currency ?? 'EUR' });
  const item = await addItem(owner, id, { unitSellCents: cents, departureId: terms.departure.id });
  expect((await owner.post(`${BOOKINGS}/${id}/confirmation`)).status).toBe(200);
  return { ...terms, id, item };
}

const cancel = (id: string, body: object = {}) =>
  owner.post(`${BOOKINGS}/${id}/cancellation`, { reason: 'Fell ill', ...body });
const settlementOf = async (id: string) =>
  (await owner.get<One<Settlement>>(`/v1/admin/finance/bookings/${id}/cancellation-settlement`)).body.data;

async function feeOf(rules: object[] | null, seat: { days: number; cents: number; currency?: string }, body = {}) {
  const { id } = await sold(rules, seat);
  expect((await cancel(id, body)).status).toBe(200);
  return settlementOf(id);
}

describe('the fee of a cancelled booking', () => {
  it.each([
    ['30 days before, nothing', STEPS, { days: 30, cents: 100_001 }, 0],
    ['20 days before, half', STEPS, { days: 20, cents: 100_001 }, 50_000],
    ['3 days before, everything', STEPS, { days: 3, cents: 100_001 }, 100_001],
    ['in JPY', STEPS, { days: 14, cents: 10_001, currency: 'JPY' }, 5_000],
    ['in KWD', [{ type: 'percentage', refundBasisPoints: 3_333 }], { days: 14, cents: 12_345, currency: 'KWD' }, 8_230],
  ])('a cancellation costs by the terms of the confirmation: %s', async (...[, rules, seat, fee]) => {
    const settlement = await feeOf(rules, seat);
    expect(settlement).toMatchObject({
      status: 'open',
      cancelledOn: today(),
      initiator: 'customer',
      totalCents: seat.cents,
      computedFeeCents: fee,
      agreedFeeCents: fee,
      warnings: [],
      lines: [{ daysBefore: seat.days, baseCents: seat.cents, feeCents: fee }],
    });
  });

  it('the settlement names the version and the rule, and the day by which a refund is due', async () => {
    const { id, version } = await sold(STEPS, { days: 20, cents: 100_001 });
    await cancel(id);
    const dueOn = app.day(14);
    expect(await settlementOf(id)).toMatchObject({
      id: expect.stringMatching(/^cset_/),
      lines: [
        { policyVersionId: version?.id, rulePosition: 1, refundBasisPoints: 5_000, refundType: 'cash_or_credit' },
      ],
      outcome: 'refund',
      refundDueOn: dueOn,
      preview: { deletedInvoiceIds: [], creditedInvoiceIds: [], receivedCents: 0, openFeeCents: 50_000, restCents: 0 },
    });
  });

  it('a later version of the policy changes neither the terms of a sale nor an open settlement', async () => {
    const { id, policy } = await sold(STEPS, { days: 20, cents: 100_001 });
    const stricter = [{ type: 'percentage', refundBasisPoints: 0 }];
    const republish = async () => publish(app, await newDraft(app, policy?.id ?? '', { rules: stricter }));
    await republish();
    await cancel(id);
    const before = await settlementOf(id);
    expect(before.computedFeeCents).toBe(50_000);
    await republish();
    expect(await settlementOf(id)).toEqual(before);
  });

  it('an earlier day on which the customer declared it decides the fee, within the confirmation and today', async () => {
    const { id } = await sold(STEPS, { days: 20, cents: 100_001 });
    await app.sql(`update bookings set confirmed_on = confirmed_on - 12 where id = $1`, [id]);
    const earlier = (days: number) => app.day(-days);
    const rejected = await cancel(id, { cancelledOn: earlier(13) });
    expect([rejected.status, rejected.body]).toEqual([
      422,
      problem('cancelled_on_out_of_bounds', { field: 'cancelledOn', earliest: earlier(12), latest: today() }),
    ]);
    expect((await cancel(id, { cancelledOn: earlier(-1) })).status).toBe(422);
    expect(await readBooking(owner, id)).toMatchObject({
      status: 'confirmed',
      confirmedOn: earlier(12),
      cancelledOn: null,
      recordedOn: null,
    });
    expect((await cancel(id, { cancelledOn: earlier(10) })).status).toBe(200);
    const declared = { status: 'cancelled', cancelledOn: earlier(10), recordedOn: today() };
    expect(await readBooking(owner, id)).toMatchObject(declared);
    expect(await settlementOf(id)).toMatchObject({ cancelledOn: earlier(10), computedFeeCents: 0 });
  });

  it.each(['operator', 'force_majeure'])('a cancellation by %s costs nothing', async (initiator) => {
    expect(await feeOf(STEPS, { days: 3, cents: 100_001 }, { initiator })).toMatchObject({
      initiator,
      computedFeeCents: 0,
      warnings: [],
    });
  });

  it('an unknown initiator is 400', async () => {
    const { id } = await sold(null, { days: 3, cents: 100 });
    expect((await cancel(id, { initiator: 'nobody' })).status).toBe(400);
  });

  it('without terms the fee is 0 with a warning', async () => {
    // The demo data has a policy for everything.
    const global = `where kind = 'cancellation' and scope = 'global'`;
    await app.sql(`update policy_assignments set valid_from = '2190-01-01' ${global}`);
    try {
      const settlement = await feeOf(null, { days: 3, cents: 100_001 });
      expect(settlement).toMatchObject({ computedFeeCents: 0, warnings: ['no_cancellation_terms'] });
    } finally {
      await app.sql(`update policy_assignments set valid_from = null ${global}`);
    }
  });

  it('the cancellation of a draft costs nothing, with a warning', async () => {
    const { departure } = await departureUnder(STEPS, 3);
    const { id } = await makeBooking(owner);
    await addItem(owner, id, { departureId: departure.id });
    expect((await cancel(id)).status).toBe(200);
    expect(await settlementOf(id)).toMatchObject({
      totalCents: 10_000,
      lines: [],
      computedFeeCents: 0,
      warnings: ['no_cancellation_terms'],
    });
  });

  it('a fee that the terms do not determine is null', async () => {
    expect(await feeOf([{ type: 'custom' }], { days: 3, cents: 1_000 })).toMatchObject({
      computedFeeCents: null,
      agreedFeeCents: null,
      preview: { openFeeCents: null, restCents: null },
    });
  });

  it('a booking that is not cancelled has no settlement', async () => {
    const { id } = await makeBooking(owner);
    const { status } = await owner.get(`/v1/admin/finance/bookings/${id}/cancellation-settlement`);
    expect(status).toBe(404);
  });

  it('settlements are listed by state and by the day on which their refund is due', async () => {
    const { id } = await sold(STEPS, { days: 20, cents: 100 });
    await cancel(id);
    const { id: settlementId, refundDueOn } = await settlementOf(id);
    const daysLater = (days: number) =>
      new Date(Date.parse(String(refundDueOn)) + days * 86_400_000).toISOString().slice(0, 10);
    const [before, after] = [daysLater(-1), daysLater(1)];
    const found = async (query: string) => {
      const path = `/v1/admin/finance/cancellation-settlements?limit=200&${query}`;
      const { status, body } = await owner.get<{ data: Settlement[] }>(path);
      expect(status).toBe(200);
      return body.data.some((one) => one.id === settlementId);
    };
    expect(await found('status=open')).toBe(true);
    expect(await found('status=settled')).toBe(false);
    expect(await found('status=settled,open')).toBe(true);
    expect(await found(`dueFrom=${String(refundDueOn)}&dueTo=${String(refundDueOn)}`)).toBe(true);
    expect(await found(`dueFrom=${after}`)).toBe(false);
    expect(await found(`dueTo=${before}`)).toBe(false);
    expect(await found(`dueBefore=${after}`)).toBe(true);
    expect(await found(`dueBefore=${String(refundDueOn)}`)).toBe(false);
  });
});

describe('the fee of a cancelled item', () => {
  const cancelItem = ({ id, bookingId }: Item, body: object) =>
    owner.post<One<Item>>(`${BOOKINGS}/${bookingId}/items/${id}/cancellation`, body);
  const itemsOf = async (id: string) =>
    (await owner.get<{ data: Item[] }>(`${BOOKINGS}/${id}/items?status=confirmed`)).body.data;

  it('with applyTerms an item of type fee takes the place of the cancelled one', async () => {
    const { id, item } = await sold(STEPS, { days: 20, cents: 100_001 });
    const { status } = await cancelItem(item, { reason: 'One less', applyTerms: true });
    expect(status).toBe(200);
    expect(await itemsOf(id)).toMatchObject([
      { type: 'fee', title: 'Cancellation fee: Seat', totalSellCents: 50_000, taxIncludedCents: 0, departureId: null },
    ]);
    expect((await readBooking(owner, id)).totalCents).toBe(50_000);
  });

  it('a fee that is the price of a supply is taxed like the cancelled item', async () => {
    const settings = '/v1/admin/finance/settings';
    const { id: taxCodeId } = await taxCodeAt(owner, 1_900);
    const [coded, given] = [
      await sold(STEPS, { days: 20, cents: 119_000 }),
      await sold(STEPS, { days: 20, cents: 119_000 }),
    ];
    await owner.patch(`${BOOKINGS}/${coded.id}/items/${coded.item.id}`, { taxCodeId });
    await owner.patch(`${BOOKINGS}/${given.id}/items/${given.item.id}`, { taxIncludedCents: 11_900 });
    await owner.put(settings, { baseCurrency: 'EUR', cancellationFeeTax: 'as_supply' });
    try {
      for (const { item } of [coded, given]) await cancelItem(item, { applyTerms: true });
    } finally {
      await owner.put(settings, { baseCurrency: 'EUR' });
    }
    expect(await itemsOf(coded.id)).toMatchObject([
      { type: 'fee', totalSellCents: 59_500, taxIncludedCents: 9_500, taxCodeId, taxRateBasisPoints: 1_900 },
    ]);
    expect(await itemsOf(given.id)).toMatchObject([
      { totalSellCents: 59_500, taxIncludedCents: 5_950, taxCodeId: null },
    ]);
  });

  it('without applyTerms, for a draft, and if the fee is 0, no item is added', async () => {
    const cheap = await sold(STEPS, { days: 40, cents: 1_000 });
    expect((await cancelItem(cheap.item, { applyTerms: true })).status).toBe(200);
    const plain = await sold(STEPS, { days: 3, cents: 1_000 });
    expect((await cancelItem(plain.item, {})).status).toBe(200);
    for (const { id } of [cheap, plain]) {
      expect(await itemsOf(id)).toEqual([]);
      expect((await readBooking(owner, id)).totalCents).toBe(0);
    }
  });

  it('a fee that the terms do not determine is 409 fee_needs_decision, and nothing changes', async () => {
    const { id, item } = await sold([{ type: 'custom' }], { days: 20, cents: 1_000 });
    const { status, body } = await cancelItem(item, { applyTerms: true });
    expect([status, body]).toEqual([409, problem('fee_needs_decision', { itemId: item.id })]);
    expect(await itemsOf(id)).toHaveLength(1);
  });

  it('reinstating the item cancels its fee', async () => {
    const { id, item, departure } = await sold(STEPS, { days: 20, cents: 100_001 });
    await cancelItem(item, { applyTerms: true });
    const { status, body } = await owner.post<One<Item>>(`${BOOKINGS}/${id}/items/${item.id}/reinstatement`, {
      reason: 'By mistake',
    });
    expect(status).toBe(200);
    expect(body.data).toMatchObject({ status: 'confirmed', cancelledAt: null, cancelReason: null });
    expect((await itemsOf(id)).map((one) => one.id)).toEqual([item.id]);
    expect((await readBooking(owner, id)).totalCents).toBe(100_001);
    const [{ sold: units } = { sold: null }] = await app.sql('select sold from departures where id = $1', [
      departure.id,
    ]);
    expect(units).toBe(1);
  });
});
