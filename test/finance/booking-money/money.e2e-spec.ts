import { beforeAll, describe, expect, it } from '@jest/globals';
import { startApp, type TestApp } from '../../setup/app.js';
import type { TestClient } from '../../setup/client.js';
import { insertRates } from '../exchange-rates/rates.js';
import { bookingWith, installmentsOf, type MadeBooking, received } from '../payments/bookings.js';
import { type Envelope, PAYMENTS, recorded } from '../payments/payments.js';

const FINANCE = '/v1/admin/finance';

let app: TestApp;
let owner: TestClient;

beforeAll(async () => {
  app = await startApp();
  owner = app.as('owner');
  await insertRates(app, ['JPY', 'KWD']);
});

const THREE = [
  ['2026-05-02', 50_000],
  ['2026-01-10', 20_000],
  ['2027-05-01', 30_000],
] as const;

type Money = Record<string, number>;

async function moneyOf(bookingId: string, query = ''): Promise<Money> {
  const { status, body } = await owner.get<{ data: Money }>(`${FINANCE}/bookings/${bookingId}/money${query}`);
  expect(status).toBe(200);
  return body.data;
}

const patch = (bookingId: string, scheduleId: string, body: object) =>
  owner.patch(`${FINANCE}/bookings/${bookingId}/payment-schedules/${scheduleId}?rebalance=none`, body);

const waive = (bookingId: string, scheduleId: string) =>
  patch(bookingId, scheduleId, { status: 'cancelled', waiveReason: 'Goodwill' });

async function reprice(bookingId: string, unitSellCents: number): Promise<void> {
  const [item] = await app.sql<{ id: string }>('select id from booking_items where booking_id = $1', [bookingId]);
  const path = `/v1/admin/bookings/${bookingId}/items/${item?.id ?? ''}`;
  expect((await owner.patch(path, { unitSellCents })).status).toBe(200);
}

async function invoice(bookingId: string, body: object): Promise<string> {
  const made = await owner.post<{ data: { id: string } }>(`${FINANCE}/invoices`, { bookingId, ...body });
  expect(made.status).toBe(201);
  expect((await owner.post(`${FINANCE}/invoices/${made.body.data.id}/issuance`)).status).toBe(200);
  return made.body.data.id;
}

/**
 * Checks the balance equation against the allocations and the histories, and that no money stays unapplied while a debt is
 * open.
 */
async function assertIdentity(bookingId: string): Promise<void> {
  const money = await moneyOf(bookingId);
  const asOf = app.day();
  expect(await moneyOf(bookingId, `?asOf=${asOf}`)).toEqual({ ...money, asOf });
  const term = (name: string) => money[name] ?? Number.NaN;
  expect(term('balanceCents')).toBe(
    term('outstandingCents') +
      term('uncoveredRefundCents') -
      term('unappliedCents') -
      term('reservedCents') -
      term('invoiceOnlyCents'),
  );
  const [found] = await app.sql<{ cents: number }>(
    `select coalesce(sum(signed_cents), 0)::float8 as cents from payment_allocations
     where schedule_id is null and invoice_id in (select id from invoices where booking_id = $1)`,
    [bookingId],
  );
  expect(term('invoiceOnlyCents')).toBe(found?.cents);
  const [waiting] = await app.sql<{ cents: number }>(
    `select coalesce(sum(unapplied_cents), 0)::float8 as cents from payments
     where booking_id = $1 and status = 'completed' and auto_apply`,
    [bookingId],
  );
  const owed = term('outstandingCents') + term('uncoveredRefundCents');
  expect(owed === 0 || (waiting?.cents === 0 && found?.cents === 0)).toBe(true);
}

describe('the account of a booking', () => {
  it('money that was paid too much settles an amendment at once, and the rest stays unapplied', async () => {
    const { id } = await bookingWith(app, { installments: [['2027-05-02', 100_000]] });
    await recorded(owner, received(id, 150_000));
    await reprice(id, 120_000);
    expect(await moneyOf(id)).toMatchObject({ outstandingCents: 0, unappliedCents: 30_000, balanceCents: -30_000 });
  });

  it('a price cut under what is billed and paid leaves credit due, and its money unapplied', async () => {
    const { id } = await bookingWith(app, { installments: [['2027-05-02', 300_000]] });
    await invoice(id, {});
    await recorded(owner, received(id, 300_000));
    await reprice(id, 200_000);
    expect(await moneyOf(id)).toMatchObject({
      claimCents: 200_000,
      billedCents: 300_000,
      creditDueCents: 100_000,
      roomCents: 0,
      unappliedCents: 100_000,
      balanceCents: -100_000,
      documents: [{ paidCents: 200_000, balanceCents: 100_000 }],
    });
  });

  it('an installment that is restored after it was waived takes the money that was paid on its invoice meanwhile', async () => {
    const { id, schedules } = await bookingWith(app, { installments: THREE });
    const [first = ''] = schedules;
    const invoiceId = await invoice(id, {});
    const waived = await waive(id, first);
    expect([waived.status, waived.body]).toMatchObject([200, { data: { waived: true, waiveReason: 'Goodwill' } }]);
    expect(await moneyOf(id)).toMatchObject({ claimCents: 50_000, creditDueCents: 50_000, billedCents: 100_000 });
    const allocations = [{ invoiceId, amountCents: 65_000 }];
    await recorded(owner, received(id, 65_000, { allocations }));
    expect(await moneyOf(id)).toMatchObject({ unappliedCents: 15_000, invoiceOnlyCents: 0, outstandingCents: 0 });
    expect((await patch(id, first, { status: 'pending' })).status).toBe(200);
    expect(await moneyOf(id)).toMatchObject({ unappliedCents: 0, outstandingCents: 35_000 });
    expect((await installmentsOf(app, id))[0]).toEqual({ status: 'pending', paid: 15_000 });
  });

  it('money for a draft booking without a plan pays its invoice', async () => {
    const { id } = await bookingWith(app, { status: 'draft' });
    await recorded(owner, received(id, 30_000));
    await invoice(id, {});
    expect(await moneyOf(id)).toMatchObject({ claimCents: 100_000, documents: [{ paidCents: 30_000 }] });
    await recorded(owner, received(id, 80_000));
    expect(await moneyOf(id)).toMatchObject({ unappliedCents: 10_000, documents: [{ status: 'paid' }] });
  });

  it('money whose allocation was released waits until it is applied again', async () => {
    const { id } = await bookingWith(app, { installments: [['2027-05-02', 10_000]] });
    const payment = await recorded(owner, received(id, 10_000));
    const path = `${PAYMENTS}/${payment.id}/allocations`;
    const freed = await owner.delete<Envelope>(`${path}/${payment.allocations[0]?.id ?? ''}`);
    expect(freed.body.data).toMatchObject({ unappliedCents: 10_000, autoApply: false });
    await recorded(owner, received(id, 1_000));
    expect(await installmentsOf(app, id)).toEqual([{ status: 'pending', paid: 1_000 }]);
    expect((await owner.post<Envelope>(path)).body.data).toMatchObject({ unappliedCents: 1_000, autoApply: true });
  });

  it.each([
    [1, 'EUR'],
    [2, 'EUR'],
    [3, 'JPY'],
    [4, 'KWD'],
  ])(
    'waiving, paying, restoring, refunding and repricing in any order keep the identity (seed %i, %s)',
    async (seed, currency) => {
      let state = seed * 7919;
      const next = (count: number) => {
        state = (state * 48_271) % 2_147_483_647;
        return state % count;
      };
      const made: MadeBooking = await bookingWith(app, { installments: THREE, currency });
      const { id, schedules } = made;
      await invoice(id, { scheduleId: schedules[2] });
      const payments: string[] = [];
      const refunds: string[] = [];
      const any = (ids: string[]) => ids[next(Math.max(1, ids.length))] ?? 'pay_01k0dem000e000000000009999';
      const steps = [
        async () => payments.push((await recorded(owner, received(id, 1 + next(60_000), { currency }))).id),
        async () => waive(id, any(schedules)),
        async () => patch(id, any(schedules), { status: 'pending' }),
        async () => reprice(id, 40_000 + next(100_000)),
        async () => owner.post(`${PAYMENTS}/${any(payments)}/reversal`, { reason: 'x' }),
        async () => {
          const body = { amountCents: 1 + next(9_000), method: 'cash', reason: 'x' };
          const answer = await owner.post<Envelope>(`${FINANCE}/bookings/${id}/refunds`, body);
          if (answer.status === 201) refunds.push(answer.body.data.id);
        },
        async () => owner.post(`${FINANCE}/refunds/${any(refunds)}/completion`, { paidOn: '2026-03-01' }),
        async () => owner.post(`${FINANCE}/refunds/${any(refunds)}/failure`, { reason: 'x' }),
      ];
      for (let step = 0; step < 24; step += 1) {
        await steps[next(steps.length)]?.();
        await assertIdentity(id);
      }
    },
  );
});

describe('the credit of customers', () => {
  it('unapplied money is listed by customer and currency, with what the customer owes elsewhere', async () => {
    const paid = await bookingWith(app, { installments: [['2027-05-02', 1_000]] });
    const open = await bookingWith(app, { installments: [['2027-05-02', 7_000]] });
    const email = `${paid.id}@example.com`;
    await app.sql(
      'update bookings set customer_email = case when id = $1 then upper($3) else $3 end where id in ($1, $2)',
      [paid.id, open.id, email],
    );
    await recorded(owner, received(paid.id, 1_500));
    const path = `${FINANCE}/customer-credit?customerEmail=${encodeURIComponent(email)}`;
    const { body } = await owner.get(path);
    expect(body).toMatchObject({
      total: 1,
      data: [
        {
          customerEmail: email.toLowerCase(),
          currency: 'EUR',
          unappliedCents: 500,
          debtCents: 7_000,
          bookings: [{ bookingId: paid.id, unappliedCents: 500 }],
        },
      ],
    });
    expect((await owner.get(`${path}&matchesDebt=true`)).body).toMatchObject({ total: 1 });
    await recorded(owner, received(open.id, 7_000));
    expect((await owner.get(`${path}&matchesDebt=true`)).body).toMatchObject({ total: 0, data: [] });
  });
});
