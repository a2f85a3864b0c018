/** @jest-environment-options {"application":"shared"} */
import { beforeAll, describe, expect, it } from '@jest/globals';
import { MONEY_CHECKS } from '../../../src/modules/finance/reports/money-checks.js';
import { startApp, type TestApp } from '../../setup/app.js';
import type { TestClient } from '../../setup/client.js';
import { issuedNote, useOwnSeries } from '../credit-notes/crediting.js';
import { addItem, book, change, confirm, days, POLICY, schedulesOf } from '../payment-plans/plans.js';
import { received } from '../payments/bookings.js';
import { invoicing } from '../payments/invoiced.js';
import { read, recorded } from '../payments/payments.js';

const FINANCE = '/v1/admin/finance';
const BOOKINGS = '/v1/admin/bookings';

let app: TestApp;
let owner: TestClient;
const { issued, balanceOf } = invoicing(() => owner);

beforeAll(async () => {
  app = await startApp();
  owner = app.as('owner');
  await useOwnSeries(owner);
});

/** A confirmed booking with a deposit of 30 % today and the rest before the departure. */
async function sold(sale: Sale): Promise<Sold> {
  const booking = await quoted(sale);
  await confirm(owner, booking.id);
  return { ...booking, schedules: (await schedulesOf(owner, booking.id)).map((one) => one.id) };
}

/** The same before its confirmation; it has no plan. */
async function quoted({ prices, currency = 'EUR', paymentPolicy = POLICY }: Sale): Promise<Sold> {
  const id = await book(owner, { prices: [], currency, startDate: days(app.day(), 200), paymentPolicy });
  const items: string[] = [];
  for (const price of prices) items.push(await addItem(owner, id, price));
  return { id, currency, items, schedules: [] };
}

interface Sale {
  prices: readonly number[];
  currency?: string;
  paymentPolicy?: object | null;
}

interface Sold {
  id: string;
  currency: string;
  items: string[];
  schedules: string[];
}

const pay = ({ id, currency }: Sold, amountCents: number, over: Record<string, unknown> = {}) =>
  recorded(owner, { ...received(id, amountCents, over), currency });

async function cancelItem({ id, items }: Sold, index: number): Promise<void> {
  const path = `${BOOKINGS}/${id}/items/${items[index]}/cancellation`;
  expect((await owner.post(path, { reason: 'Ill' })).status).toBe(200);
}

async function moneyOf({ id }: Sold): Promise<Record<string, unknown>> {
  return (await owner.get<{ data: Record<string, unknown> }>(`${FINANCE}/bookings/${id}/money`)).body.data;
}

/** The rules of the integrity report about the money of customers that the booking breaks. */
async function brokenRules({ id }: Sold): Promise<string[]> {
  const names: string[] = [];
  for (const { name, broken } of MONEY_CHECKS) {
    if ((await app.sql(`select from (${broken}) violation where id = $1`, [id])).length > 0) names.push(name);
  }
  return names;
}

const NOTHING_OPEN = {
  balanceCents: 0,
  outstandingCents: 0,
  unappliedCents: 0,
  invoiceOnlyCents: 0,
  creditDueCents: 0,
};

describe('a booking that is paid and billed in full', () => {
  it.each(['EUR', 'JPY', 'KWD'])(
    'a booking in %s that is paid and billed in full has no open invoice, although an installment was credited',
    async (currency) => {
      const booking = await quoted({ prices: [50_000], currency });
      const quantity = (count: number) =>
        owner.patch(`${BOOKINGS}/${booking.id}/items/${booking.items[0]}`, { quantity: count });
      expect((await quantity(2)).status).toBe(200);
      await confirm(owner, booking.id);
      const [first, second] = await schedulesOf(owner, booking.id);
      const deposit = await issued(booking.id, { scheduleId: first?.id });
      const balance = await issued(booking.id, { scheduleId: second?.id });
      expect([deposit['totalCents'], balance['totalCents']]).toEqual([30_000, 70_000]);
      expect((await quantity(1)).status).toBe(200);
      await issuedNote(owner, deposit, { lines: [{ linePosition: 1, amountCents: 30_000 }] });
      await issuedNote(owner, balance, { lines: [{ linePosition: 1, amountCents: 20_000 }] });
      await pay(booking, 50_000);
      expect(await moneyOf(booking)).toMatchObject({ ...NOTHING_OPEN, billedCents: 50_000, claimCents: 50_000 });
      expect(await balanceOf(balance.id)).toEqual({ status: 'paid', paidCents: 50_000 });
      const receivables = `${FINANCE}/reports/receivables?basis=document&groupBy=booking&currency=${currency}&limit=200`;
      const { body } = await owner.get<{ data: { bookingId: string }[] }>(receivables);
      expect(body.data.filter(({ bookingId }) => bookingId === booking.id)).toEqual([]);
      expect(await brokenRules(booking)).toEqual([]);
    },
  );

  it('money of an installment that was paid before counts on the invoice of another one as soon as that does not need it', async () => {
    const booking = await sold({ prices: [100_000] });
    const [first = '', second = ''] = booking.schedules;
    const balance = await issued(booking.id, { scheduleId: second });
    await pay(booking, 30_000);
    expect(await balanceOf(balance.id)).toEqual({ status: 'issued', paidCents: 0 });
    expect((await change(owner, { bookingId: booking.id, id: second }, [WAIVED, '?rebalance=none'])).status).toBe(200);
    expect(await balanceOf(balance.id)).toEqual({ status: 'partially_paid', paidCents: 30_000 });
    await issuedNote(owner, balance, { reason: 'booking_changed' });
    expect(await moneyOf(booking)).toMatchObject({ ...NOTHING_OPEN, billedCents: 30_000 });
    expect((await schedulesOf(owner, booking.id)).find(({ id }) => id === first)?.status).toBe('paid');
    expect(await brokenRules(booking)).toEqual([]);
  });

  it("an installment's own invoice comes first, also if another installment was paid before", async () => {
    const booking = await sold({ prices: [100_000] });
    const payment = await pay(booking, 100_000);
    const deposit = await issued(booking.id, { scheduleId: booking.schedules[0] });
    const balance = await issued(booking.id, { scheduleId: booking.schedules[1] });
    const { allocations } = await read(owner, payment.id);
    expect(allocations.map(({ scheduleId, invoiceId }) => [scheduleId, invoiceId]).sort()).toEqual(
      [
        [booking.schedules[0], deposit.id],
        [booking.schedules[1], balance.id],
      ].sort(),
    );
  });

  it('an invoice of the whole booking that was credited in part is paid by an installment that has its own one', async () => {
    const booking = await sold({ prices: [60_000, 40_000] });
    const whole = await issued(booking.id);
    await cancelItem(booking, 1);
    await issuedNote(owner, whole, { reason: 'correction' });
    const [first] = await schedulesOf(owner, booking.id);
    const own = await issued(booking.id, { scheduleId: first?.id });
    const rest = await issued(booking.id);
    await pay(booking, 60_000);
    expect([(await balanceOf(own.id)).status, (await balanceOf(rest.id)).status]).toEqual(['paid', 'paid']);
    expect(await moneyOf(booking)).toMatchObject(NOTHING_OPEN);
    expect(await brokenRules(booking)).toEqual([]);
  });
});

const WAIVED = { status: 'cancelled', waiveReason: 'Goodwill' };
