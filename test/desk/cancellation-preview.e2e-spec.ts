/** @jest-environment-options {"application":"shared"} */
import { beforeAll, describe, expect, it } from '@jest/globals';
import {
  addItem,
  BOOKINGS,
  insisting,
  type Item,
  makeBooking,
  type One,
  problem,
  readBooking,
  staffWith,
} from '../bookings/bookings.js';
import { assign, newDraft, newPolicy, publish } from '../legal/policies.js';
import { newDeparture } from '../operations/departures.js';
import { startApp, type TestApp } from '../setup/app.js';
import type { TestClient } from '../setup/client.js';

interface Preview extends Record<string, unknown> {
  feeCents: number | null;
  lines: object[];
  settlement: { receivedCents: number; restCents: number | null } | null;
}

let app: TestApp;
let owner: TestClient;
beforeAll(async () => {
  app = await startApp();
  owner = app.as('owner');
});

const preview = (id: string, query = '', client = owner) =>
  client.get<One<Preview>>(`${BOOKINGS}/${id}/cancellation-preview${query}`);

/** A confirmed booking of two seats at 100.01 and one at 9.99, of which a third is refunded; 150.00 are paid. */
async function paidBooking() {
  const startsAt = `${app.day(40)}T12:00:00.000Z`;
  const departure = await newDeparture(app, { startsAt, endsAt: `${app.day(41)}T12:00:00.000Z` });
  const policy = await newPolicy(app);
  await publish(app, await newDraft(app, policy.id, { rules: [{ type: 'percentage', refundBasisPoints: 3_333 }] }));
  await assign(app, policy.id, { scope: 'product', targetId: departure.productId });
  const { id } = await makeBooking(owner);
  const seats = await addItem(owner, id, { departureId: departure.id, quantity: 2, unitSellCents: 10_001 });
  const extra = await addItem(owner, id, { departureId: departure.id, unitSellCents: 999 });
  expect((await owner.post(`${BOOKINGS}/${id}/confirmation`)).status).toBe(200);
  const payment = { bookingId: id, method: 'bank_transfer', currency: 'EUR', amountCents: 15_000, paidOn: app.day() };
  expect((await owner.post('/v1/admin/finance/payments', payment)).status).toBe(201);
  return { id, departure, seats, extra };
}

describe('the preview of a cancellation', () => {
  it('it shows the fee, the refund and the units of the cancellation that follows, and changes nothing', async () => {
    const { id, departure, seats, extra } = await paidBooking();
    const before = await readBooking(owner, id);

    const { status, body } = await preview(id);

    expect(status).toBe(200);
    expect(body.data).toMatchObject({
      ...{ bookingId: id, currency: 'EUR', cancelledOn: app.day(), initiator: 'customer', totalCents: 21_001 },
      ...{ itemIds: [seats.id, extra.id], outcome: 'refund', freed: [{ departureId: departure.id, units: 3 }] },
    });
    expect(await readBooking(owner, id)).toEqual(before);
    expect((await owner.post(`${BOOKINGS}/${id}/cancellation`, { reason: 'Ill' })).status).toBe(200);
    const settlement = await owner.get<One<Record<string, unknown>>>(
      `/v1/admin/finance/bookings/${id}/cancellation-settlement`,
    );
    const { computedFeeCents, lines, preview: settled, warnings } = settlement.body.data;
    expect(body.data).toMatchObject({ feeCents: computedFeeCents, lines, settlement: settled, warnings });
    expect(computedFeeCents).toBe(14_001);
    expect((await preview(id)).body).toEqual(problem('invalid_transition', expect.anything()));
  });

  it('a cancellation by the operator costs nothing; without the scope for amounts of customers it shows no settlement', async () => {
    const { id } = await paidBooking();
    const reader = await staffWith(app, 'bookings:read');
    expect((await preview(id, '?initiator=operator', reader)).body.data).toMatchObject({
      feeCents: 0,
      settlement: null,
    });
    const { body } = await preview(id, '?initiator=operator');
    expect(body.data.settlement).toMatchObject({ receivedCents: 15_000, restCents: 15_000 });
    const early = await preview(id, `?cancelledOn=${app.day(-3)}`);
    expect([early.status, early.body]).toMatchObject([422, { code: 'cancelled_on_out_of_bounds' }]);
  });

  it('for single items it shows what cancelling each of them adds as a fee', async () => {
    const { id, seats, extra } = await paidBooking();
    const { body } = await preview(id, `?itemIds=${seats.id},${extra.id}`);
    expect(body.data).toMatchObject({ totalCents: 21_001, settlement: null });
    let fees = 0;
    for (const item of [seats, extra]) {
      const path = `${BOOKINGS}/${id}/items`;
      const answer = await insisting(() => owner.post(`${path}/${item.id}/cancellation`, { applyTerms: true }));
      expect([answer.status, answer.text]).toEqual([200, answer.text]);
    }
    const items = (await owner.get<{ data: Item[] }>(`${BOOKINGS}/${id}/items`)).body.data;
    for (const { status, totalSellCents } of items) if (status === 'confirmed') fees += totalSellCents;
    expect([body.data.feeCents, fees > 0]).toEqual([fees, true]);
    for (const [query, code] of [
      [`?itemIds=${seats.id}`, 404],
      ['?itemIds=', 400],
      [`?itemIds=${extra.id},${extra.id}`, 400],
      [`?itemIds=${extra.id}&initiator=operator`, 400],
    ] as const) {
      expect([query, (await preview(id, query)).status]).toEqual([query, code]);
    }
  });
});
