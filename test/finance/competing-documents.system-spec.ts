import { beforeAll, describe, expect, it } from '@jest/globals';
import { addItem, BOOKINGS, makeBooking } from '../bookings/bookings.js';
import { startApp, type TestApp } from '../setup/app.js';
import type { TestClient } from '../setup/client.js';
import type { Answer } from '../setup/http.js';
import { fewAtATime } from '../security/calls.js';
import { newTaxCode, TAX_CODES, type TaxCode } from '../taxes/tax-codes.js';
import { issueNote, note } from './credit-notes/crediting.js';
import { draft, type Envelope, issue, PATH as INVOICES, read, sell, voiding } from './invoices/invoicing.js';
import { makeSeries, PATH as SERIES } from './number-series/series.js';
import { bookingWith, received } from './payments/bookings.js';
import { PAYMENTS, recorded } from './payments/payments.js';
import { verify } from './reports/tampering.js';

const FINANCE = '/v1/admin/finance';
const DAY_MS = 86_400_000;

let app: TestApp;
let owner: TestClient;
beforeAll(async () => {
  app = await startApp({ env: { DATABASE_POOL_SIZE: '20' } });
  owner = app.as('owner');
});

/** A busy service responds with 503, and the caller repeats the request. */
async function patiently<Body>(call: () => Promise<Answer<Body>>): Promise<Answer<Body>> {
  for (;;) {
    const answer = await call();
    if (answer.status !== 503 && answer.status !== 429) return answer;
  }
}

const upTo = (count: number) => Array.from({ length: count }, (_, index) => index + 1);
const LINES = [{ description: 'Tour', unitPriceCents: 1_000 }];

async function drafted(): Promise<string> {
  const { id: bookingId } = await sell(app, { plan: [100_000] });
  return (await draft(owner, { bookingId, lines: LINES })).id;
}

async function issued(): Promise<string> {
  const id = await drafted();
  const { status, text } = await patiently(() => issue(owner, id));
  expect([status, text]).toEqual([200, text]);
  return id;
}

/** A cancelled booking with an issued invoice, of which a fee will be kept. */
async function cancelled(): Promise<string> {
  const { id } = await makeBooking(owner, { startDate: '2127-01-01' });
  await addItem(owner, id, { unitSellCents: 100_000 });
  expect((await owner.post(`${BOOKINGS}/${id}/confirmation`)).status).toBe(200);
  const { id: invoiceId } = await draft(owner, { bookingId: id });
  expect((await patiently(() => issue(owner, invoiceId))).status).toBe(200);
  expect((await owner.post(`${BOOKINGS}/${id}/cancellation`, { reason: 'Ill' })).status).toBe(200);
  return id;
}

interface Numbered {
  sequence: string;
  number: string;
  kind: string;
}

/** Returns the documents of a series, and the numbers that its report lists as missing or out of order. */
async function numbersOf(seriesId: string): Promise<{ documents: Numbered[]; anomalies: unknown[] }> {
  const documents = await app.sql<Numbered>(
    `select sequence, number, coalesce(purpose, type) as kind from invoices where series_id = $1 order by sequence`,
    [seriesId],
  );
  const { body } = await owner.get<{ data: { anomaly: string | null }[] }>(
    `${SERIES}/${seriesId}/sequence-report?limit=200`,
  );
  return { documents, anomalies: body.data.flatMap(({ anomaly }) => anomaly ?? []) };
}

describe('the numbers of documents of all types', () => {
  it('50 parallel issues of invoices, credit notes and fee invoices get numbers without a gap and without a duplicate', async () => {
    const series = {
      invoice: await makeSeries(owner, { documentType: 'invoice', isDefault: true }),
      credit: await makeSeries(owner, { documentType: 'credit_note', isDefault: true }),
    };
    const prepared = await fewAtATime([
      ...upTo(20).map(() => async () => ({ kind: 'invoice', id: await drafted() })),
      ...upTo(15).map(() => async () => ({ kind: 'credit', id: (await note(owner, { id: await issued() })).id })),
      ...upTo(15).map(() => async () => ({ kind: 'fee', id: await cancelled() })),
    ]);
    const answers = await Promise.all(
      prepared.map(({ kind, id }) =>
        patiently<unknown>(() => {
          if (kind === 'invoice') return issue(owner, id);
          if (kind === 'credit') return issueNote(owner, id);
          const body = { agreedFeeCents: 50_000, feeReason: 'Agreed by phone' };
          return owner.post(`${FINANCE}/bookings/${id}/cancellation-settlement`, body);
        }),
      ),
    );
    expect(answers.filter(({ status }) => status !== 200).map(({ text }) => text)).toEqual([]);

    const [invoices, notes] = [await numbersOf(series.invoice.id), await numbersOf(series.credit.id)];
    // 15 invoices that are credited, 15 of cancelled bookings, 20 that were issued in parallel, and 15 fees.
    expect(invoices.documents.map(({ sequence }) => Number(sequence))).toEqual(upTo(65));
    expect(invoices.documents.filter(({ kind }) => kind === 'cancellation_fee')).toHaveLength(15);
    // Staff issue 15 and settlements issue 15.
    expect(notes.documents.map(({ sequence, kind }) => [Number(sequence), kind])).toEqual(
      upTo(30).map((sequence) => [sequence, 'credit_note']),
    );
    const numbers = [...invoices.documents, ...notes.documents].map(({ number }) => number);
    expect(new Set(numbers).size).toBe(95);
    expect([invoices.anomalies, notes.anomalies]).toEqual([[], []]);
  }, 240_000);

  it('parallel credit notes before and after a year end get exactly 1 to N in each year', async () => {
    const year = app.now().getUTCFullYear();
    app.travel({ ms: Date.UTC(year + 1, 0, 5, 12) - app.now().getTime() });
    const yearly = { pattern: '{prefix}{YYYY}-{SEQ:4}', resetPeriod: 'yearly' };
    await makeSeries(owner, { ...yearly, documentType: 'invoice', isDefault: true });
    const { id: seriesId } = await makeSeries(owner, { ...yearly, documentType: 'credit_note', isDefault: true });
    const issueDates = [`${year}-12-31`, `${year + 1}-01-01`];
    const works = await fewAtATime(
      upTo(24).map((n) => async () => {
        const { id: bookingId } = await sell(app, { plan: [100_000] });
        const { id } = await draft(owner, { bookingId, lines: LINES });
        const { status, text } = await patiently(() => issue(owner, id, { issueDate: issueDates[0] }));
        expect([status, text]).toEqual([200, text]);
        return { id: (await note(owner, { id })).id, issueDate: issueDates[n % 2] };
      }),
    );
    const answers = await Promise.all(
      works.map(({ id, issueDate }) => patiently(() => issueNote(owner, id, { issueDate }))),
    );
    expect(answers.filter(({ status }) => status !== 200).map(({ text }) => text)).toEqual([]);
    const rows = await app.sql<{ year: string; sequences: number[] }>(
      `select period_key as year, array_agg(sequence::int order by sequence) as sequences
       from invoices where series_id = $1 group by 1 order by 1`,
      [seriesId],
    );
    expect(rows).toEqual([
      { year: String(year), sequences: upTo(12) },
      { year: String(year + 1), sequences: upTo(12) },
    ]);
  }, 240_000);
});

describe('requests for the same document at the same time', () => {
  it('one of ten parallel releases of a date is accepted, and the others are 409', async () => {
    const { id: seriesId } = await makeSeries(owner);
    const invoiceId = await drafted();
    expect((await issue(owner, invoiceId, { seriesId })).status).toBe(200);
    expect((await voiding(owner, invoiceId)).status).toBe(200);
    const body = { invoiceId, reason: 'Issued with a wrong date' };
    const answers = await Promise.all(
      upTo(10).map(() => patiently(() => owner.post<{ code?: string }>(`${SERIES}/${seriesId}/date-releases`, body))),
    );
    expect(answers.map(({ status, body: { code } }) => `${status} ${code ?? ''}`).sort()).toEqual([
      '200 ',
      ...upTo(9).map(() => '409 date_already_released'),
    ]);
    expect(await app.sql('select from document_date_releases where invoice_id = $1', [invoiceId])).toHaveLength(1);
  });

  it('parallel redraws of a draft, with its issue among them, bill each item once', async () => {
    for (let round = 0; round < 4; round += 1) {
      const { id: bookingId } = await sell(app, { items: [{ unitSellCents: 11_900 }] });
      const { id } = await draft(owner, { bookingId });
      await addItem(owner, bookingId, { unitSellCents: 5_000 });
      const recalculate = () => patiently(() => owner.post<Envelope>(`${INVOICES}/${id}/redrawing`));
      const [issuing, ...recalculations] = await Promise.all([
        patiently(() => issue(owner, id, { onStale: 'redraw' })),
        ...upTo(6).map(recalculate),
      ]);
      expect([issuing.status, issuing.text]).toEqual([200, issuing.text]);
      for (const { status, body } of recalculations) {
        if (status !== 200) expect([status, body]).toMatchObject([409, { code: 'invoice_issued' }]);
      }
      const invoice = await read(owner, id);
      expect([invoice.totalCents, invoice.lines.map((line) => line['totalCents'])]).toEqual([16_900, [11_900, 5_000]]);
      const stored = 'select position from invoice_lines where invoice_id = $1 order by position';
      expect(await app.sql(stored, [id])).toEqual([{ position: 1 }, { position: 2 }]);
    }
  });

  it('recalculations of taxes beside an issuance and beside changes of the item leave consistent books', async () => {
    for (let round = 0; round < 4; round += 1) {
      const taxCode = await newTaxCode(owner);
      const item = { unitSellCents: 119_000, taxIncludedCents: 19_000, taxCode, serviceDate: '2027-09-10' };
      const { id: bookingId, itemIds, scheduleIds } = await sell(app, { items: [item], plan: [35_700, 83_300] });
      const deposit = await draft(owner, { bookingId, scheduleId: scheduleIds[0] });
      expect((await patiently(() => issue(owner, deposit.id))).status).toBe(200);
      const balance = await draft(owner, { bookingId, scheduleId: scheduleIds[1] });
      const rate = { rateBasisPoints: 2_100, validFrom: '2027-07-01' };
      expect((await owner.post(`${TAX_CODES}/${taxCode.id}/rates`, rate)).status).toBe(201);

      const recalculate = () => patiently(() => owner.post(`${BOOKINGS}/${bookingId}/tax-recalculation`));
      const patch = (unitSellCents: number) =>
        patiently(() => owner.patch(`${BOOKINGS}/${bookingId}/items/${itemIds[0]}`, { unitSellCents }));
      const [issuing, ...others] = await Promise.all([
        patiently(() => issue(owner, balance.id, { onStale: 'redraw' })),
        ...[130_900, 142_800].map(patch),
        ...upTo(4).map(recalculate),
      ]);
      expect([issuing.status, issuing.text]).toEqual([200, issuing.text]);
      for (const { status, text } of others) expect([status, text]).toEqual([200, text]);
      const last = await recalculate();
      expect([last.status, last.text]).toEqual([200, last.text]);

      // When everything is billed, the documents have the tax of the item, each part at the rate of its time.
      const rest = await draft(owner, { bookingId });
      expect((await patiently(() => issue(owner, rest.id))).status).toBe(200);
      const [sums] = await app.sql(
        `select item.total_sell_cents as total, item.tax_included_cents as tax, item.tax_rate_changed as marked,
           item.tax_rate_basis_points as rate, sum(line.total_cents) as "billedTotal", sum(line.tax_cents) as "billedTax"
         from booking_items item join invoices invoice on invoice.booking_id = item.booking_id and invoice.number is not null
         join invoice_lines line on line.invoice_id = invoice.id
         where item.booking_id = $1 group by item.id`,
        [bookingId],
      );
      const { total, tax } = sums as { total: string; tax: string };
      expect(sums).toEqual({ total, tax, marked: false, rate: 2_100, billedTotal: total, billedTax: tax });
      expect(['130900', '142800']).toContain(total);
      const entries = await app.sql(
        `select from action_ledger_entries where subject_id = $1 and action = 'bookings.booking.recalculate_taxes'`,
        [bookingId],
      );
      expect(entries).toHaveLength(5);
    }
    expect((await verify(owner)).checks.filter(({ violations }) => violations > 0)).toEqual([]);
  });

  it('parallel new rates of a tax code from different days never overlap and leave no gap', async () => {
    const { id } = await newTaxCode(owner);
    const days = upTo(12).map((month) => `2031-${String(month).padStart(2, '0')}-01`);
    const answers = await Promise.all(
      days.map((validFrom, n) =>
        patiently(() => owner.post(`${TAX_CODES}/${id}/rates`, { rateBasisPoints: 100 + n, validFrom })),
      ),
    );
    for (const { status, body } of answers) {
      if (status !== 201) expect([status, body]).toMatchObject([409, { code: 'tax_rate_overlap' }]);
    }
    expect(answers.filter(({ status }) => status === 201).length).toBeGreaterThan(0);
    const { rates } = (await owner.get<{ data: TaxCode }>(`${TAX_CODES}/${id}`)).body.data;
    expect(rates).toHaveLength(1 + answers.filter(({ status }) => status === 201).length);
    for (const [index, { validFrom }] of rates.entries()) {
      if (index === 0) continue;
      const before = new Date(Date.parse(validFrom) - DAY_MS).toISOString().slice(0, 10);
      expect(rates[index - 1]?.validTo).toBe(before);
    }
    expect(rates.at(-1)?.validTo).toBeNull();
  });
});

describe('applying money again', () => {
  it('a second application of the money of a booking writes nothing', async () => {
    const { id } = await bookingWith(app, {
      installments: [
        ['2026-05-02', 50_000],
        ['2027-05-01', 30_000],
      ],
    });
    const { id: invoiceId } = await draft(owner, { bookingId: id });
    expect((await patiently(() => issue(owner, invoiceId))).status).toBe(200);
    const { id: paymentId } = await recorded(owner, received(id, 60_000));
    const { id: surplusId } = await recorded(owner, received(id, 40_000));
    const state = () =>
      app.sql(
        `select (select count(*) from payment_allocations a join payments p on p.id = a.payment_id where p.booking_id = $1) as allocations,
           (select json_agg(json_build_array(id, version, unapplied_cents) order by id) from payments where booking_id = $1) as payments,
           (select json_agg(json_build_array(id, version, paid_cents, status) order by id) from payment_schedules
            where booking_id = $1) as installments,
           (select json_agg(json_build_array(id, version, paid_cents, status) order by id) from invoices
            where booking_id = $1) as invoices,
           (select count(*) from payment_schedule_history h join payment_schedules s on s.id = h.schedule_id
            where s.booking_id = $1) as history`,
        [id],
      );
    const before = await state();
    for (const payment of [paymentId, surplusId, surplusId]) {
      const { status, text } = await patiently(() => owner.post(`${PAYMENTS}/${payment}/allocations`));
      expect([status < 500, text]).toEqual([true, text]);
    }
    expect(await state()).toEqual(before);
  });
});
