import { beforeAll, describe, expect, it } from '@jest/globals';
import { startApp, type TestApp } from '../../setup/app.js';
import type { TestClient } from '../../setup/client.js';
import type { Answer } from '../../setup/http.js';
import { bookingWith, installmentsOf, received } from './bookings.js';
import { type Envelope, retryWhileBusy, type Payment, PAYMENTS, read, recorded, reverse } from './payments.js';

let app: TestApp;
let owner: TestClient;

beforeAll(async () => {
  app = await startApp();
  owner = app.as('owner');
});

const TWO = [
  ['2026-03-01', 30_000],
  ['2026-05-02', 70_001],
] as const;
const TOTAL = 100_001;

const together = <Body>(count: number, call: (index: number) => Promise<Answer<Body>>) =>
  Promise.all(Array.from({ length: count }, (_, index) => retryWhileBusy(() => call(index))));
const sum = (numbers: readonly number[]) => numbers.reduce((total, number) => total + number, 0);

async function paidOf(bookingId: string): Promise<number> {
  return sum((await installmentsOf(app, bookingId)).map(({ paid }) => paid));
}

describe('concurrent payments for bookings', () => {
  it('two concurrent payments of 60 % leave the booking paid and 20 % unapplied', async () => {
    const { id } = await bookingWith(app, { installments: [['2026-03-01', 1000]] });
    const answers = await together(2, () => owner.post<Envelope>(PAYMENTS, received(id, 600)));
    expect(answers.map(({ status }) => status)).toEqual([201, 201]);
    expect(answers.map(({ body }) => body.data.unappliedCents).sort()).toEqual([0, 200]);
    expect(await installmentsOf(app, id)).toEqual([{ status: 'paid', paid: 1000 }]);
  });

  it('fifty concurrent payments settle a booking exactly, and the excess stays unapplied', async () => {
    const { id } = await bookingWith(app, { installments: TWO });
    const answers = await together(50, () => owner.post<Envelope>(PAYMENTS, received(id, 2501)));
    expect(answers.map(({ status }) => status)).toEqual(Array<number>(50).fill(201));
    expect(await installmentsOf(app, id)).toEqual([
      { status: 'paid', paid: 30_000 },
      { status: 'paid', paid: 70_001 },
    ]);
    const unapplied = answers.map(({ body }) => body.data.unappliedCents);
    expect(sum(unapplied)).toBe(50 * 2501 - TOTAL);
  });

  it('concurrent allocations to one installment never over-allocate it', async () => {
    const { id, schedules } = await bookingWith(app, { installments: TWO });
    const allocations = [{ scheduleId: schedules[0], amountCents: 4000 }];
    const answers = await together(12, () => owner.post(PAYMENTS, received(id, 5000, { allocations })));
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(7);
    expect(answers.filter(({ status }) => status === 422)).toHaveLength(5);
    expect((await installmentsOf(app, id)).map(({ paid }) => paid)).toEqual([28_000, 0]);
  });

  it('concurrent reversals of a payment are one 200, the others 409', async () => {
    const { id } = await bookingWith(app, { installments: TWO });
    const payment = await recorded(owner, received(id, TOTAL));
    const answers = await together(8, () => reverse(owner, payment.id));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array<number>(7).fill(409)]);
    expect(await paidOf(id)).toBe(0);
  });

  it('concurrent requests with the same Idempotency-Key record one payment', async () => {
    const { id } = await bookingWith(app, { installments: TWO });
    const headers = { 'Idempotency-Key': `received-once-${id}` };
    await together(5, () => owner.post(PAYMENTS, received(id, 700), { headers }));
    const { status, headers: answered } = await owner.post(PAYMENTS, received(id, 700), { headers });
    expect([status, answered['idempotent-replayed']]).toEqual([201, 'true']);
    expect(await paidOf(id)).toBe(700);
  });

  it('concurrent payments, allocations, deallocations and reversals end without a deadlock and lose no money', async () => {
    const bookings = await Promise.all([1, 2, 3].map(() => bookingWith(app, { installments: TWO })));
    const payments: Payment[] = [];
    for (const { id } of bookings) {
      for (const amount of [10_000, 25_000, 90_000]) payments.push(await recorded(owner, received(id, amount)));
    }
    const calls = payments.flatMap((payment, index) => {
      const path = `${PAYMENTS}/${payment.id}/allocations`;
      const booking = bookings[index % 3]?.id ?? '';
      return [
        () => reverse(owner, payment.id),
        () => owner.post(path),
        () => owner.delete(`${path}/${payment.allocations[0]?.id}`),
        () => owner.post(PAYMENTS, received(booking, 3333 + index)),
      ];
    });
    // A different order in each iteration of the loop, the same in every run of the test.
    const shuffled = calls.map((call, index) => ({ call, key: (index * 7919) % 31 })).sort((a, b) => a.key - b.key);
    const answers = await Promise.all(shuffled.map(({ call }) => retryWhileBusy<Answer>(call)));

    expect(answers.filter(({ status }) => ![200, 201, 409].includes(status))).toEqual([]);
    for (const { id } of bookings) {
      const [money] = await app.sql<{ received: number; unapplied: number }>(
        `select coalesce(sum(amount_cents), 0)::int as received, coalesce(sum(unapplied_cents), 0)::int as unapplied
         from payments where booking_id = $1 and status = 'completed'`,
        [id],
      );
      expect((money?.received ?? 0) - (money?.unapplied ?? 0)).toBe(await paidOf(id));
    }
    for (const { id } of payments) {
      const { amountCents, unappliedCents, allocations } = await read(owner, id);
      expect(amountCents - unappliedCents).toBe(sum(allocations.map((one) => one.amountCents)));
    }
  });
});
