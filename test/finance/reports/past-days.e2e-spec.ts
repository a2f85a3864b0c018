import { beforeAll, describe, expect, it } from '@jest/globals';
import { addItem, BOOKINGS, confirmedBooking, insisting, makeBooking } from '../../bookings/bookings.js';
import { ReminderJobs } from '../../../src/modules/notifications/planning/reminders.jobs.js';
import { newRule, onlyOwnRules } from '../../notifications/reminders.js';
import { startApp, type TestApp } from '../../setup/app.js';
import type { TestClient } from '../../setup/client.js';
import { insertRates } from '../exchange-rates/rates.js';
import { bookingWith, received } from '../payments/bookings.js';
import { PAYMENTS, recorded, reverse } from '../payments/payments.js';
import { readReport, type Row, sum, totalOf } from './reporting.js';

const FINANCE = '/v1/admin/finance';

let app: TestApp;
let owner: TestClient;

beforeAll(async () => {
  app = await startApp({ env: { JOBS: 'false' } });
  owner = app.as('owner');
  await insertRates(app, ['BHD', 'HUF', 'ISK', 'JOD', 'KRW', 'LYD', 'PLN', 'TND', 'VND', 'XAF', 'XOF', 'XPF']);
});

const day = (offset: number) => app.day(offset);
const report = (path: string) => readReport(app, path);

async function done(path: string, body: object = {}): Promise<{ id: string }> {
  const { status, text, body: answer } = await insisting(() => owner.post<{ data: { id: string } }>(path, body));
  expect([Math.floor(status / 100), text]).toEqual([2, text]);
  return answer.data;
}

/* The clock only moves forward: a series assigns no number with an earlier date than its last one. */

/** Creates a confirmed booking of 100000 with an issued invoice and this paid amount. */
async function sold(currency: string, paidCents: number): Promise<string> {
  const { id } = await makeBooking(owner, { currency, startDate: day(300) });
  await addItem(owner, id, { unitSellCents: 100_000 });
  await done(`${BOOKINGS}/${id}/confirmation`);
  const invoice = await done(`${FINANCE}/invoices`, { bookingId: id });
  await done(`${FINANCE}/invoices/${invoice.id}/issuance`);
  if (paidCents > 0) await recorded(owner, received(id, paidCents, { currency, paidOn: day(0) }));
  return id;
}

const settle = (id: string, agreedFeeCents: number, more: object = {}) =>
  done(`${FINANCE}/bookings/${id}/cancellation-settlement`, { agreedFeeCents, feeReason: 'Agreed by phone', ...more });

/** Creates a refund of a receipt that is reversed afterwards. */
async function uncovered(currency: string, cents: number): Promise<{ bookingId: string; refundId: string }> {
  const { id: bookingId } = await bookingWith(app, { currency, installments: [[day(10), 1_000]] });
  const receipt = await recorded(owner, received(bookingId, 1_000 + cents, { currency, paidOn: day(0) }));
  const refund = { amountCents: cents, method: 'cash', reason: 'Paid twice' };
  const { id: refundId } = await done(`${FINANCE}/bookings/${bookingId}/refunds`, refund);
  await done(`${FINANCE}/refunds/${refundId}/completion`, { paidOn: day(0) });
  await reverse(owner, receipt.id);
  return { bookingId, refundId };
}

describe('unapplied money of a past day', () => {
  it('money that stays with us as a credit after a settlement has no day of a refund', async () => {
    const currency = 'BHD';
    const id = await sold(currency, 80_000);
    app.travel({ days: 1 });
    await done(`${BOOKINGS}/${id}/cancellation`, { reason: 'Ill' });
    app.travel({ days: 2 });
    await settle(id, 50_000, { outcome: 'credit' });

    expect((await report(`unapplied-money?currency=${currency}`)).data).toMatchObject([
      { bookingId: id, bookingStatus: 'cancelled', unappliedCents: 30_000, refundDueOn: null },
    ]);
    const before = await report(`unapplied-money?currency=${currency}&asOf=${day(-3)}`);
    expect(before.data).toEqual([]);
    await recorded(owner, received(id, 700, { currency, paidOn: day(0) }));
    expect(totalOf(await report(`unapplied-money?currency=${currency}`), currency)).toMatchObject({
      unappliedCents: 30_700,
    });
  });

  it('before its settlement, money of a cancelled booking is due after the days of the settings', async () => {
    const currency = 'JOD';
    const { id } = await bookingWith(app, { currency, installments: [[day(0), 500]] });
    await recorded(owner, received(id, 800, { currency, paidOn: day(0) }));
    app.travel({ days: 2 });
    await done(`${BOOKINGS}/${id}/cancellation`, { reason: 'Ill' });
    const dueOn = day(14);
    app.travel({ days: 1 });
    const open = await report(`unapplied-money?currency=${currency}`);
    expect(open.data.map((row) => [row['bookingStatus'], row['refundDueOn']])).toEqual([['cancelled', dueOn]]);
    expect((await report(`unapplied-money?currency=${currency}&asOf=${day(-2)}`)).data).toMatchObject([
      { bookingStatus: 'confirmed', refundDueOn: null, unappliedCents: 300, ageDays: 1 },
    ]);
    const filter = `unapplied-money?currency=${currency}&bookingStatus=confirmed`;
    expect((await report(filter)).data).toEqual([]);
    expect((await report(`${filter}&asOf=${day(-2)}`)).total).toBe(1);

    await settle(id, 0, { outcome: 'credit' });
    expect((await report(`unapplied-money?currency=${currency}`)).data).toMatchObject([{ refundDueOn: null }]);
    expect((await report(`unapplied-money?currency=${currency}&asOf=${day(-1)}`)).data).toMatchObject([
      { refundDueOn: dueOn },
    ]);
  });
});

describe('money that was received before its debt existed', () => {
  it('money that came before its booking and plan is unapplied until their day', async () => {
    const currency = 'ISK';
    const { booking } = await confirmedBooking(owner, { booking: { currency }, item: { unitSellCents: 10_000 } });
    await recorded(owner, received(booking.id, 4_000, { currency, paidOn: day(-5) }));
    const unapplied = async (offset: number) =>
      totalOf(await report(`unapplied-money?currency=${currency}&asOf=${day(offset)}`), currency)?.['unappliedCents'] ??
      0;
    expect([await unapplied(-6), await unapplied(-5), await unapplied(-1), await unapplied(0)]).toEqual([
      0, 4_000, 4_000, 0,
    ]);
    const before = await report(`receivables?currency=${currency}&groupBy=booking&asOf=${day(-1)}`);
    expect(before.data).toMatchObject([{ bookingId: booking.id, count: 0, openCents: 0, prepaidCents: 4_000 }]);
    const journal = await report(`payment-journal?currency=${currency}&from=${day(-5)}&to=${day(-1)}`);
    expect(totalOf(journal, currency)).toMatchObject({ closingCents: 4_000 });
  });
});

describe('open installments of all bookings', () => {
  it('the fee of a cancelled booking is asked for in full, and the status is that of the day', async () => {
    const currency = 'TND';
    const id = await sold(currency, 30_000);
    const before = await report(`open-installments?currency=${currency}`);
    expect(before.data.map((row) => row['bookingStatus'])).toEqual(['confirmed']);
    app.travel({ days: 2 });
    await done(`${BOOKINGS}/${id}/cancellation`, { reason: 'Ill' });
    await settle(id, 50_000);
    expect((await report(`open-installments?currency=${currency}`)).data).toMatchObject([
      { type: 'fee', bookingStatus: 'cancelled', outstandingCents: 20_000, askCents: 20_000 },
    ]);
    expect(await report(`open-installments?currency=${currency}&asOf=${day(-2)}`)).toEqual(before);
  });

  it('a refund that no money covers is listed as a debt of the customer, due at once', async () => {
    const currency = 'XOF';
    const { bookingId, refundId } = await uncovered(currency, 300);
    await app.sql(`update bookings set customer_email = 'Ada.Owes@example.com' where id = $1`, [bookingId]);
    const { data, totals } = await report(`open-installments?currency=${currency}&customerEmail=ada.owes@EXAMPLE.com`);
    expect(data).toMatchObject([
      {
        scheduleId: null,
        paymentId: refundId,
        type: 'refund_recovery',
        dueDate: day(0),
        outstandingCents: 300,
        askCents: 300,
      },
      { paymentId: null, type: 'installment', outstandingCents: 1_000 },
    ]);
    expect(totals).toMatchObject([{ count: 2, outstandingCents: 1_300, askCents: 1_300 }]);
    expect((await report(`open-installments?currency=${currency}&customerEmail=b@example.com`)).total).toBe(0);
  });
});

/** Returns the reports of the open amounts of a day. */
const openAmountsOf = (currency: string, asOf: string) =>
  Promise.all(
    ['receivables?basis=schedule', 'receivables?basis=document', 'open-installments?', 'unapplied-money?'].map((path) =>
      report(`${path}&currency=${currency}&asOf=${asOf}`),
    ),
  );

describe('open amounts of a past day, after the rows that were open changed without moving money', () => {
  it('a refund that no money covered is still owed on its day after the bank returned it', async () => {
    const currency = 'KRW';
    const { refundId } = await uncovered(currency, 300);
    const before = await openAmountsOf(currency, day(0));
    expect(before[0]?.totals).toMatchObject([{ openCents: 1_300 }]);
    app.travel({ days: 1 });
    expect((await reverse(owner, refundId)).status).toBe(200);
    expect(await openAmountsOf(currency, day(-1))).toEqual(before);
    expect((await openAmountsOf(currency, day(0)))[0]?.totals).toMatchObject([{ openCents: 1_000 }]);
  });

  it('money of a cancelled booking was held before the settlement, also if the fee equals the price', async () => {
    const currency = 'LYD';
    const id = await sold(currency, 100_000);
    app.travel({ days: 1 });
    await done(`${BOOKINGS}/${id}/cancellation`, { reason: 'Ill' });
    const before = await openAmountsOf(currency, day(0));
    expect(before[3]?.totals).toMatchObject([{ unappliedCents: 100_000 }]);
    app.travel({ days: 1 });
    await settle(id, 100_000);
    expect(await openAmountsOf(currency, day(-1))).toEqual(before);
  });
});

describe('receivables of a past day', () => {
  it('unapplied money is beside the open amounts of its group, also of a group without debts', async () => {
    const currency = 'XPF';
    const owing = await bookingWith(app, { currency, installments: [[day(-2), 900]] });
    const paid = await recorded(owner, received(owing.id, 400, { currency, paidOn: day(0), allocations: [] }));
    expect(paid.unappliedCents).toBe(400);
    const { id } = await bookingWith(app, { currency, installments: [[day(0), 500]] });
    await recorded(owner, received(id, 800, { currency, paidOn: day(0) }));
    const { data, totals } = await report(`receivables?currency=${currency}&groupBy=booking`);
    const rows = data.map((row) => [row['bookingId'], row['count'], row['openCents'], row['prepaidCents']]);
    expect(new Set(rows)).toEqual(
      new Set([
        [owing.id, 1, 900, 400],
        [id, 0, 0, 300],
      ]),
    );
    const unapplied = await report(`unapplied-money?currency=${currency}`);
    expect(totals).toMatchObject([
      { count: 2, openCents: 900, prepaidCents: totalOf(unapplied, currency)?.['unappliedCents'] },
    ]);
    expect(sum(data, currency, 'prepaidCents')).toBe(700);
  });

  it('the last reminder of an entry is the one that was sent until the day, by the day of the organization', async () => {
    await onlyOwnRules(app);
    const currency = 'XAF';
    const { id, schedules } = await bookingWith(app, { currency, installments: [[day(0), 900]] });
    await app.sql(`update bookings set customer_email = 'ada@example.com' where id = $1`, [id]);
    const stages = [{ channels: [{ channel: 'email' }] }];
    const rule = await newRule(app, { trigger: 'installment_due', sendTime: '00:00', stages });
    await app.nest.get(ReminderJobs, { strict: false }).plan({ ruleId: rule.id });
    await app.sql(`update reminder_runs set status = 'sent', sent_on = $3 where booking_id = $1 and rule_id = $2`, [
      id,
      rule.id,
      day(1),
    ]);
    const entries = (asOf: string) => report(`receivables/entries?currency=${currency}&asOf=${asOf}`);
    expect((await entries(day(0))).data).toMatchObject([{ id: schedules[0], remindedOn: null }]);
    expect((await entries(day(1))).data).toMatchObject([{ remindedOn: day(1) }]);
  });
});

describe('revenue as it was known', () => {
  const range = () => `from=${day(0)}&to=${day(5)}`;
  const known = (rows: Row[]) => rows.map((row) => row['grossCents']);

  it('an item that was moved out of the period afterwards still counts as it was known', async () => {
    const currency = 'HUF';
    const item = { unitSellCents: 10_000, serviceDate: day(3) };
    const { booking, item: added } = await confirmedBooking(owner, { booking: { currency }, item });
    app.travel({ hours: 1 });
    const at = app.now().toISOString();
    app.travel({ hours: 1 });
    const moved = await owner.patch(`${BOOKINGS}/${booking.id}/items/${added.id}`, { serviceDate: day(40) });
    expect(moved.status).toBe(200);
    const path = `revenue?currency=${currency}&${range()}`;
    expect(known((await report(path)).data)).toEqual([]);
    expect(known((await report(`${path}&knownAt=${at}`)).data)).toEqual([10_000]);
  });

  it('a booking that was confirmed afterwards is not sold yet as it was known', async () => {
    const currency = 'PLN';
    const { id } = await makeBooking(owner, { currency });
    await addItem(owner, id, { unitSellCents: 10_000, serviceDate: day(3) });
    app.travel({ hours: 1 });
    const at = app.now().toISOString();
    app.travel({ hours: 1 });
    await done(`${BOOKINGS}/${id}/confirmation`);
    const path = `revenue?currency=${currency}&basis=confirmed&${range()}`;
    expect(known((await report(path)).data)).toEqual([10_000]);
    expect(known((await report(`${path}&knownAt=${at}`)).data)).toEqual([]);
  });
});

describe('a reversal that is dated back', () => {
  it('a reversed payment settles nothing from the day of its reversal, although its money moved afterwards', async () => {
    const currency = 'VND';
    const installments: [string, number][] = [
      [day(10), 300],
      [day(20), 700],
    ];
    const { id } = await bookingWith(app, { currency, installments });
    const payment = await recorded(owner, received(id, 500, { currency, paidOn: day(0) }));
    const last = payment.allocations.at(-1)?.id ?? '';
    app.travel({ days: 2 });
    expect((await owner.delete(`${PAYMENTS}/${payment.id}/allocations/${last}`)).status).toBe(200);
    app.travel({ days: 2 });
    await done(`${PAYMENTS}/${payment.id}/reversal`, { reason: 'Bounced', kind: 'bounced', reversedOn: day(-3) });
    for (const [asOf, openCents] of [
      [day(-4), 500],
      [day(-3), 1_000],
      [day(-2), 1_000],
      [day(0), 1_000],
    ] as const) {
      const found = totalOf(await report(`receivables?currency=${currency}&asOf=${asOf}`), currency);
      expect({ asOf, found }).toMatchObject({ asOf, found: { openCents } });
    }
    expect((await report(`unapplied-money?currency=${currency}&asOf=${day(-3)}`)).data).toEqual([]);
  });
});
