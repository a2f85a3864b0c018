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
const issue = (id: string) => owner.post(`${PATH}/${id}/issuance`);
const line = (unitPriceCents: number) => ({ description: 'By hand', unitPriceCents });

describe('the invoiced amount of a booking', () => {
  it('drafts reserve nothing, and issued invoices cannot exceed the total: 422 invoice_exceeds_booking', async () => {
    const { id: bookingId } = await sell(app, { items: [{ unitSellCents: 1_000 }] });
    const first = await draft(owner, { bookingId, lines: [line(600)] });
    const second = await draft(owner, { bookingId, lines: [line(401)] });
    expect((await issue(first.id)).status).toBe(200);
    const { status, body } = await issue(second.id);
    const details = { field: 'totalCents', bookingTotalCents: 1_000, invoicedCents: 600, totalCents: 401 };
    expect([status, body]).toEqual([422, problem('invoice_exceeds_booking', details)]);
    expect((await post({ bookingId, lines: [line(401)] })).status).toBe(422);
    expect((await voiding(owner, first.id)).status).toBe(200);
    expect((await issue(second.id)).status).toBe(200);
  });

  it('concurrent invoices of a booking never exceed its total', async () => {
    const { id: bookingId } = await sell(app, { items: [{ unitSellCents: 1_000 }] });
    const drafts = await Promise.all(Array.from({ length: 12 }, () => draft(owner, { bookingId, lines: [line(300)] })));
    const answers = await Promise.all(drafts.map(({ id }) => issue(id)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 200, ...Array<number>(9).fill(422)]);
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

  it('a booking may cost less than its issued invoices', async () => {
    const [{ id }, seat] = [await sell(app, { items: [] }), { type: 'unit', title: 'Seat', unitSellCents: 1_000 }];
    const items = `/v1/admin/bookings/${id}/items`;
    const add = async () => (await owner.post<{ data: { id: string } }>(items, seat)).body.data.id;
    const [first, second] = [await add(), await add()];
    const bill = await draft(owner, { bookingId: id, lines: [line(1_500)] });
    expect((await issue(bill.id)).status).toBe(200);
    expect((await owner.patch(`${items}/${first}`, { unitSellCents: 499 })).status).toBe(200);
    expect((await owner.post(`${items}/${second}/cancellation`, { reason: 'Ill' })).status).toBe(200);
  });

  it('an invoice that is issued while the price falls is issued before, or rejected', async () => {
    for (let round = 0; round < 6; round += 1) {
      const [{ id }, seat] = [await sell(app, { items: [] }), { type: 'unit', title: 'Seat', unitSellCents: 1_000 }];
      const items = `/v1/admin/bookings/${id}/items`;
      const { body } = await owner.post<{ data: { id: string } }>(items, seat);
      const bill = await draft(owner, { bookingId: id, lines: [line(1_000)] });
      const [issued, changed] = await Promise.all([
        issue(bill.id),
        owner.patch(`${items}/${body.data.id}`, { unitSellCents: 999 }),
      ]);
      expect(changed.status).toBe(200);
      expect([200, 422]).toContain(issued.status);
    }
  });
});
