/** @jest-environment-options {"application":"shared"} */
import { beforeAll, describe, expect, it } from '@jest/globals';
import { startApp, type TestApp } from '../../setup/app.js';
import type { TestClient } from '../../setup/client.js';
import { problem } from '../invoices.js';
import { draft, type Envelope, PATH, sell, voiding } from './invoicing.js';

let app: TestApp;
let owner: TestClient;

beforeAll(async () => {
  app = await startApp();
  owner = app.as('owner');
});

const post = (body: object) => owner.post<Envelope>(PATH, body);
const line = (unitPriceCents: number) => ({ description: 'By hand', unitPriceCents });

describe('the invoiced amount of a booking', () => {
  it('the invoices of a booking cannot exceed its total: 422 invoice_exceeds_booking', async () => {
    const { id: bookingId } = await sell(app, { items: [{ unitSellCents: 1_000 }] });
    const first = await draft(owner, { bookingId, lines: [line(600)] });
    const { status, body } = await post({ bookingId, lines: [line(401)] });
    const details = { bookingTotalCents: 1_000, invoicedCents: 600, totalCents: 401 };
    expect([status, body]).toEqual([422, problem('invoice_exceeds_booking', details)]);
    await draft(owner, { bookingId, lines: [line(400)] });
    expect((await voiding(owner, first.id)).status).toBe(200);
    await draft(owner, { bookingId, lines: [line(600)] });
  });

  it('concurrent invoices of a booking never exceed its total', async () => {
    const { id: bookingId } = await sell(app, { items: [{ unitSellCents: 1_000 }] });
    const answers = await Promise.all(Array.from({ length: 12 }, () => post({ bookingId, lines: [line(300)] })));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 201, 201, ...Array<number>(9).fill(422)]);
  });

  it('a second active invoice of an installment is rejected with 409 schedule_already_invoiced', async () => {
    const { id: bookingId, scheduleIds } = await sell(app, { plan: [30_000, 70_000] });
    const scheduleId = scheduleIds[0];
    const answers = await Promise.all(Array.from({ length: 8 }, () => post({ bookingId, scheduleId })));
    const made = answers.filter(({ status }) => status === 201);
    const rejected = answers.filter(({ status }) => status !== 201);
    const existingId = made[0]?.body.data.id ?? '';
    expect([made.length, rejected.length]).toEqual([1, 7]);
    for (const { status, body } of rejected) {
      expect([status, body]).toEqual([409, problem('schedule_already_invoiced', { existingId })]);
    }
    await voiding(owner, existingId);
    expect((await post({ bookingId, scheduleId })).status).toBe(201);
  });

  it('a cancelled installment cannot be invoiced', async () => {
    const { id: bookingId, scheduleIds } = await sell(app, { plan: [30_000, 70_000] });
    await app.sql(
      `with gone as (update payment_schedules set status = 'cancelled' where id = $1)
       update payment_schedules set amount_cents = 100000 where id = $2`,
      [scheduleIds[0], scheduleIds[1]],
    );
    const { status, body } = await post({ bookingId, scheduleId: scheduleIds[0] });
    expect([status, body]).toEqual([409, problem('schedule_cancelled')]);
    expect((await draft(owner, { bookingId, scheduleId: scheduleIds[1] })).totalCents).toBe(100_000);
  });

  it('the total of a booking cannot become less than its invoices: 409 booking_invoiced', async () => {
    const [{ id }, seat] = [await sell(app, { items: [] }), { type: 'unit', title: 'Seat', unitSellCents: 1_000 }];
    const items = `/v1/admin/bookings/${id}/items`;
    const add = async () => (await owner.post<{ data: { id: string } }>(items, seat)).body.data.id;
    const [first, second] = [await add(), await add()];
    const bill = await draft(owner, { bookingId: id, lines: [line(1_500)] });
    const dearer = await owner.patch(`${items}/${first}`, { unitSellCents: 1_100 });
    const cheaper = await owner.patch(`${items}/${first}`, { unitSellCents: 499 });
    const without = await owner.post(`${items}/${second}/cancellation`, { reason: 'Ill' });
    expect([dearer.status, cheaper.status, cheaper.body, without.status, without.body]).toEqual([
      200,
      409,
      problem('booking_invoiced', { invoicedCents: 1_500, totalCents: 1_499 }),
      409,
      problem('booking_invoiced', { invoicedCents: 1_500, totalCents: 1_100 }),
    ]);
    await voiding(owner, bill.id);
    expect((await owner.post(`${items}/${second}/cancellation`, { reason: 'Ill' })).status).toBe(200);
  });

  it('concurrent changes of invoices and booking never leave more invoiced than the total', async () => {
    for (let round = 0; round < 6; round += 1) {
      const [{ id }, seat] = [await sell(app, { items: [] }), { type: 'unit', title: 'Seat', unitSellCents: 1_000 }];
      const items = `/v1/admin/bookings/${id}/items`;
      const { body } = await owner.post<{ data: { id: string } }>(items, seat);
      const [made, changed] = await Promise.all([
        post({ bookingId: id, lines: [line(1_000)] }),
        owner.patch(`${items}/${body.data.id}`, { unitSellCents: 999 }),
      ]);
      expect([
        [201, 409],
        [422, 200],
      ]).toContainEqual([made.status, changed.status]);
    }
  });
});
