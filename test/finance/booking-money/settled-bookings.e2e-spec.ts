/** @jest-environment-options {"application":"shared"} */
import { beforeAll, describe, expect, it } from '@jest/globals';
import { MONEY_CHECKS } from '../../../src/modules/finance/reports/money-checks.js';
import { startApp, type TestApp } from '../../setup/app.js';
import type { TestClient } from '../../setup/client.js';
import { insertRates } from '../exchange-rates/rates.js';
import { issuedNote, useOwnSeries } from '../credit-notes/crediting.js';
import {
  addItem,
  book,
  change,
  confirm,
  days,
  planPath,
  POLICY,
  priceItem,
  schedulesOf,
} from '../payment-plans/plans.js';
import { received } from '../payments/bookings.js';
import { invoicing } from '../payments/invoiced.js';
import { read, recorded, reverse } from '../payments/payments.js';

const FINANCE = '/v1/admin/finance';
const BOOKINGS = '/v1/admin/bookings';

let app: TestApp;
let owner: TestClient;
const { issued, balanceOf } = invoicing(() => owner);

beforeAll(async () => {
  app = await startApp();
  owner = app.as('owner');
  await insertRates(app, ['JPY', 'KWD']);
  await useOwnSeries(owner);
});

/** A confirmed booking with a deposit of 30 % today and the rest before the departure. */
async function sold(sale: Sale): Promise<Sold> {
  const booking = await quoted(sale);
  await confirm(owner, booking.id);
  return { ...booking, schedules: (await schedulesOf(owner, booking.id)).map((one) => one.id) };
}

/** Creates the booking before its confirmation, without a plan. */
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

/** Pays an invoice of the booking by name. */
const payInvoice = (booking: Sold, invoiceId: string, amountCents: number) =>
  pay(booking, amountCents, { allocations: [{ invoiceId, amountCents }] });

async function cancelItem({ id, items }: Sold, index: number): Promise<void> {
  const path = `${BOOKINGS}/${id}/items/${items[index]}/cancellation`;
  expect((await owner.post(path, { reason: 'Ill' })).status).toBe(200);
}

async function reprice({ id, items }: Sold, unitSellCents: number): Promise<void> {
  expect((await priceItem(owner, [id, items[0] ?? ''], unitSellCents)).status).toBe(200);
}

async function moneyOf({ id }: Sold): Promise<Record<string, unknown>> {
  return (await owner.get<{ data: Record<string, unknown> }>(`${FINANCE}/bookings/${id}/money`)).body.data;
}

/** Returns the rules of the integrity report about customers' money that the booking breaks. */
async function brokenRules({ id }: Sold): Promise<string[]> {
  const names: string[] = [];
  for (const { name, broken } of MONEY_CHECKS) {
    if ((await app.sql(`select from (${broken}) violation where id = $1`, [id])).length > 0) names.push(name);
  }
  return names;
}

async function refunded({ id }: Sold, amountCents: number): Promise<string> {
  const body = { amountCents, method: 'bank_transfer', reason: 'Paid too much' };
  const path = `${FINANCE}/bookings/${id}/refunds`;
  const { status, text, body: made } = await owner.post<{ data: { id: string } }>(path, body);
  expect([status, text]).toEqual([201, text]);
  const done = await owner.post(`${FINANCE}/refunds/${made.data.id}/completion`, { paidOn: app.day() });
  expect(done.status).toBe(200);
  return made.data.id;
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

describe('a booking that is paid too much', () => {
  it('what was paid too much on an invoice by name is unapplied and can be refunded', async () => {
    const booking = await sold({ prices: [60_000, 40_000] });
    const invoice = await issued(booking.id);
    await pay(booking, 60_000);
    await cancelItem(booking, 1);
    const payment = await payInvoice(booking, invoice.id, 40_000);
    expect(payment).toMatchObject({ unappliedCents: 40_000, allocations: [] });
    expect(await moneyOf(booking)).toMatchObject({
      balanceCents: -40_000,
      unappliedCents: 40_000,
      invoiceOnlyCents: 0,
    });
    await reprice(booking, 50_000);
    await issuedNote(owner, invoice, { lines: [{ linePosition: 2, amountCents: 40_000 }, PART] });
    expect(await moneyOf(booking)).toMatchObject({
      ...{ balanceCents: -50_000, unappliedCents: 50_000, invoiceOnlyCents: 0, creditDueCents: 0 },
      documents: [{ status: 'paid', paidCents: 50_000, balanceCents: 0 }],
    });
    expect(await brokenRules(booking)).toEqual([]);
    await refunded(booking, 50_000);
    expect(await moneyOf(booking)).toMatchObject(NOTHING_OPEN);
  });

  it('money that only an invoice had before the confirmation of a booking that is cheaper now is unapplied', async () => {
    const booking = await quoted({ prices: [60_000, 40_000] });
    const invoice = await issued(booking.id);
    await payInvoice(booking, invoice.id, 100_000);
    await cancelItem(booking, 1);
    await confirm(owner, booking.id);
    expect(await moneyOf(booking)).toMatchObject({
      unappliedCents: 40_000,
      invoiceOnlyCents: 0,
      creditDueCents: 40_000,
    });
    expect(await balanceOf(invoice.id)).toEqual({ status: 'partially_paid', paidCents: 60_000 });
    expect(await brokenRules(booking)).toEqual([]);
  });

  it('a credit note releases what settles only the invoice before what settles an installment too', async () => {
    const booking = await quoted({ prices: [60_000, 40_000] });
    expect((await owner.post(planPath(booking.id))).status).toBe(200);
    const invoice = await issued(booking.id);
    await pay(booking, 60_000);
    await cancelItem(booking, 1);
    await payInvoice(booking, invoice.id, 40_000);
    await reprice(booking, 50_000);
    expect(await moneyOf(booking)).toMatchObject({ unappliedCents: 0, invoiceOnlyCents: 50_000 });
    await issuedNote(owner, invoice, { lines: [{ linePosition: 2 }, PART] });
    expect(await moneyOf(booking)).toMatchObject({ unappliedCents: 50_000, invoiceOnlyCents: 0, outstandingCents: 0 });
    expect(await brokenRules(booking)).toEqual([]);
  });
});

const PART = { linePosition: 1, amountCents: 10_000 };

describe('a refund that money does not cover any more', () => {
  it('money on an invoice alone and later receipts cover it', async () => {
    const booking = await sold({ prices: [100_000], paymentPolicy: null });
    const invoice = await issued(booking.id);
    await pay(booking, 40_000);
    const second = await pay(booking, 60_000);
    await reprice(booking, 40_000);
    const refund = await refunded(booking, 60_000);
    await payInvoice(booking, invoice.id, 10_000);
    expect((await reverse(owner, second.id)).status).toBe(200);
    expect(await moneyOf(booking)).toMatchObject({
      ...{ balanceCents: 50_000, uncoveredRefundCents: 50_000, invoiceOnlyCents: 0, unappliedCents: 0 },
    });
    expect(await brokenRules(booking)).toEqual([]);
    await pay(booking, 30_000);
    expect(await moneyOf(booking)).toMatchObject({ balanceCents: 20_000, uncoveredRefundCents: 20_000 });
    await pay(booking, 20_000);
    expect(await moneyOf(booking)).toMatchObject({ ...NOTHING_OPEN, creditDueCents: 60_000, uncoveredRefundCents: 0 });
    expect(await read(owner, refund)).toMatchObject({ status: 'completed', coveredCents: 60_000 });
  });
});
