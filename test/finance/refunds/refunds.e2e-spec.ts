import { beforeAll, describe, expect, it } from '@jest/globals';
import { startApp, type TestApp } from '../../setup/app.js';
import type { TestClient } from '../../setup/client.js';
import { problem, staffWith } from '../invoices.js';
import { bookingWith, installmentsOf, received } from '../payments/bookings.js';
import { type Envelope, type Payment, PAYMENTS, read, recorded, reverse } from '../payments/payments.js';

const FINANCE = '/v1/admin/finance';

let app: TestApp;
let owner: TestClient;

beforeAll(async () => {
  app = await startApp();
  owner = app.as('owner');
});

const ONE = [['2027-05-02', 50_000]] as const;

const refund = (bookingId: string, amountCents: number, over: object = {}) =>
  owner.post<Envelope>(`${FINANCE}/bookings/${bookingId}/refunds`, {
    amountCents,
    method: 'bank_transfer',
    reason: 'Paid too much',
    ...over,
  });

async function requested(bookingId: string, amountCents: number): Promise<Payment> {
  const { status, body } = await refund(bookingId, amountCents);
  expect(status).toBe(201);
  return body.data;
}

const complete = (id: string, paidOn = '2026-03-01') =>
  owner.post<Envelope>(`${FINANCE}/refunds/${id}/completion`, { paidOn, reference: 'SEPA 9' });

/** Returns the payments of the booking that the customer owes, and the others. */
const uncoveredOf = (bookingId: string) =>
  Promise.all(
    [true, false].map(async (uncovered) => {
      const path = `${PAYMENTS}?bookingId=${bookingId}&uncovered=${uncovered}`;
      return (await owner.get<{ data: Payment[] }>(path)).body.data.map(({ id }) => id);
    }),
  );

const transfer = (from: string, to: string, amountCents: number) =>
  owner.post<{ data: Record<string, unknown> }>(`${FINANCE}/bookings/${from}/transfers`, {
    toBookingId: to,
    amountCents,
    reason: 'Booked another tour',
  });

/** Two bookings of one customer. */
async function pair(installments: readonly (readonly [string, number])[] = ONE): Promise<[string, string]> {
  const ids = [(await bookingWith(app, { installments })).id, (await bookingWith(app, { installments })).id] as const;
  await app.sql(
    `update bookings set customer_email = case when id = $1 then 'ada@example.com' else 'Ada@Example.com' end
    where id = any($2)`,
    [ids[0], ids],
  );
  return [...ids];
}

describe('a refund', () => {
  it('a refund reserves unapplied money, is completed with the scope finance:refund, and leaves the account', async () => {
    const { id } = await bookingWith(app, { installments: ONE });
    const receipt = await recorded(owner, received(id, 80_000));
    const made = await requested(id, 10_000);
    expect(made).toMatchObject({ kind: 'refund', direction: 'out', status: 'requested', coveredCents: 10_000 });
    expect(made).toMatchObject({ unappliedCents: 0, dueOn: expect.any(String), reason: 'Paid too much' });
    expect((await read(owner, receipt.id)).unappliedCents).toBe(20_000);

    const clerk = await staffWith(app, 'finance:*');
    const denied = await clerk.post(`${FINANCE}/refunds/${made.id}/completion`, { paidOn: '2026-03-01' });
    expect(denied.status).toBe(403);
    const done = await complete(made.id);
    expect([done.status, done.body.data]).toMatchObject([200, { status: 'completed', paidOn: '2026-03-01' }]);
    const again = await complete(made.id);
    expect([again.status, again.body]).toMatchObject([409, { code: 'invalid_transition' }]);
  });

  it('more than the unapplied money is rejected with 422 over_refunded', async () => {
    const { id } = await bookingWith(app, { installments: ONE });
    await recorded(owner, received(id, 50_100));
    const { status, body } = await refund(id, 101);
    expect([status, body]).toEqual([422, problem('over_refunded', { field: 'amountCents', available: 100 })]);
  });

  it('of two concurrent refunds of the last money one is requested and one is rejected', async () => {
    const { id } = await bookingWith(app, { installments: ONE });
    await recorded(owner, received(id, 60_000));
    const answers = await Promise.all([refund(id, 10_000), refund(id, 10_000)]);
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 422]);
  });

  it('a failed refund makes its money unapplied again, which settles what is owed', async () => {
    const { id } = await bookingWith(app, { installments: ONE });
    await recorded(owner, received(id, 60_000));
    const made = await requested(id, 10_000);
    await app.sql(
      `with item as (update booking_items set unit_sell_cents = 55000, total_sell_cents = 55000 where booking_id = $1),
         booking as (update bookings set total_cents = 55000 where id = $1)
       update payment_schedules set amount_cents = 55000, status = 'pending' where booking_id = $1`,
      [id],
    );
    const failed = await owner.post<Envelope>(`${FINANCE}/refunds/${made.id}/failure`, { reason: 'Account closed' });
    expect(failed.body.data).toMatchObject({ status: 'failed', coveredCents: 0, failureReason: 'Account closed' });
    expect(await installmentsOf(app, id)).toEqual([{ status: 'paid', paid: 55_000 }]);
  });

  it('a card refund names its receipt and stays within its rest', async () => {
    const { id } = await bookingWith(app, { installments: ONE });
    const first = await recorded(owner, received(id, 50_700));
    await recorded(owner, received(id, 900));
    expect((await refund(id, 100, { method: 'card' })).status).toBe(400);
    const over = await refund(id, 701, { method: 'card', paymentId: first.id });
    expect([over.status, over.body]).toEqual([422, problem('over_refunded', { field: 'amountCents', available: 700 })]);
    expect((await refund(id, 700, { method: 'card', paymentId: first.id })).body.data).toMatchObject({
      receiptId: first.id,
    });
  });

  it('a receipt that is reversed after its refund leaves an uncovered refund, which money covers after the open installments', async () => {
    const { id } = await bookingWith(app, { installments: ONE });
    const first = await recorded(owner, received(id, 60_000));
    const made = await requested(id, 10_000);
    await complete(made.id);
    const bounced = await owner.post<Envelope>(`${PAYMENTS}/${first.id}/reversal`, {
      reason: 'No money',
      kind: 'bounced',
      reversedOn: '2026-02-01',
    });
    expect(bounced.body.data).toMatchObject({ reversalKind: 'bounced', reversedOn: '2026-02-01' });
    expect(await read(owner, made.id)).toMatchObject({ status: 'completed', coveredCents: 0 });
    expect(await uncoveredOf(id)).toEqual([[made.id], [first.id]]);

    await recorded(owner, received(id, 52_000));
    expect(await installmentsOf(app, id)).toEqual([{ status: 'paid', paid: 50_000 }]);
    expect(await read(owner, made.id)).toMatchObject({ coveredCents: 2_000 });
    await recorded(owner, received(id, 8_000));
    expect(await read(owner, made.id)).toMatchObject({ coveredCents: 10_000 });
    expect((await uncoveredOf(id))[0]).toEqual([]);
  });

  it('a requested refund fails when its receipt is reversed', async () => {
    const { id } = await bookingWith(app, { installments: ONE });
    const first = await recorded(owner, received(id, 60_000));
    const made = await requested(id, 10_000);
    expect((await reverse(owner, first.id)).status).toBe(200);
    expect(await read(owner, made.id)).toMatchObject({ status: 'failed', coveredCents: 0 });
  });

  it('a completed refund that comes back is reversed, and its money is unapplied again', async () => {
    const { id } = await bookingWith(app, { installments: ONE });
    const receipt = await recorded(owner, received(id, 60_000));
    const made = await requested(id, 10_000);
    await complete(made.id);
    expect((await reverse(owner, made.id)).body.data).toMatchObject({ status: 'reversed', coveredCents: 0 });
    expect((await read(owner, receipt.id)).unappliedCents).toBe(10_000);
  });
});

describe('a transfer', () => {
  it('a transfer moves unapplied money to another booking of the customer, where it settles what is owed', async () => {
    const [from, to] = await pair();
    await recorded(owner, received(from, 70_000));
    const { status, body } = await transfer(from, to, 15_000);
    expect([status, body.data]).toMatchObject([201, { amountCents: 15_000, status: 'completed' }]);
    expect(await installmentsOf(app, to)).toEqual([{ status: 'pending', paid: 15_000 }]);
    const half = await reverse(owner, String(body.data['toPaymentId']));
    expect([half.status, half.body]).toMatchObject([409, { code: 'payment_is_transfer' }]);

    const back = `${FINANCE}/transfers/${String(body.data['id'])}/reversal`;
    const used = await owner.post(back, { reason: 'Wrong' });
    expect([used.status, used.body]).toEqual([409, problem('transfer_used', { unappliedCents: 0 })]);
    await recorded(owner, received(to, 50_000));
    expect((await owner.post(back, { reason: 'Wrong' })).status).toBe(200);
    expect(await installmentsOf(app, to)).toEqual([{ status: 'paid', paid: 50_000 }]);
    expect((await refund(from, 20_000)).status).toBe(201);
  });

  it('a transfer can be read and is listed for both of its bookings, also after it was reversed', async () => {
    const [from, to] = await pair();
    await recorded(owner, received(from, 70_000));
    await recorded(owner, received(to, 50_000));
    const made = await transfer(from, to, 15_000);
    const { id } = made.body.data;
    const path = `${FINANCE}/transfers/${String(id)}`;
    expect(made.headers['location']).toBe(path);
    expect((await owner.get(path)).body).toEqual({ data: made.body.data });
    await transfer(from, to, 100);
    await owner.post(`${path}/reversal`, { reason: 'Wrong' });
    const listed = async (query: string) => {
      const { status, body } = await owner.get<{ data: { id: string }[]; total: number }>(
        `${FINANCE}/transfers?${query}`,
      );
      expect([status, body.total]).toEqual([200, body.data.length]);
      return body.data;
    };
    for (const bookingId of [from, to]) expect(await listed(`bookingId=${bookingId}`)).toHaveLength(2);
    expect(await listed(`bookingId=${from}&status=reversed`)).toMatchObject([
      { id, status: 'reversed', reversedOn: expect.any(String), fromBookingId: from, toBookingId: to },
    ]);
    expect((await owner.get(`${FINANCE}/transfers/ptrf_01k0dem000e000000000009999`)).status).toBe(404);
  });

  it('of a transfer and a refund of the last money at the same time one is rejected with 422 over_refunded', async () => {
    const [from, to] = await pair();
    await recorded(owner, received(from, 60_000));
    const answers = await Promise.all([transfer(from, to, 10_000), refund(from, 10_000)]);
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 422]);
    expect(answers.find(({ status }) => status === 422)?.body).toEqual(
      problem('over_refunded', { field: 'amountCents', available: 0 }),
    );
  });

  it('a transfer to a booking of another or an unknown customer is rejected with 409 customer_mismatch', async () => {
    const [from, to] = await pair();
    await recorded(owner, received(from, 70_000));
    await app.sql('update bookings set customer_email = null where id = $1', [to]);
    const { status, body } = await transfer(from, to, 1);
    expect([status, body]).toEqual([409, problem('customer_mismatch')]);
    expect((await transfer(from, from, 1)).status).toBe(400);
  });

  it('transfers in opposite directions at once do not block each other', async () => {
    const [one, other] = await pair();
    await Promise.all([one, other].map((id) => recorded(owner, received(id, 90_000))));
    const moves = Array.from({ length: 6 }, (_, n) => (n % 2 === 0 ? [one, other] : [other, one]));
    const answers = await Promise.all(moves.map(([from = '', to = '']) => transfer(from, to, 1_000)));
    expect(answers.map(({ status }) => status)).toEqual(moves.map(() => 201));
  });
});

describe('the day of a payment', () => {
  it.each(['2025-01-01', '2099-01-01'])(
    'a payment on %s is rejected with 422 paid_on_out_of_bounds',
    async (paidOn) => {
      const { id } = await bookingWith(app, { installments: ONE });
      const { status, body } = await owner.post(PAYMENTS, received(id, 5, { paidOn }));
      expect([status, body]).toMatchObject([422, { code: 'paid_on_out_of_bounds' }]);
      expect(body).toMatchObject({ details: { earliest: expect.any(String), latest: expect.any(String) } });
    },
  );

  it('a reversal before its payment is rejected with 422 paid_on_out_of_bounds', async () => {
    const { id } = await bookingWith(app, { installments: ONE });
    const payment = await recorded(owner, received(id, 5));
    const answer = await owner.post(`${PAYMENTS}/${payment.id}/reversal`, { reason: 'x', reversedOn: '2026-01-14' });
    expect([answer.status, answer.body]).toMatchObject([422, { code: 'paid_on_out_of_bounds' }]);
  });
});
