import { beforeAll, describe, expect, it } from '@jest/globals';
import { startApp, type TestApp } from '../../setup/app.js';
import type { TestClient } from '../../setup/client.js';
import { insertRates } from '../exchange-rates/rates.js';
import { taxCodeAt, type TaxCode } from '../../taxes/tax-codes.js';
import { issuedNote } from '../credit-notes/crediting.js';
import { draft, issue, sell, travelToDayOfMonth, voiding } from '../invoices/invoicing.js';
import { makeSeries, PATH as SERIES, type Series } from '../number-series/series.js';
import { received } from '../payments/bookings.js';
import { recorded } from '../payments/payments.js';
import { readReport, REPORTS, sum, totalOf } from './reporting.js';

let app: TestApp;
let owner: TestClient;
let series: Series;
let standard: TaxCode;
let exempt: TaxCode;

beforeAll(async () => {
  app = await startApp({ env: { JOBS: 'false' } });
  owner = app.as('owner');
  await insertRates(app, ['CZK', 'ISK', 'PLN', 'RON', 'SEK']);
  series = await makeSeries(owner, { isDefault: true, pattern: '{prefix}{SEQ}' });
  await makeSeries(owner, { isDefault: true, documentType: 'credit_note' });
  standard = await taxCodeAt(owner, 1_900, { code: 'RP-19' });
  exempt = await taxCodeAt(owner, 0, { code: 'RP-X', kind: 'exempt', mention: 'Exempt from VAT' });
});

const day = (offset: number) => app.day(offset);
const report = (path: string) => readReport(app, path);
const range = () => `from=${day(0)}&to=${day(0)}`;

async function issued(bookingId: string): Promise<{ id: string; number: string | null }> {
  const { id } = await draft(owner, { bookingId });
  const { status, text, body } = await issue(owner, id);
  expect([status, text]).toEqual([200, text]);
  return body.data;
}

describe('tax reports', () => {
  it('value-added tax is summed by tax code and rate, and each row names its documents', async () => {
    const currency = 'PLN';
    const items = [
      { unitSellCents: 11_900, taxIncludedCents: 1_900, taxCode: standard },
      { unitSellCents: 5_000, taxCode: exempt },
      { unitSellCents: 1_000, taxIncludedCents: 90 },
    ];
    const { id } = await sell(app, { currency, items });
    const invoice = await issued(id);
    const other = await sell(app, { currency, items: items.slice(0, 1) });
    const note = await issuedNote(owner, await issued(other.id));
    const vat = await report(`vat?currency=${currency}&side=output&${range()}`);
    expect(vat.data).toEqual([
      {
        group: `output:${standard.id}:1900`,
        side: 'output',
        ...{ taxCodeId: standard.id, taxCode: 'RP-19', taxKind: 'standard', taxRateBasisPoints: 1_900 },
        ...{ currency, count: 3, netCents: 10_000, taxCents: 1_900, grossCents: 11_900 },
        ...{ baseCurrency: 'EUR', baseNetCents: 4_637, baseTaxCents: 881, baseGrossCents: 5_518, unconverted: 0 },
      },
      {
        group: `output:${exempt.id}:0`,
        side: 'output',
        ...{ taxCodeId: exempt.id, taxCode: 'RP-X', taxKind: 'exempt', taxRateBasisPoints: 0 },
        ...{ currency, count: 1, netCents: 5_000, taxCents: 0, grossCents: 5_000 },
        ...{ baseCurrency: 'EUR', baseNetCents: 2_319, baseTaxCents: 0, baseGrossCents: 2_319, unconverted: 0 },
      },
      {
        group: 'output:none:none',
        side: 'output',
        ...{ taxCodeId: null, taxCode: null, taxKind: null, taxRateBasisPoints: null },
        ...{ currency, count: 1, netCents: 910, taxCents: 90, grossCents: 1_000 },
        ...{ baseCurrency: 'EUR', baseNetCents: 422, baseTaxCents: 42, baseGrossCents: 464, unconverted: 0 },
      },
    ]);
    for (const row of vat.data) {
      const documents = await report(`vat/documents?currency=${currency}&group=${String(row['group'])}&${range()}`);
      expect([documents.total, sum(documents.data, currency, 'taxCents')]).toEqual([row['count'], row['taxCents']]);
    }
    const journal = await report(`invoice-journal?currency=${currency}&${range()}`);
    expect(journal.data.map((row) => [row['id'], row['taxCode'], row['grossCents']])).toEqual([
      [invoice.id, 'RP-19', 11_900],
      [invoice.id, 'RP-X', 5_000],
      [invoice.id, null, 1_000],
      [note.invoiceId, 'RP-19', 11_900],
      [note.id, 'RP-19', -11_900],
    ]);
    expect(totalOf(journal, currency)).toMatchObject({ grossCents: 17_900, taxCents: 1_990 });
    expect(totalOf(vat, currency)).toMatchObject({ grossCents: 17_900, taxCents: 1_990 });
  });

  it('the code and the rate in the report are those of the day of issue', async () => {
    const currency = 'CZK';
    const code = await taxCodeAt(owner, 2_100, { code: 'RP-21' });
    const item = { unitSellCents: 12_100, taxIncludedCents: 2_100, taxCode: code };
    await issued((await sell(app, { currency, items: [item] })).id);
    const before = await report(`vat?currency=${currency}&${range()}`);
    const later = { rateBasisPoints: 2_500, validFrom: day(1) };
    expect((await owner.post(`/v1/admin/finance/tax-codes/${code.id}/rates`, later)).status).toBe(201);
    expect(
      (await owner.patch(`/v1/admin/finance/tax-codes/${code.id}`, { name: 'Renamed', active: false })).status,
    ).toBe(200);
    expect(await report(`vat?currency=${currency}&${range()}`)).toEqual(before);
  });
});

describe('the invoice journal', () => {
  it('the status of an invoice is that of the last day, so that the journal of a past period stays the same', async () => {
    const currency = 'RON';
    const sold = await sell(app, { currency, items: [{ unitSellCents: 1_000 }] });
    const invoice = await issued(sold.id);
    const credited = await issued((await sell(app, { currency, items: [{ unitSellCents: 500 }] })).id);
    const path = `invoice-journal?currency=${currency}&${range()}`;
    const before = await report(path);
    app.travel({ days: 1 });
    await recorded(
      owner,
      received(sold.id, 400, { currency, paidOn: day(0), allocations: [{ invoiceId: invoice.id, amountCents: 400 }] }),
    );
    await issuedNote(owner, credited);
    expect((await report(path)).data).toEqual(before.data);
    const now = await report(`invoice-journal?currency=${currency}&from=${day(-1)}&to=${day(0)}`);
    expect(now.data.map((row) => [row['type'], row['status']])).toEqual([
      ['invoice', 'partially_paid'],
      ['invoice', 'credited'],
      ['credit_note', 'issued'],
    ]);
    await recorded(
      owner,
      received(sold.id, 600, { currency, paidOn: day(0), allocations: [{ invoiceId: invoice.id, amountCents: 600 }] }),
    );
    const paid = await report(`invoice-journal?currency=${currency}&from=${day(-1)}&to=${day(0)}`);
    expect(paid.data[0]).toMatchObject({ id: invoice.id, status: 'paid' });
  });

  it('documents are listed in the order of their numbers, also if these have no leading zeros', async () => {
    const currency = 'ISK';
    for (let count = 0; count < 11; count += 1) await issued((await sell(app, { currency })).id);
    const { data } = await report(`invoice-journal?currency=${currency}&${range()}`);
    const sequences = data.map((row) => Number(String(row['number']).slice(series.prefix.length)));
    expect(sequences).toEqual([...sequences].sort((one, other) => one - other));
    expect(sequences[10]).toBe(Number(sequences[0]) + 10);
  });
});

describe('the report of numbers', () => {
  it('all numbers are listed with their documents, and those without one with their reason', async () => {
    travelToDayOfMonth(app, 5);
    const own = await makeSeries(owner, { isDefault: true, resetPeriod: 'never', pattern: '{prefix}{SEQ}' });
    const first = await issued((await sell(app)).id);
    const skipping = { nextNumber: 4, reason: 'Numbers of the old system' };
    expect((await owner.patch(`${SERIES}/${own.id}`, skipping)).status).toBe(200);
    app.travel({ days: 1 });
    const second = await issued((await sell(app)).id);
    expect((await voiding(owner, second.id)).status).toBe(200);

    const all = await report(`numbering?seriesId=${own.id}`);
    expect(all.data).toMatchObject([
      { sequence: 1, documentId: first.id, number: first.number, status: 'issued', issueDate: day(-1), anomaly: null },
      { sequence: 2, lastSequence: 3, documentId: null, reason: 'Numbers of the old system', anomaly: 'gap' },
      { sequence: 4, documentId: second.id, status: 'void', periodKey: 'all', seriesName: own['name'] },
    ]);
    expect(all.totals).toEqual([
      { documentType: 'invoice', count: 3, documents: 2, skippedNumbers: 2, missingNumbers: 0, datesOutOfOrder: 0 },
    ]);
    const sequencesOf = async (query: string) =>
      (await report(`numbering?seriesId=${own.id}&${query}`)).data.map((row) => row['sequence']);
    expect(await sequencesOf('anomalous=true')).toEqual([2]);
    expect(await sequencesOf(`from=${day(0)}`)).toEqual([2, 4]);
    expect(await sequencesOf(`to=${day(-1)}`)).toEqual([1]);
    expect(await sequencesOf('documentType=credit_note')).toEqual([]);
    expect(await sequencesOf('periodKey=2020')).toEqual([]);

    const skipped = await owner.patch(`${SERIES}/${own.id}`, { nextNumber: 7, reason: 'Reserved' });
    expect(skipped.status).toBe(200);
    expect(await sequencesOf(`from=${day(0)}&to=${day(0)}&anomalous=true`)).toEqual([2, 5]);
    const { status, text } = await owner.get(`${REPORTS}/numbering?seriesId=${own.id}&format=csv`);
    expect([status, text.split('\r\n').length]).toEqual([200, 6]);
    expect(text).toContain('Numbers of the old system');
  });

  it('a number whose document is missing is found', async () => {
    const own = await makeSeries(owner, { isDefault: true, resetPeriod: 'never' });
    await issued((await sell(app)).id);
    await app.sql('update invoice_number_counters set next_number = 3 where series_id = $1', [own.id]);
    const found = await report(`numbering?seriesId=${own.id}&anomalous=true`);
    expect(found.data).toMatchObject([{ sequence: 2, lastSequence: 2, number: null, anomaly: 'missing_document' }]);
    expect(found.totals).toMatchObject([{ missingNumbers: 1 }]);
  });
});

describe('a response with computed parts', () => {
  it('the preview of a period is complete although the version of the period is unchanged', async () => {
    app.travel({ days: 62 });
    const path = `/v1/admin/finance/periods/${day(0).slice(0, 7)}`;
    const before = await owner.get(path);
    expect([before.status, before.headers.etag]).toEqual([200, '"1"']);
    await issued((await sell(app, { currency: 'SEK' })).id);
    const after = await owner.get<{ data: { figures: { currency: string }[] } }>(path, {
      headers: { 'If-None-Match': '"1"' },
    });
    expect([after.status, after.headers.etag]).toEqual([200, '"1"']);
    expect(after.body.data.figures.map(({ currency }) => currency)).toContain('SEK');
  });

  it('an installment that became overdue is complete, and a change with its ETag is accepted', async () => {
    const { id, scheduleIds } = await sell(app, { plan: [100_000] });
    const path = `/v1/admin/finance/bookings/${id}/payment-schedules/${scheduleIds[0]}`;
    const { headers } = await owner.get(path);
    const etag = String(headers.etag);
    app.travel({ days: 400 });
    const late = await owner.get<{ data: { status: string } }>(path, { headers: { 'If-None-Match': etag } });
    expect([late.status, late.body.data.status]).toEqual([200, 'overdue']);
    const changed = await owner.patch(path, { label: 'Rest' }, { headers: { 'If-Match': etag } });
    expect(changed.status).toBe(200);
  });
});
