import { beforeAll, describe, expect, it } from '@jest/globals';
import { startApp, type TestApp } from '../../setup/app.js';
import type { TestClient } from '../../setup/client.js';
import { invalid, make, PATH as SUPPLIER_INVOICES, problem, staffWith } from '../invoices.js';
import { BOOKINGS } from '../../bookings/bookings.js';
import { bookingWith, received } from '../payments/bookings.js';
import { approved, out, PAYMENTS, recorded, reverse } from '../payments/payments.js';
import { readReport } from './reporting.js';

const AGING = '/v1/admin/finance/aging';

interface Aged {
  currency: string;
  count: number;
  totalCents: number | null;
  buckets: { bucket: string; count: number; amountCents: number | null }[];
}

let app: TestApp;
let owner: TestClient;

beforeAll(async () => {
  app = await startApp();
  owner = app.as('owner');
});

const day = (offset: number) => app.day(offset);

async function report(side: string, asOf = day(0)): Promise<Aged[]> {
  const { status, body } = await owner.get<{ data: { side: string; asOf: string; currencies: Aged[] } }>(
    `${AGING}?side=${side}&asOf=${asOf}`,
  );
  expect([status, body.data.side, body.data.asOf]).toEqual([200, side, asOf]);
  return body.data.currencies;
}

/** Amounts of the five buckets of a currency; undefined if nothing is outstanding in it. */
async function buckets(side: string, currency: string, asOf?: string): Promise<unknown> {
  const found = (await report(side, asOf)).find((aged) => aged.currency === currency);
  return found?.buckets.map(({ amountCents }) => amountCents);
}

const LATENESS = [
  [1, 1],
  [0, 2],
  [-1, 10],
  [-30, 20],
  [-31, 100],
  [-60, 200],
  [-61, 1000],
  [-90, 2000],
  [-91, 10_000],
  [-400, 20_000],
] as const;
const AGED = [3, 30, 300, 3000, 30_000];

describe('aging of payables', () => {
  const bill = (currency: string, totalCents: number, over: object = {}) =>
    approved(owner, totalCents, { currency, issueDate: '2020-01-01', ...over });

  it('an amount is in the bucket of its days past due: none, 1 to 30, 31 to 60, 61 to 90, more', async () => {
    for (const [offset, cents] of LATENESS) await bill('XPF', cents, { dueDate: day(offset) });
    await bill('XPF', 5);
    const [aged] = (await report('payable')).filter(({ currency }) => currency === 'XPF');
    expect(aged).toEqual({
      currency: 'XPF',
      count: 11,
      totalCents: 33_338,
      buckets: [
        { bucket: 'current', count: 3, amountCents: 8 },
        { bucket: 'days_1_30', count: 2, amountCents: 30 },
        { bucket: 'days_31_60', count: 2, amountCents: 300 },
        { bucket: 'days_61_90', count: 2, amountCents: 3000 },
        { bucket: 'over_90', count: 2, amountCents: 30_000 },
      ],
    });
    // 31 days later all invoices except the one without a due date are overdue.
    expect(await buckets('payable', 'XPF', day(31))).toEqual([5, 1, 12, 120, 33_200]);
  });

  it('only approved invoices count, from their posting date', async () => {
    await make(owner, { currency: 'XAF', totalCents: 700 });
    const { id } = await bill('XAF', 900, { issueDate: day(-3) });
    expect(await buckets('payable', 'XAF')).toEqual([900, 0, 0, 0, 0]);
    expect(await buckets('payable', 'XAF', day(-3))).toEqual([900, 0, 0, 0, 0]);
    expect(await buckets('payable', 'XAF', day(-4))).toBeUndefined();
    await owner.post(`${SUPPLIER_INVOICES}/${id}/voiding`, { reason: 'Not ours' });
    expect(await buckets('payable', 'XAF')).toBeUndefined();
  });

  it('a payment counts from its day on, and a reversal from its own day', async () => {
    const { id } = await bill('XOF', 1000);
    app.travel({ days: 5 });
    const payment = await recorded(owner, out(id, 1000, { currency: 'XOF', paidOn: day(-2) }));
    expect(await buckets('payable', 'XOF')).toBeUndefined();
    expect(await buckets('payable', 'XOF', day(-2))).toBeUndefined();
    expect(await buckets('payable', 'XOF', day(-3))).toEqual([1000, 0, 0, 0, 0]);
    app.travel({ days: 1 });
    await reverse(owner, payment.id);
    expect(await buckets('payable', 'XOF', day(-1))).toBeUndefined();
    expect(await buckets('payable', 'XOF')).toEqual([1000, 0, 0, 0, 0]);
    app.travel({ days: -6 });
  });

  it('a due date that is changed later does not change the lateness on a past day', async () => {
    const { id } = await bill('TND', 1000, { issueDate: day(-50), dueDate: day(-40) });
    const before = await report('payable');
    app.travel({ days: 2 });
    const { status } = await owner.patch(`${SUPPLIER_INVOICES}/${id}`, { dueDate: day(10) });
    expect(status).toBe(200);
    expect(await report('payable', day(-2))).toEqual(before);
    expect(await buckets('payable', 'TND', day(-20))).toEqual([0, 1000, 0, 0, 0]);
    expect(await buckets('payable', 'TND')).toEqual([1000, 0, 0, 0, 0]);
    app.travel({ days: -2 });
  });

  it('a sum beyond 2^53-1 is null instead of a rounded number', async () => {
    await bill('MRU', Number.MAX_SAFE_INTEGER);
    expect(await buckets('payable', 'MRU')).toEqual([Number.MAX_SAFE_INTEGER, 0, 0, 0, 0]);
    await bill('MRU', 1);
    expect(await buckets('payable', 'MRU')).toEqual([null, 0, 0, 0, 0]);
  });
});

describe('aging of receivables', () => {
  it('open amounts of installments are grouped by the days past their due dates', async () => {
    const installments = LATENESS.map(([offset, cents]) => [day(offset), cents] as const);
    await bookingWith(app, { currency: 'XPF', installments });
    expect(await buckets('receivable', 'XPF')).toEqual(AGED);
  });

  it('amounts in different currencies are never added up', async () => {
    await bookingWith(app, { currency: 'TND', installments: [[day(0), 7]] });
    await bookingWith(app, { currency: 'KWD', installments: [[day(0), 11]] });
    const codes = (await report('receivable')).map(({ currency }) => currency);
    expect(codes).toEqual([...codes].sort());
    expect(await buckets('receivable', 'TND')).toEqual([7, 0, 0, 0, 0]);
    expect(await buckets('receivable', 'KWD')).toEqual([11, 0, 0, 0, 0]);
  });

  it('a payment counts from the day of its allocation until the day of its deallocation', async () => {
    const { id } = await bookingWith(app, { currency: 'XOF', installments: [[day(0), 1000]] });
    const sent = received(id, 600, { currency: 'XOF', allocations: [], paidOn: day(0) });
    const { id: paymentId } = await recorded(owner, sent);
    expect(await buckets('receivable', 'XOF')).toEqual([1000, 0, 0, 0, 0]);
    app.travel({ days: 2 });
    const { body } = await owner.post<{ data: { allocations: { id: string }[] } }>(
      `${PAYMENTS}/${paymentId}/allocations`,
    );
    app.travel({ days: 1 });
    await owner.delete(`${PAYMENTS}/${paymentId}/allocations/${body.data.allocations[0]?.id}`);
    const amounts = await Promise.all([-2, -1, 0].map((offset) => buckets('receivable', 'XOF', day(offset))));
    expect(amounts).toEqual([
      [0, 1000, 0, 0, 0],
      [0, 400, 0, 0, 0],
      [0, 1000, 0, 0, 0],
    ]);
    app.travel({ days: -3 });
  });

  it('an installment does not count before it was planned, nor if it was cancelled', async () => {
    const { schedules } = await bookingWith(app, {
      currency: 'XAF',
      installments: [
        [day(-5), 40],
        [day(-5), 50],
      ],
    });
    // Uses two days, because the tables may have the day of UTC.
    expect(await buckets('receivable', 'XAF', day(-2))).toBeUndefined();
    await app.sql(`update payment_schedules set status = 'cancelled', waived = true where id = $1`, [schedules[0]]);
    expect(await buckets('receivable', 'XAF')).toEqual([0, 50, 0, 0, 0]);
  });
});

describe('aging of a past day', () => {
  const totals = async (query: string) =>
    (await readReport(app, `receivables?${query}`)).totals.map(({ currency, openCents, currentCents, over90Cents }) => [
      currency,
      openCents,
      currentCents,
      over90Cents,
    ]);

  it('the aging of a past day stays as it was printed on that day after later changes', async () => {
    const currency = 'BHD';
    const installments = [
      [day(-40), 1_000],
      [day(5), 700],
      [day(9), 300],
    ] as const;
    const { id, schedules } = await bookingWith(app, { currency, installments });
    const quote = await bookingWith(app, { currency, installments: [[day(9), 5_000]], status: 'draft' });
    const [then, printed] = [day(0), await report('receivable')];
    expect(printed.find((aged) => aged.currency === currency)).toMatchObject({ count: 3, totalCents: 2_000 });

    app.travel({ days: 2 });
    const plan = `/v1/admin/finance/bookings/${id}/payment-schedules`;
    const { id: paymentId } = await recorded(owner, received(id, 1_200, { currency, paidOn: day(0) }));
    expect((await owner.patch(`${plan}/${schedules[1]}`, { dueDate: day(60) })).status).toBe(200);
    const waiver = { status: 'cancelled', waiveReason: 'Goodwill' };
    expect((await owner.patch(`${plan}/${schedules[2]}?rebalance=none`, waiver)).status).toBe(200);
    expect((await owner.post(`${BOOKINGS}/${quote.id}/confirmation`)).status).toBe(200);
    app.travel({ days: 1 });
    await reverse(owner, paymentId);
    expect((await owner.post(`${BOOKINGS}/${id}/cancellation`, { reason: 'Ill' })).status).toBe(200);

    expect(await report('receivable', then)).toEqual(printed);
    expect(await buckets('receivable', currency, day(-1))).toEqual([5_500, 0, 0, 0, 0]);
    expect(await buckets('receivable', currency)).toEqual([5_000, 0, 0, 0, 0]);
    app.travel({ days: -3 });
  });

  it('the aging report has the sums of the receivables report', async () => {
    const { id } = await bookingWith(app, { currency: 'MRU', installments: [[day(-95), 400]] });
    const receipt = await recorded(owner, received(id, 500, { currency: 'MRU', paidOn: day(0) }));
    const refund = { amountCents: 100, method: 'cash', reason: 'Paid twice' };
    const { body } = await owner.post<{ data: { id: string } }>(`/v1/admin/finance/bookings/${id}/refunds`, refund);
    const completed = await owner.post(`/v1/admin/finance/refunds/${body.data.id}/completion`, { paidOn: day(0) });
    expect(completed.status).toBe(200);
    await reverse(owner, receipt.id);
    expect(await buckets('receivable', 'MRU')).toEqual([100, 0, 0, 0, 400]);
    const aged = (await report('receivable')).map(({ currency, totalCents, buckets: five }) => [
      currency,
      totalCents,
      five[0]?.amountCents,
      five[4]?.amountCents,
    ]);
    expect(aged).toEqual((await totals('limit=1')).filter(([, openCents]) => Number(openCents) > 0));
  });
});

describe('GET /v1/admin/finance/aging', () => {
  it('the report covers receivables as of today by default', async () => {
    const { body } = await owner.get<{ data: object }>(AGING);
    expect(body.data).toMatchObject({ side: 'receivable', asOf: day(0) });
  });

  it('an invalid query is rejected with 400 and its issues', async () => {
    const { status, body } = await owner.get(`${AGING}?side=both`);
    expect([status, body]).toEqual([400, invalid('side', 'unknown_value')]);
  });

  it('the aging report needs finance:read', async () => {
    const { status, body } = await (await staffWith(app, 'bookings:read')).get(AGING);
    expect(status).toBe(403);
    expect(body).toEqual(problem('forbidden', { requiredScope: 'finance:read' }));
  });
});
