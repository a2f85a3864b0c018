import { beforeAll, describe, expect, it } from '@jest/globals';
import { addItem, BOOKINGS, insisting, makeBooking } from '../../bookings/bookings.js';
import { startApp, type TestApp } from '../../setup/app.js';
import type { TestClient } from '../../setup/client.js';
import { insertRates } from '../exchange-rates/rates.js';
import { travelToDayOfMonth } from '../invoices/invoicing.js';
import { problem } from '../invoices.js';
import { received } from '../payments/bookings.js';
import { recorded } from '../payments/payments.js';
import { readReport, totalOf } from './reporting.js';

const FINANCE = '/v1/admin/finance';

let app: TestApp;
let owner: TestClient;

beforeAll(async () => {
  app = await startApp({ env: { JOBS: 'false' } });
  owner = app.as('owner');
  await insertRates(app, ['BHD', 'DZD', 'JOD', 'KWD', 'LYD', 'OMR', 'TND']);
  travelToDayOfMonth(app, 2);
});

const day = (offset: number) => app.day(offset);
const report = (path: string) => readReport(app, path);

async function done(path: string, body: object = {}): Promise<{ id: string; number: string }> {
  type Made = { data: { id: string; number: string } };
  const { status, text, body: answer } = await insisting(() => owner.post<Made>(path, body));
  expect([Math.floor(status / 100), text]).toEqual([2, text]);
  return answer.data;
}

/** A booking of 100000, confirmed unless it is a quote. */
async function sold(currency: string, { confirm = true } = {}): Promise<string> {
  const { id } = await makeBooking(owner, { currency, startDate: day(300) });
  await addItem(owner, id, { unitSellCents: 100_000 });
  if (confirm) await done(`${BOOKINGS}/${id}/confirmation`);
  return id;
}

async function invoiced(bookingId: string): Promise<string> {
  const { id } = await done(`${FINANCE}/invoices`, { bookingId });
  await done(`${FINANCE}/invoices/${id}/issuance`);
  return id;
}

const paid = (bookingId: string, cents: number, currency: string) =>
  recorded(owner, received(bookingId, cents, { currency, paidOn: day(0) }));

async function refunded(bookingId: string, amountCents: number): Promise<string> {
  const body = { amountCents, method: 'bank_transfer', reason: 'Paid too much' };
  return (await done(`${FINANCE}/bookings/${bookingId}/refunds`, body)).id;
}

const complete = (refundId: string) => done(`${FINANCE}/refunds/${refundId}/completion`, { paidOn: day(0) });
const reversed = (paymentId: string) =>
  done(`${FINANCE}/payments/${paymentId}/reversal`, { reason: 'Disputed', kind: 'chargeback', reversedOn: day(0) });

/** Open amount and prepaid money of the receivables in one currency, by installments and by documents. */
async function receivables(currency: string, asOf = day(0)): Promise<Record<string, unknown>> {
  const of = async (basis: string) => {
    const query = `receivables?currency=${currency}&basis=${basis}&asOf=${asOf}`;
    const total = totalOf(await report(query), currency);
    return [Number(total?.['openCents'] ?? 0), Number(total?.['prepaidCents'] ?? 0)];
  };
  return { schedule: await of('schedule'), document: await of('document') };
}

/** The figures of a month in one currency that are not 0. */
async function figures(currency: string, month = day(0).slice(0, 7)): Promise<Record<string, number>> {
  type Period = { data: { figures: { name: string; currency: string; cents: string }[] } };
  const { body } = await owner.get<Period>(`${FINANCE}/periods/${month}`);
  const own = body.data.figures.filter((figure) => figure.currency === currency && figure.cents !== '0');
  return Object.fromEntries(own.map(({ name, cents }) => [name, Number(cents)]));
}

describe('received money of customers at the end of a day', () => {
  it('money of a requested refund is owed until it is paid, as it was known then too', async () => {
    const currency = 'BHD';
    const id = await sold(currency);
    await invoiced(id);
    await paid(id, 130_000, currency);
    const refundId = await refunded(id, 30_000);
    const requested = await report(`unapplied-money?currency=${currency}`);
    expect(requested.data).toMatchObject([
      { bookingId: id, kind: 'receipt', amountCents: 130_000, unappliedCents: 0, reservedCents: 30_000 },
    ]);
    expect(totalOf(requested, currency)).toMatchObject({ unappliedCents: 0, reservedCents: 30_000 });
    expect(await receivables(currency)).toEqual({ schedule: [0, 30_000], document: [0, 30_000] });
    expect(await figures(currency)).toEqual({ reserved: 30_000, invoiced: 100_000, payments: 130_000 });

    const [then, known] = [day(0), app.now().toISOString()];
    app.travel({ days: 1 });
    await done(`${FINANCE}/refunds/${refundId}/completion`, { paidOn: then });
    expect((await report(`unapplied-money?currency=${currency}&asOf=${then}`)).data).toEqual([]);
    const asKnown = await report(`unapplied-money?currency=${currency}&asOf=${then}&knownAt=${known}`);
    expect(asKnown.data).toEqual(requested.data);
    expect(await receivables(currency)).toEqual({ schedule: [0, 0], document: [0, 0] });
    expect(await figures(currency)).toEqual({ invoiced: 100_000, payments: 100_000 });
  });

  it('money on no invoice is prepaid by documents, and its tax is due: it is listed and its month warns', async () => {
    const currency = 'JOD';
    const id = await sold(currency);
    const { id: paymentId } = await paid(id, 30_000, currency);
    expect(await receivables(currency)).toEqual({ schedule: [70_000, 0], document: [0, 30_000] });
    const listed = await report(`unbilled-receipts?currency=${currency}`);
    expect(listed.data).toMatchObject([
      { paymentId, bookingId: id, onInstallmentsCents: 30_000, unappliedCents: 0, unbilledCents: 30_000 },
    ]);
    const month = day(0).slice(0, 7);
    type Period = { data: { blockers: object[]; warnings: { type: string; count: number; examples: string[] }[] } };
    const warnings = async () => (await owner.get<Period>(`${FINANCE}/periods/${month}`)).body.data.warnings;
    expect(await warnings()).toEqual([
      { type: 'unbilled_receipts', count: expect.any(Number), examples: expect.arrayContaining([paymentId]) },
    ]);

    const then = day(0);
    app.travel({ days: 1 });
    await invoiced(id);
    expect((await report(`unbilled-receipts?currency=${currency}`)).data).toEqual([]);
    expect((await report(`unbilled-receipts?currency=${currency}&asOf=${then}`)).data).toEqual(listed.data);
    expect(await receivables(currency)).toEqual({ schedule: [70_000, 0], document: [70_000, 0] });
    expect(await receivables(currency, then)).toEqual({ schedule: [70_000, 0], document: [0, 30_000] });
    expect((await warnings()).flatMap(({ examples }) => examples)).not.toContain(paymentId);
  });

  it('money that covers a requested refund, and money of a cancelled booking, waits for no invoice', async () => {
    const currency = 'KWD';
    const id = await sold(currency);
    await paid(id, 130_000, currency);
    await refunded(id, 30_000);
    expect((await report(`unbilled-receipts?currency=${currency}`)).data).toMatchObject([{ unbilledCents: 100_000 }]);
    await done(`${BOOKINGS}/${id}/cancellation`, { reason: 'Ill' });
    expect((await report(`unbilled-receipts?currency=${currency}`)).data).toEqual([]);
  });

  it('a refund that no money covers is owed by installments, by documents and in the figures', async () => {
    const currency = 'TND';
    const id = await sold(currency);
    await invoiced(id);
    const receipt = await paid(id, 150_000, currency);
    await complete(await refunded(id, 50_000));
    await reversed(receipt.id);
    expect(await receivables(currency)).toEqual({ schedule: [150_000, 0], document: [150_000, 0] });
    expect(await figures(currency)).toMatchObject({ receivables: 150_000, documents: 150_000 });
    const entries = await report(`receivables/entries?currency=${currency}&basis=document`);
    expect(new Set(entries.data.map((row) => [row['type'], row['openCents']]))).toEqual(
      new Set([
        ['invoice', 100_000],
        ['refund_recovery', 50_000],
      ]),
    );
  });

  it('between cancellation and settlement all money of the booking is held, and until its confirmation that of a quote', async () => {
    const currency = 'OMR';
    const id = await sold(currency);
    await invoiced(id);
    await paid(id, 120_000, currency);
    await done(`${BOOKINGS}/${id}/cancellation`, { reason: 'Ill' });
    const held = await report(`unapplied-money?currency=${currency}`);
    expect(held.data).toMatchObject([
      { kind: 'held_for_settlement', bookingStatus: 'cancelled', amountCents: 120_000, unappliedCents: 120_000 },
    ]);
    expect(await receivables(currency)).toEqual({ schedule: [0, 120_000], document: [0, 20_000] });
    expect(await figures(currency)).toMatchObject({ unapplied: 20_000, held: 100_000 });
    const then = day(0);
    app.travel({ days: 1 });
    const agreed = { agreedFeeCents: 50_000, feeReason: 'Agreed', outcome: 'credit' };
    await done(`${FINANCE}/bookings/${id}/cancellation-settlement`, agreed);
    expect((await report(`unapplied-money?currency=${currency}&asOf=${then}`)).data).toEqual(held.data);
    expect((await report(`unapplied-money?currency=${currency}`)).data).toMatchObject([
      { kind: 'receipt', unappliedCents: 70_000 },
    ]);

    const quote = await sold('IQD', { confirm: false });
    await done(`${FINANCE}/bookings/${quote}/payment-schedules`, {
      dueDate: day(30),
      amountCents: 30_000,
      label: 'Deposit',
    });
    await paid(quote, 30_000, 'IQD');
    const ofQuote = (await report('unapplied-money?currency=IQD')).data;
    expect(ofQuote).toMatchObject([{ bookingStatus: 'draft', unappliedCents: 30_000 }]);
    expect(await receivables('IQD')).toEqual({ schedule: [0, 30_000], document: [0, 30_000] });
    await done(`${BOOKINGS}/${quote}/confirmation`);
    expect((await report('unapplied-money?currency=IQD')).data).toEqual([]);
  });

  it('an invoice is voided in the month of its issue date only, so that opening + invoiced - paid = closing', async () => {
    const currency = 'LYD';
    const id = await sold(currency);
    const first = await invoiced(id);
    await done(`${FINANCE}/invoices/${first}/voiding`, { reason: 'Wrong payer' });
    const second = await invoiced(id);
    await paid(id, 30_000, currency);
    const [lastMonth, lastDay] = [day(0).slice(0, 7), () => day(-1)];
    travelToDayOfMonth(app, 1);
    const late = await owner.post(`${FINANCE}/invoices/${second}/voiding`, { reason: 'Wrong payer' });
    expect([late.status, late.body]).toEqual([409, problem('credit_note_required', { reason: 'paid' })]);
    const third = await sold(currency);
    const unpaid = await done(`${FINANCE}/invoices`, { bookingId: third });
    await done(`${FINANCE}/invoices/${unpaid.id}/issuance`, { issueDate: lastDay() });
    const over = await owner.post(`${FINANCE}/invoices/${unpaid.id}/voiding`, { reason: 'Wrong payer' });
    expect([over.status, over.body]).toEqual([409, problem('credit_note_required', { reason: 'month_over' })]);

    const closing = await receivables(currency, lastDay());
    expect(closing['document']).toEqual([170_000, 0]);
    expect(await figures(currency, lastMonth)).toMatchObject({
      documents: 170_000,
      invoiced: 200_000,
      payments: 30_000,
    });

    // Voids it as an earlier build did; the figures of the month agree with that.
    await app.sql(
      `update invoices set status = 'void', voided_at = now(), voided_on = $2, void_reason = 'x' where id = $1`,
      [unpaid.id, day(0)],
    );
    expect(await figures(currency, lastMonth)).toMatchObject({
      documents: 70_000,
      invoiced: 100_000,
      payments: 30_000,
    });
  });

  it('the statement of a customer runs from opening to closing, which is what is owed by documents', async () => {
    const currency = 'DZD';
    const [first, second] = [await sold(currency), await sold(currency)];
    const customerEmail = 'Mary.Statement@example.com';
    for (const id of [first, second]) await owner.patch(`${BOOKINGS}/${id}`, { customerEmail });
    await invoiced(first);
    const receipt = await paid(first, 130_000, currency);
    await complete(await refunded(first, 20_000));
    const from = day(1);
    app.travel({ days: 2 });
    await done(`${FINANCE}/bookings/${first}/transfers`, { toBookingId: second, amountCents: 10_000, reason: 'Asked' });
    await invoiced(second);
    await reversed(receipt.id);

    const query = `customer-statement?customer=mary.statement@EXAMPLE.com`;
    const all = await report(`${query}&from=${day(-2)}`);
    expect(all.data.map((row) => [row['entry'], row['amountCents'], row['balanceCents']])).toEqual([
      ['invoice', 100_000, 100_000],
      ['receipt', -130_000, -30_000],
      ['refund', 20_000, -10_000],
      ['invoice', 100_000, 90_000],
      ...(all.data[4]?.['entry'] === 'transfer_out'
        ? [
            ['transfer_out', 10_000, 100_000],
            ['transfer_in', -10_000, 90_000],
          ]
        : [
            ['transfer_in', -10_000, 80_000],
            ['transfer_out', 10_000, 90_000],
          ]),
      ['reversal', 130_000, 220_000],
    ]);
    const sums = { openingCents: -10_000, movementCents: 230_000, closingCents: 220_000 };
    expect((await report(`${query}&from=${from}`)).totals).toEqual([{ currency, count: 4, ...sums }]);
    const owed = totalOf(await report(`receivables?currency=${currency}&basis=document`), currency);
    expect(Number(owed?.['openCents']) - Number(owed?.['prepaidCents'])).toBe(220_000);
    expect((await report(`customer-statement?customer=${second}`)).totals).toMatchObject([{ closingCents: 90_000 }]);
    expect((await report(`customer-statement?customer=nobody@example.com`)).data).toEqual([]);
    expect((await owner.get(`${FINANCE}/reports/customer-statement`)).status).toBe(400);
  });

  it('for each booking, what is open less what is prepaid is the balance of the booking', async () => {
    const rows = await app.sql<{ id: string; status: string }>('select id, status from bookings');
    expect(rows.length).toBeGreaterThan(5);
    const of = async (basis: string) => {
      const { data, total } = await report(`receivables?groupBy=booking&basis=${basis}&limit=200`);
      expect(total).toBeLessThanOrEqual(200);
      return new Map(data.map((row) => [row['bookingId'], [Number(row['openCents']), Number(row['prepaidCents'])]]));
    };
    const [schedule, document] = [await of('schedule'), await of('document')];
    for (const { id, status } of rows) {
      type Money = { data: { balanceCents: number; billedCents: number; receivedCents: number } };
      const { body } = await owner.get<Money>(`${FINANCE}/bookings/${id}/money`);
      const { balanceCents, billedCents, receivedCents } = body.data;
      const [open = 0, prepaid = 0] = document.get(id) ?? [];
      const [due = 0, ahead = 0] = schedule.get(id) ?? [];
      // The claim of a quote is the billed amount, which is not an installment.
      const claimed = status === 'draft' ? 0 - prepaid : balanceCents;
      expect([id, status, open - prepaid, due - ahead]).toEqual([id, status, billedCents - receivedCents, claimed]);
    }
  });
});
