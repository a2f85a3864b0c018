import { beforeAll, describe, expect, it } from '@jest/globals';
import { addItem, BOOKINGS, confirmedBooking, makeBooking } from '../../bookings/bookings.js';
import { startApp, type TestApp } from '../../setup/app.js';
import type { TestClient } from '../../setup/client.js';
import { insertRates } from '../exchange-rates/rates.js';
import { invalid, staffWith } from '../invoices.js';
import { bookingWith, received } from '../payments/bookings.js';
import { approved, out, recorded, reverse } from '../payments/payments.js';
import { readReport, REPORTS, sum, totalOf } from './reporting.js';

const INVOICES = '/v1/admin/finance/invoices';

let app: TestApp;
let owner: TestClient;

beforeAll(async () => {
  app = await startApp({ env: { JOBS: 'false' } });
  owner = app.as('owner');
  await insertRates(app, [
    'BGN',
    'BHD',
    'CZK',
    'HUF',
    'JOD',
    'JPY',
    'KWD',
    'PLN',
    'RON',
    'SEK',
    'TND',
    'XAF',
    'XOF',
    'XPF',
  ]);
});

const day = (offset: number) => app.day(offset);
const report = (path: string) => readReport(app, path);

async function invoiced(bookingId: string, body: object = {}): Promise<{ id: string; number: string }> {
  const draft = await owner.post<{ data: { id: string } }>(INVOICES, { bookingId, ...body });
  expect(draft.status).toBe(201);
  const issued = await owner.post<{ data: { id: string; number: string } }>(
    `${INVOICES}/${draft.body.data.id}/issuance`,
    {},
  );
  expect([issued.status, issued.text]).toEqual([200, issued.text]);
  return issued.body.data;
}

describe('receivables', () => {
  it('a report and its CSV file are sorted by the column that the query names, in both directions', async () => {
    const currency = 'NOK';
    for (const cents of [300, 100, 200]) {
      await bookingWith(app, { currency, installments: [[day(-cents), cents]] });
    }
    const path = `receivables/entries?currency=${currency}`;
    const openOf = async (sort: string) =>
      (await report(`${path}&sort=${sort}`)).data.map(({ openCents }) => openCents);
    expect(await openOf('openCents')).toEqual([100, 200, 300]);
    expect(await openOf('-openCents')).toEqual([300, 200, 100]);
    expect(await openOf('dueDate')).toEqual([300, 200, 100]);
    const file = await owner.get(`${REPORTS}/${path}&sort=-dueDate&format=csv`);
    const [header = '', ...lines] = file.text.trim().split('\r\n');
    const column = header.split(',').indexOf('openCents');
    expect(lines.map((line) => line.split(',')[column])).toEqual(['100', '200', '300']);
    const unknown = await owner.get(`${REPORTS}/payment-journal?sort=date`);
    expect(unknown.status).toBe(400);
  });

  it('what was open on a past day does not change when it is paid, cancelled or moved later', async () => {
    const currency = 'XPF';
    const { id, schedules } = await bookingWith(app, {
      currency,
      installments: [
        [day(-40), 1_000],
        [day(5), 700],
      ],
    });
    const before = await report(`receivables?currency=${currency}&groupBy=booking`);
    expect(before.data).toMatchObject([
      { bookingId: id, name: 'Clara Example', count: 2, openCents: 1_700, currentCents: 700, days31To60Cents: 1_000 },
    ]);
    const then = day(0);
    app.travel({ days: 3 });
    const { id: paymentId } = await recorded(owner, received(id, 1_200, { currency, paidOn: day(0) }));
    const changed = await owner.patch(`/v1/admin/finance/bookings/${id}/payment-schedules/${schedules[1]}`, {
      dueDate: day(60),
    });
    expect(changed.status).toBe(200);
    app.travel({ days: 1 });
    await reverse(owner, paymentId);
    app.travel({ days: 1 });
    await owner.post(`${BOOKINGS}/${id}/cancellation`, { reason: 'Ill' });

    expect((await report(`receivables?currency=${currency}&groupBy=booking&asOf=${then}`)).data).toEqual(before.data);
    expect((await report(`receivables/entries?currency=${currency}&asOf=${day(-2)}`)).data).toMatchObject([
      { id: schedules[1], dueDate: day(58), amountCents: 700, paidCents: 200, openCents: 500, daysLate: 0 },
    ]);
    expect((await report(`receivables?currency=${currency}&asOf=${day(-1)}`)).data).toMatchObject([
      { openCents: 1_700 },
    ]);
    expect((await report(`receivables?currency=${currency}`)).data).toEqual([]);
    app.travel({ days: -5 });
  });

  it('knownAt hides what was recorded later, also if it was dated back', async () => {
    const currency = 'XAF';
    const { id } = await bookingWith(app, { currency, installments: [[day(-1), 900]] });
    app.travel({ hours: 1 });
    const known = app.now().toISOString();
    app.travel({ hours: 1 });
    await recorded(owner, received(id, 400, { currency, paidOn: day(0) }));
    expect(totalOf(await report(`receivables?currency=${currency}`), currency)).toMatchObject({ openCents: 500 });
    const hidden = await report(`receivables?currency=${currency}&knownAt=${known}`);
    expect(totalOf(hidden, currency)).toMatchObject({ openCents: 900 });
    app.travel({ hours: -2 });
  });

  it('each group and bucket is the sum of its entries, and quotes are not receivable', async () => {
    const currency = 'TND';
    const dues = [-100, -70, -40, -10, 0, 10];
    for (const [index, due] of dues.entries()) {
      await bookingWith(app, {
        currency,
        installments: [
          [day(due), 100 + index],
          [day(due + 1), 7],
        ],
      });
    }
    await bookingWith(app, { currency, installments: [[day(-5), 5_000]], status: 'draft' });
    const groups = await report(`receivables?currency=${currency}`);
    const entries = await report(`receivables/entries?currency=${currency}&limit=200`);
    expect(groups.total).toBe(dues.length);
    for (const group of groups.data) {
      const own = await report(`receivables/entries?currency=${currency}&group=${String(group['group'])}`);
      expect([own.total, sum(own.data, currency, 'openCents')]).toEqual([group['count'], group['openCents']]);
    }
    for (const [column, bucket] of [
      ['over90Cents', 'over_90'],
      ['currentCents', 'current'],
    ] as const) {
      const own = await report(`receivables/entries?currency=${currency}&bucket=${bucket}`);
      expect(sum(own.data, currency, 'openCents')).toBe(sum(groups.data, currency, column));
    }
    expect(totalOf(groups, currency)?.['openCents']).toBe(sum(entries.data, currency, 'openCents'));
    expect(totalOf(entries, currency)?.['openCents']).toBe(sum(groups.data, currency, 'openCents'));
  });

  it('schedule open - not yet billed + credit due + paid ahead of the invoice = document open', async () => {
    const currency = 'KWD';
    const item = { unitSellCents: 10_000 };
    const { booking } = await confirmedBooking(owner, { booking: { currency }, item });
    const other = await confirmedBooking(owner, { booking: { currency }, item });
    await invoiced(other.booking.id);
    const [first] = await app.sql<{ id: string }>(
      'select id from payment_schedules where booking_id = $1 order by position limit 1',
      [booking.id],
    );
    await invoiced(booking.id, { scheduleId: first?.id });
    await recorded(owner, received(booking.id, 4_000, { currency, paidOn: day(0) }));
    const [bridge] = await app.sql<{ unbilled: number; ahead: number }>(
      `select (sum(booking.total_cents) - (select sum(total_cents) from invoices where currency = $1 and number is not null))::int
           as unbilled,
         (select coalesce(sum(signed_cents), 0)::int from payment_allocations allocation
          join payment_schedules schedule on schedule.id = allocation.schedule_id
          where schedule.currency = $1 and allocation.invoice_id is null) as ahead
       from bookings booking where currency = $1`,
      [currency],
    );
    const schedule = totalOf(await report(`receivables?currency=${currency}`), currency)?.['openCents'];
    const document = totalOf(await report(`receivables?currency=${currency}&basis=document`), currency)?.['openCents'];
    expect(bridge).toEqual({ unbilled: 7_000, ahead: 1_000 });
    expect(Number(schedule) - 7_000 + 1_000).toBe(document);
  });
});

describe('payables', () => {
  it('a supplier invoice is open from its posting date until it is paid or voided', async () => {
    const currency = 'XOF';
    const paid = await approved(owner, 1_000, { currency, issueDate: day(-10), dueDate: day(-2) });
    const voided = await approved(owner, 50, { currency, issueDate: day(-10) });
    app.travel({ days: 1 });
    await recorded(owner, out(paid.id, 400, { currency, paidOn: day(0) }));
    await owner.post(`/v1/admin/finance/supplier-invoices/${voided.id}/voiding`, { reason: 'Not ours' });
    const openOn = async (offset: number) =>
      totalOf(await report(`payables?currency=${currency}&asOf=${day(offset)}`), currency)?.['openCents'];
    expect([await openOn(-12), await openOn(-1), await openOn(0)]).toEqual([undefined, 1_050, 600]);
    const entries = await report(`payables/entries?currency=${currency}`);
    expect(entries.data).toMatchObject([{ id: paid.id, openCents: 600, daysLate: 3, bucket: 'days_1_30' }]);
    app.travel({ days: -1 });
  });
});

describe('open installments and unapplied money', () => {
  it('open installments are listed with what is to be asked for, by filter', async () => {
    const currency = 'JPY';
    const { id, schedules } = await bookingWith(app, {
      currency,
      installments: [
        [day(-3), 500],
        [day(20), 300],
      ],
    });
    const { id: paymentId } = await recorded(owner, received(id, 200, { currency, paidOn: day(0), allocations: [] }));
    const all = await report(`open-installments?currency=${currency}`);
    expect(all.data.map((row) => row['scheduleId'])).toEqual(schedules);
    const unapplied = await report(`unapplied-money?currency=${currency}`);
    const free = unapplied.data.find((row) => row['paymentId'] === paymentId)?.['unappliedCents'] ?? 0;
    const paid = 200 - Number(free);
    expect(all.data).toMatchObject([
      { outstandingCents: 500 - paid, askCents: 300, daysLate: 3 },
      { outstandingCents: 300, askCents: 300, daysLate: 0 },
    ]);
    const late = await report(`open-installments?currency=${currency}&overdue=true&search=clara`);
    expect(late.data.map((row) => row['scheduleId'])).toEqual([schedules[0]]);
    const later = await report(`open-installments?currency=${currency}&dueFrom=${day(1)}`);
    expect(later.data.map((row) => row['scheduleId'])).toEqual([schedules[1]]);
    expect(totalOf(all, currency)?.['outstandingCents']).toBe(sum(all.data, currency, 'outstandingCents'));
  });

  it('all money of a cancelled booking is listed until its settlement, also what settled an installment', async () => {
    const currency = 'BHD';
    const { id } = await bookingWith(app, { currency, installments: [[day(0), 500]] });
    await recorded(owner, received(id, 800, { currency, paidOn: day(0) }));
    expect(totalOf(await report(`unapplied-money?currency=${currency}`), currency)).toMatchObject({
      unappliedCents: 300,
    });
    expect((await report(`unapplied-money?currency=${currency}&asOf=${day(-1)}`)).data).toEqual([]);
    await app.sql(
      `with gone as (update booking_items set status = 'cancelled', cancelled_at = now() where booking_id = $1)
       update bookings set status = 'cancelled', cancelled_at = now(), cancel_reason = 'x', total_cents = 0 where id = $1`,
      [id],
    );
    const cancelled = await report(`unapplied-money?currency=${currency}&bookingStatus=cancelled`);
    expect(cancelled.data).toMatchObject([{ bookingId: id, customerName: 'Clara Example', unappliedCents: 800 }]);
    expect(cancelled.data).toMatchObject([{ kind: 'held_for_settlement', amountCents: 800, reservedCents: 0 }]);
  });
});

describe('reports of a period', () => {
  const range = () => `from=${day(-30)}&to=${day(0)}`;

  it('value-added tax is the tax of the listed documents', async () => {
    const currency = 'PLN';
    const { booking } = await confirmedBooking(owner, {
      booking: { currency },
      item: { unitSellCents: 11_900, taxIncludedCents: 1_900 },
    });
    const { id } = await invoiced(booking.id);
    await approved(owner, 500, { currency, taxCents: 80, issueDate: day(-1) });
    const vat = await report(`vat?currency=${currency}&${range()}`);
    expect(vat.data).toMatchObject([
      { side: 'output', netCents: 10_000, taxCents: 1_900, grossCents: 11_900 },
      { side: 'input', netCents: 420, taxCents: 80, grossCents: 500 },
    ]);
    const documents = await report(`vat/documents?currency=${currency}&side=output&${range()}`);
    expect(documents.data).toMatchObject([{ type: 'invoice', id, taxCents: 1_900 }]);
    expect(sum(documents.data, currency, 'taxCents')).toBe(vat.data[0]?.['taxCents']);
    const journal = await report(`invoice-journal?currency=${currency}&${range()}`);
    expect(journal.data).toMatchObject([{ id, type: 'invoice', grossCents: 11_900, status: 'issued' }]);
  });

  it('a void invoice is in the journal with 0', async () => {
    const currency = 'CZK';
    const { booking } = await confirmedBooking(owner, { booking: { currency } });
    const { id } = await invoiced(booking.id);
    const { status } = await owner.post(`${INVOICES}/${id}/voiding`, { reason: 'Wrong payer' });
    expect(status).toBe(200);
    const journal = await report(`invoice-journal?currency=${currency}&${range()}`);
    expect(journal.data).toMatchObject([{ id, status: 'void', netCents: 0, taxCents: 0, grossCents: 0 }]);
    expect((await report(`vat/documents?currency=${currency}&${range()}`)).data).toEqual([]);
    const open = await report(`receivables?currency=${currency}&basis=document`);
    expect(open.data).toEqual([]);
  });

  it('revenue counts sold items on the day that the basis names, without quotes and cancelled items', async () => {
    const currency = 'HUF';
    const item = { unitSellCents: 10_000, quantity: 2, taxIncludedCents: 1_000, serviceDate: day(-5) };
    const { booking, item: sold } = await confirmedBooking(owner, { booking: { currency }, item });
    const quote = await makeBooking(owner, { currency });
    await owner.post(`${BOOKINGS}/${quote.id}/items`, { type: 'unit', title: 'Seat', ...item });
    const service = await report(`revenue?currency=${currency}&${range()}`);
    expect(service.data).toMatchObject([
      { group: day(-5).slice(0, 7), units: 2, netCents: 19_000, taxCents: 1_000, grossCents: 20_000 },
    ]);
    expect((await report(`revenue?currency=${currency}&basis=confirmed&${range()}`)).totals).toMatchObject([
      { grossCents: 20_000 },
    ]);
    expect((await report(`revenue?currency=${currency}&basis=invoiced&${range()}`)).data).toEqual([]);
    await invoiced(booking.id);
    expect((await report(`revenue?currency=${currency}&basis=invoiced&groupBy=channel&${range()}`)).data).toMatchObject(
      [{ group: null, units: 2, grossCents: 20_000 }],
    );
    app.travel({ days: 1 });
    const { status } = await owner.patch(`${BOOKINGS}/${booking.id}/items/${sold.id}`, { unitSellCents: 20_000 });
    expect(status).toBe(200);
    const past = await report(`revenue?currency=${currency}&asOf=${day(-1)}&${range()}`);
    expect(past.totals).toMatchObject([{ grossCents: 20_000 }]);
    expect((await report(`revenue?currency=${currency}&${range()}`)).totals).toMatchObject([{ grossCents: 40_000 }]);
    app.travel({ days: -1 });
  });

  it('the margin is the price without tax less the expected cost, as it was on the day', async () => {
    const currency = 'RON';
    const sold = { unitSellCents: 119_000, taxIncludedCents: 19_000, costCents: 70_000, costCurrency: currency };
    const item = { ...sold, serviceDate: day(-5) };
    const { booking, item: one } = await confirmedBooking(owner, { booking: { currency }, item });
    await addItem(owner, booking.id, { type: 'discount', unitSellCents: -10_000, serviceDate: day(-5) });
    const query = `margin?currency=${currency}&${range()}`;
    const sums = { netCents: 90_000, costCents: 70_000, marginCents: 20_000, unknownCosts: 0 };
    const month = day(-5).slice(0, 7);
    expect(await report(query)).toMatchObject({
      data: [{ group: month, name: month, currency, units: 1, ...sums }],
      totals: [{ currency, count: 1, ...sums }],
    });
    expect((await report(`${query}&basis=confirmed&groupBy=channel`)).data).toMatchObject([{ group: null, ...sums }]);

    app.travel({ days: 1 });
    const path = `${BOOKINGS}/${booking.id}/items/${one.id}`;
    expect((await owner.patch(path, { costCents: 80_000 })).status).toBe(200);
    expect((await report(query)).totals).toMatchObject([{ costCents: 80_000, marginCents: 10_000 }]);
    expect((await report(`${query}&asOf=${day(-1)}`)).totals).toMatchObject([sums]);
    app.travel({ days: -1 });
  });

  it.each([
    ['no cost', {}],
    ['a cost in another currency', { costCents: 70_000, costCurrency: 'CHF' }],
  ])('an item with %s leaves cost and margin unknown instead of 0', async (...[, cost]) => {
    const currency = 'BGN';
    const serviceDate = day(-4);
    const query = `margin?currency=${currency}&from=${serviceDate}&to=${serviceDate}`;
    const known = { unitSellCents: 1_000, costCents: 400, costCurrency: currency, serviceDate };
    const { booking } = await confirmedBooking(owner, { booking: { currency }, item: known });
    await addItem(owner, booking.id, { unitSellCents: 500, serviceDate, ...cost });
    const [{ unknownCosts } = { unknownCosts: 0 }] = (await report(query)).data;
    expect(unknownCosts).toBeGreaterThan(0);
    const unknown = { costCents: null, marginCents: null, unknownCosts };
    expect(await report(query)).toMatchObject({ data: [unknown], totals: [unknown] });
  });

  it('the payment journal lists payments and reversals, and opening plus rows is closing', async () => {
    const currency = 'SEK';
    const { id } = await bookingWith(app, { currency, installments: [[day(0), 5_000]] });
    const bill = await approved(owner, 300, { currency, issueDate: day(-20) });
    const early = await recorded(owner, received(id, 1_000, { currency, paidOn: day(-10) }));
    await recorded(owner, out(bill.id, 300, { currency, paidOn: day(-2) }));
    await reverse(owner, early.id);
    const journal = await report(`payment-journal?currency=${currency}&from=${day(-5)}&to=${day(0)}`);
    expect(journal.data.map((row) => [row['date'], row['entry'], row['amountCents']])).toEqual([
      [day(-2), 'payment', -300],
      [day(0), 'reversal', -1_000],
    ]);
    expect(journal.totals).toEqual([
      { currency, count: 2, openingCents: 1_000, movementCents: -1_300, closingCents: -300 },
    ]);
  });
});

describe('reports as CSV', () => {
  it('the file has the rows and figures of the JSON, with decimal amounts and without formulas', async () => {
    const currency = 'JOD';
    const { id } = await bookingWith(app, { currency, installments: [[day(-1), 12_345]] });
    await app.sql(`update bookings set customer_name = '=HYPERLINK("x")' where id = $1`, [id]);
    const query = `open-installments?currency=${currency}`;
    const json = await report(query);
    const { status, text, headers } = await owner.get(`${REPORTS}/${query}&format=csv`);
    expect([status, headers['content-type']]).toEqual([200, 'text/csv; charset=utf-8; header=present']);
    const [header = '', row = '', ...rest] = text.split('\r\n');
    expect(rest).toEqual(['']);
    expect(header.split(',')).toEqual(expect.arrayContaining(['scheduleId', 'outstandingCents', 'outstanding']));
    expect(row).toContain(String(json.data[0]?.['scheduleId']));
    expect(row).toContain(`"'=HYPERLINK(""x"")"`);
    expect(row).toContain(',12345,12.345,');
  });

  it('each report is available as CSV', async () => {
    const range = `from=${day(-30)}&to=${day(0)}`;
    const paths = [
      ...[
        'receivables?',
        'receivables/entries?',
        'payables?',
        'payables/entries?',
        'open-installments?',
        'unapplied-money?',
      ],
      ...[
        'vat',
        'vat/documents',
        'revenue',
        'margin',
        'commissions',
        'payment-journal',
        'invoice-journal',
        'numbering',
      ].map((path) => `${path}?${range}&`),
    ];
    for (const path of paths) {
      const { total } = await report(`${path}limit=1`);
      const { status, text } = await owner.get(`${REPORTS}/${path}format=csv`);
      expect([path, status, text.split('\r\n').length - 2]).toEqual([path, 200, total]);
    }
  });
});

describe('the routes of reports', () => {
  it('reports need finance:read', async () => {
    const { status } = await (await staffWith(app, 'bookings:read')).get(`${REPORTS}/receivables`);
    expect(status).toBe(403);
  });

  it('a report of a period covers this month until today unless the query names its days', async () => {
    const month = `from=${day(0).slice(0, 8)}01&to=${day(0)}`;
    expect(await report('payment-journal')).toEqual(await report(`payment-journal?${month}`));
    expect((await owner.get(`${REPORTS}/vat?from=2026-02-30`)).status).toBe(400);
  });

  it('a period that ends before it starts is rejected with 400, as JSON and as CSV', async () => {
    const paths = [
      'vat?from=2026-02-01&to=2026-01-31',
      'revenue?from=2026-02-01&to=2026-01-31&format=csv',
      'numbering?from=2026-02-01&to=2026-01-31',
    ];
    for (const path of paths) {
      const { status, body } = await owner.get(`${REPORTS}/${path}`);
      expect([path, status, body]).toEqual([path, 400, invalid('to', 'end_before_start')]);
    }
    const { status, body } = await owner.get(`${REPORTS}/open-installments?dueFrom=2026-02-01&dueTo=2026-01-31`);
    expect([status, body]).toEqual([400, invalid('dueTo', 'end_before_start')]);
  });
});
