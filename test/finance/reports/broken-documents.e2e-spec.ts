import { beforeAll, describe, expect, it } from '@jest/globals';
import { TaxRateJobs } from '../../../src/modules/bookings/bookings/tax-rates.jobs.js';
import { asSystem } from '../../../src/platform/context/request-context.js';
import { startApp, type TestApp } from '../../setup/app.js';
import type { TestClient } from '../../setup/client.js';
import { newTaxCode, type TaxCode, TAX_CODES } from '../../taxes/tax-codes.js';
import { issuedNote, useOwnSeries } from '../credit-notes/crediting.js';
import { insertRates } from '../exchange-rates/rates.js';
import { make } from '../invoices.js';
import { draft, type Invoice, issue, sell } from '../invoices/invoicing.js';
import { makeSeries, PATH as SERIES } from '../number-series/series.js';
import { broken, entry, verify, violatedBy } from './tampering.js';

let app: TestApp;
let owner: TestClient;

beforeAll(async () => {
  app = await startApp({ env: { JOBS: 'false' } });
  owner = app.as('owner');
  await useOwnSeries(owner);
  // Items that fixtures insert are older than the documents that bill them.
  app.travel({ hours: 1 });
});

async function issued(body: Record<string, unknown>, terms: object = {}): Promise<Invoice> {
  const { id } = await draft(owner, body);
  const answer = await issue(owner, id, terms);
  expect([answer.status, answer.text]).toEqual([200, answer.text]);
  return answer.body.data;
}

/** An invoice whose lines staff entered: two lines of 119 and one of 50, with a tax of 19 each. */
async function manual(terms: object = {}): Promise<Invoice> {
  const { id: bookingId } = await sell(app);
  const lines = [
    { description: 'Seat', unitPriceCents: 10_000, taxRateBasisPoints: 1_900 },
    { description: 'Room', unitPriceCents: 5_000, taxRateBasisPoints: 1_900 },
  ];
  return issued({ bookingId, lines }, terms);
}

/** The first installment of a trip for 119000 with a tax of 19000, on an invoice. */
async function deposit(): Promise<Invoice> {
  const items = [{ title: 'Trip', unitSellCents: 119_000, taxIncludedCents: 19_000 }];
  const { id: bookingId, scheduleIds } = await sell(app, { items, plan: [35_700, 83_300] });
  return issued({ bookingId, scheduleId: scheduleIds[0] });
}

/** Changes the tax of an invoice with one line everywhere, so that its sums agree. */
const taxOf = (id: string, tax: number, total: number) => `
  update invoice_lines set tax_cents = ${tax}, net_cents = ${total - tax} where invoice_id = '${id}';
  update invoice_tax_lines set tax_cents = ${tax}, net_cents = ${total - tax} where invoice_id = '${id}';
  update invoices set tax_cents = ${tax}, subtotal_cents = ${total - tax} where id = '${id}'`;
const WHOLE_DOCUMENT = ['invoices', 'invoice_lines', 'invoice_tax_lines'];

describe('the integrity report about the sums of documents', () => {
  it.each([
    {
      what: 'a tax of the head',
      change: 'update invoices set tax_cents = tax_cents + $, subtotal_cents = subtotal_cents - $ where id',
      values: [2_850, 2_851] as const,
    },
    {
      what: 'a tax in the tax summary',
      change: 'update invoice_tax_lines set tax_cents = tax_cents + $, net_cents = net_cents - $ where invoice_id',
      values: [2_851, 2_850] as const,
    },
    {
      what: 'a total of the tax summary',
      change: 'update invoice_tax_lines set gross_cents = gross_cents + $, net_cents = net_cents + $ where invoice_id',
      values: [17_851, 17_850] as const,
    },
    {
      what: 'a tax of the head in the base currency',
      change:
        'update invoices set base_tax_cents = base_tax_cents + $, base_total_cents = base_total_cents + $ where id',
      values: [17_850, 17_851] as const,
    },
  ])('$what that differs from the lines is reported', async ({ change, values }) => {
    const { id } = await manual();
    const set = (difference: number) => `${change.replaceAll('$', `(${difference})`)} = '${id}'`;
    const found = await violatedBy(app, owner, { tables: WHOLE_DOCUMENT, change: set(1), restore: set(-1) });
    expect(found).toEqual({ document_sums: entry('invoice', id, values) });
  });

  it('a tax of a credit note that differs from its lines is reported', async () => {
    const { id } = await issuedNote(owner, await manual(), { lines: [{ linePosition: 1, amountCents: 1_190 }] });
    const set = (difference: number) => `
      update invoices set tax_cents = tax_cents + ${difference}, subtotal_cents = subtotal_cents - ${difference}
      where id = '${id}'`;
    const found = await violatedBy(app, owner, { tables: ['invoices'], change: set(1), restore: set(-1) });
    expect(found).toEqual({ document_sums: entry('credit_note', id, [190, 191]) });
  });

  it('a tax of a supplier invoice that differs from its lines is reported', async () => {
    const lines = [{ description: 'Room', unitAmountCents: 10_000, taxAmountCents: 1_900 }];
    const { id } = await make(owner, { lines });
    const set = (tax: number) =>
      `update supplier_invoices set tax_cents = ${tax}, subtotal_cents = ${11_900 - tax} where id = '${id}'`;
    const found = await violatedBy(app, owner, { tables: ['supplier_invoices'], change: set(0), restore: set(1_900) });
    expect(found).toEqual({ document_sums: entry('supplier_invoice', id, [1_900, 0]) });
  });
});

describe('the integrity report about taxes', () => {
  it('more tax on documents than the items have is reported', async () => {
    const { id, bookingId } = await deposit();
    const found = await violatedBy(app, owner, {
      tables: WHOLE_DOCUMENT,
      change: taxOf(id, 19_001, 35_700),
      restore: taxOf(id, 5_700, 35_700),
    });
    expect(found).toEqual({ tax_on_documents: entry('booking', bookingId, [19_000, 19_001]) });
  });

  it('once all is billed, another tax on documents than that of the items is reported', async () => {
    const { bookingId } = await deposit();
    const [rest] = await app.sql<{ id: string }>(
      'select id from payment_schedules where booking_id = $1 and position = 2',
      [bookingId],
    );
    const { id } = await issued({ bookingId, scheduleId: rest?.id });
    const found = await violatedBy(app, owner, {
      tables: WHOLE_DOCUMENT,
      change: taxOf(id, 13_299, 83_300),
      restore: taxOf(id, 13_300, 83_300),
    });
    expect(found).toEqual({ tax_on_documents: entry('booking', bookingId, [19_000, 18_999]) });
  });

  it('items that changed after their invoice make a credit due, which is no violation', async () => {
    const { bookingId } = await deposit();
    const [item] = await app.sql<{ id: string }>('select id from booking_items where booking_id = $1', [bookingId]);
    app.travel({ hours: 1 });
    const changed = await owner.patch(`/v1/admin/bookings/${bookingId}/items/${item?.id}`, { taxIncludedCents: 0 });
    expect(changed.status).toBe(200);
    app.travel({ days: 60 });
    expect(broken(await verify(owner))).toEqual({});
    app.travel({ days: -60 });
  });

  it('a waived installment lowers what each tax group may have on documents, at the rates of its items', async () => {
    const rates = [
      { rateBasisPoints: 1_900, validFrom: '2007-01-01', validTo: '2127-12-31' },
      { rateBasisPoints: 2_100, validFrom: '2128-01-01' },
    ];
    const [standard, reduced] = [await newTaxCode(owner, { rates }), await newTaxCode(owner, { kind: 'reduced' })];
    const of = ({ id, code }: TaxCode, kind: string, ofItem = rates) => ({
      taxCode: { id, code, kind, rates: ofItem },
    });
    const discounted = { ...of(standard, 'standard', rates.slice(1)), serviceDate: '2128-06-01' };
    const { id: bookingId, scheduleIds } = await sell(app, {
      items: [
        { unitSellCents: 119_000, taxIncludedCents: 19_000, ...of(standard, 'standard') },
        { unitSellCents: -12_100, taxIncludedCents: -2_100, ...discounted },
        { unitSellCents: 11_900, taxIncludedCents: 1_900, ...of(reduced, 'reduced') },
      ],
      plan: [88_001, 30_799],
    });
    const waived = await owner.patch(
      `/v1/admin/finance/bookings/${bookingId}/payment-schedules/${scheduleIds[1]}?rebalance=none`,
      { status: 'cancelled' },
    );
    expect([waived.status, waived.text]).toEqual([200, waived.text]);
    app.travel({ hours: 1 });
    const { id, taxCents } = await issued({ bookingId });
    expect(broken(await verify(owner))).toEqual({});
    const [line] = await app.sql<{ tax: number; total: number }>(
      `select total_cents::int as total, (
         select sum(other.tax_cents)::int from invoice_lines other
         where other.invoice_id = line.invoice_id and other.tax_code_id = line.tax_code_id) as tax
       from invoice_lines line where invoice_id = $1 and position = 1`,
      [id],
    );
    const set = (difference: number) => `
      update invoice_lines set tax_cents = tax_cents - ${difference}, net_cents = net_cents + ${difference}
      where invoice_id = '${id}' and position = 1;
      update invoice_tax_lines set tax_cents = tax_cents - ${difference}, net_cents = net_cents + ${difference}
      where invoice_id = '${id}' and gross_cents = ${line?.total};
      update invoices set tax_cents = tax_cents - ${difference}, subtotal_cents = subtotal_cents + ${difference}
      where id = '${id}'`;
    const found = await violatedBy(app, owner, { tables: WHOLE_DOCUMENT, change: set(1), restore: set(-1) });
    const tax = line?.tax ?? 0;
    expect([taxCents, found]).toEqual([
      expect.any(Number),
      { tax_on_documents: entry('booking', bookingId, [tax, tax - 1]) },
    ]);
  });

  it('an item whose tax rate is not that of its tax code is reported, one that is marked is not', async () => {
    const taxCode = await newTaxCode(owner);
    const { id: bookingId } = await sell(app, { items: [] });
    const item = {
      type: 'unit',
      title: 'Seat',
      unitSellCents: 11_900,
      taxCodeId: taxCode.id,
      serviceDate: '2128-06-01',
    };
    const { status, body } = await owner.post<{ data: { id: string } }>(`/v1/admin/bookings/${bookingId}/items`, item);
    expect(status).toBe(201);
    const set = (rate: number) =>
      `update tax_code_rates set rate_basis_points = ${rate} where tax_code_id = '${taxCode.id}'`;
    const found = await violatedBy(app, owner, {
      tables: ['tax_code_rates'],
      change: set(1_800),
      restore: set(1_900),
    });
    expect(found).toEqual({ tax_of_items: entry('booking_item', body.data.id, [1_900, 1_900]) });

    app.travel({ hours: 1 });
    const added = await owner.post(`${TAX_CODES}/${taxCode.id}/rates`, {
      rateBasisPoints: 2_100,
      validFrom: '2128-01-01',
    });
    expect([added.status, added.text]).toEqual([201, added.text]);
    // The job that marks the item has not run.
    expect(broken(await verify(owner))).toEqual({ tax_of_items: entry('booking_item', body.data.id, [1_900, 1_900]) });
    expect((await owner.post(`/v1/admin/bookings/${bookingId}/items`, item)).status).toBe(201);
    const job = { taxCodeId: taxCode.id, validFrom: '2128-01-01' };
    await asSystem(() => app.nest.get(TaxRateJobs).markItems(job));
    expect(broken(await verify(owner))).toEqual({});
    expect((await owner.post(`/v1/admin/bookings/${bookingId}/tax-recalculation`)).status).toBe(200);
    expect(broken(await verify(owner))).toEqual({});
  });

  it('an item that keeps another tax for what was billed before its rate changed is reported', async () => {
    const taxCode = await newTaxCode(owner);
    const item = { unitSellCents: 119_000, taxIncludedCents: 19_000, taxCode, serviceDate: '2127-06-01' };
    const { id: bookingId, itemIds, scheduleIds } = await sell(app, { items: [item], plan: [35_700, 83_300] });
    await issued({ bookingId, scheduleId: scheduleIds[0] });
    app.travel({ hours: 1 });
    await owner.post(`${TAX_CODES}/${taxCode.id}/rates`, { rateBasisPoints: 2_100, validFrom: '2127-01-01' });
    await owner.post(`/v1/admin/bookings/${bookingId}/tax-recalculation`);
    await issued({ bookingId, scheduleId: scheduleIds[1] });
    const itemId = itemIds[0] ?? '';
    const constraint = 'alter table booking_items drop constraint booking_items_coded_tax';
    await app.sql(`create table kept_rule as select pg_get_constraintdef(oid) as rule from pg_constraint
      where conname = 'booking_items_coded_tax'`);
    await app.sql(constraint);
    const set = (cents: number) => `update booking_items set earlier_rate_tax_cents = ${cents} where id = '${itemId}'`;
    const found = await violatedBy(app, owner, { tables: ['booking_items'], change: set(5_699), restore: set(5_700) });
    expect(found).toEqual({ tax_of_items: entry('booking_item', itemId, [20_156, 20_157]) });
    const [{ rule } = { rule: '' }] = await app.sql<{ rule: string }>('select rule from kept_rule');
    await app.sql(`alter table booking_items add constraint booking_items_coded_tax ${rule}; drop table kept_rule`);
  });
});

describe('the integrity report about credits', () => {
  it('an invoice whose credited amount is not the sum of its credit notes is reported', async () => {
    const invoice = await manual();
    await issuedNote(owner, invoice, { lines: [{ linePosition: 1, amountCents: 1_190 }] });
    const set = (cents: number) => `update invoices set credited_cents = ${cents} where id = '${invoice.id}'`;
    const found = await violatedBy(app, owner, { tables: ['invoices'], change: set(1_189), restore: set(1_190) });
    expect(found).toEqual({ credit_bounds: entry('invoice', invoice.id, [1_190, 1_189]) });
  });

  it('a line that is credited with more than its amount is reported', async () => {
    const invoice = await manual();
    const { id } = await issuedNote(owner, invoice, { lines: [{ linePosition: 1, amountCents: 11_000 }] });
    const set = (position: number) =>
      `update invoice_lines set original_position = ${position} where invoice_id = '${id}'`;
    const found = await violatedBy(app, owner, { tables: ['invoice_lines'], change: set(2), restore: set(1) });
    expect(found).toEqual({ credit_bounds: entry('invoice', invoice.id, [5_950, 11_000]) });
  });

  it('a full credit with another amount in the base currency than its invoice is reported', async () => {
    await insertRates(app, ['KWD']);
    const { id: bookingId } = await sell(app, { currency: 'KWD', items: [{ unitSellCents: 12_345 }] });
    const invoice = await issued({ bookingId });
    const { id } = await issuedNote(owner, invoice);
    const set = (cents: number) => `
      update invoices set base_subtotal_cents = ${cents}, base_total_cents = ${cents} where id = '${id}';
      update invoice_tax_lines set base_net_cents = ${cents}, base_gross_cents = ${cents} where invoice_id = '${id}'`;
    const found = await violatedBy(app, owner, { tables: WHOLE_DOCUMENT, change: set(3_678), restore: set(3_679) });
    expect(found).toEqual({ credit_bounds: entry('invoice', invoice.id, [3_679, 3_678]) });
  });

  it('a credit note of another booking than its invoice is reported', async () => {
    const invoice = await manual();
    const { id } = await issuedNote(owner, invoice, { lines: [{ linePosition: 1, amountCents: 1_190 }] });
    const { id: other } = await sell(app);
    const set = (bookingId: string) => `update invoices set booking_id = '${bookingId}' where id = '${id}'`;
    const found = await violatedBy(app, owner, {
      tables: ['invoices'],
      change: set(other),
      restore: set(invoice.bookingId),
    });
    expect(found).toEqual({
      credit_bounds: entry('credit_note', id, [17_850, 1_190]),
      journals_balance: expect.arrayContaining([
        ...entry('booking', invoice.bookingId, [17_850, 16_660]),
        ...entry('booking', other, [-1_190, 0]),
      ]),
    });
  });
});

describe('the integrity report about numbers', () => {
  const day = (offset: number) => app.day(offset);

  it('a number that is on no document and in no recorded gap is reported', async () => {
    const { id } = await makeSeries(owner);
    await manual({ seriesId: id });
    const set = (next: number) => `update invoice_number_counters set next_number = ${next} where series_id = '${id}'`;
    const found = await violatedBy(app, owner, {
      tables: ['invoice_number_counters'],
      change: set(4),
      restore: set(2),
    });
    expect(found).toEqual({ numbers_gapless: entry('invoice_number_series', id, [2, 4]) });
  });

  it('numbers that were skipped with a reason, or lie before the first one, are no violation; a lost gap is one', async () => {
    const { id, version } = await makeSeries(owner, { nextNumber: 41 });
    await manual({ seriesId: id });
    const { version: now = version } = (await owner.get<{ data: { version: number } }>(`${SERIES}/${id}`)).body.data;
    const skipped = await owner.patch(
      `${SERIES}/${id}`,
      { nextNumber: 50, reason: 'Printed forms were lost' },
      { headers: { 'if-match': `"${now}"` } },
    );
    expect([skipped.status, skipped.text]).toEqual([200, skipped.text]);
    await manual({ seriesId: id });
    const found = await violatedBy(app, owner, {
      tables: ['number_gaps'],
      change: `update number_gaps set to_sequence = 48 where series_id = '${id}' and from_sequence = 42`,
      restore: `update number_gaps set to_sequence = 49 where series_id = '${id}' and from_sequence = 42`,
    });
    expect(found).toEqual({ numbers_gapless: entry('invoice_number_series', id, [49, 50]) });
  });

  it('a document with an earlier date than the number before it is reported', async () => {
    const { id } = await makeSeries(owner);
    await manual({ seriesId: id, issueDate: day(-2) });
    const { id: second } = await manual({ seriesId: id, issueDate: day(-1) });
    await manual({ seriesId: id, issueDate: day(-1) });
    const set = (date: string) => `update invoices set issue_date = '${date}' where id = '${second}'`;
    const found = await violatedBy(app, owner, { tables: ['invoices'], change: set(day(-3)), restore: set(day(-1)) });
    const digits = (date: string) => date.replaceAll('-', '');
    expect(found).toEqual({ numbers_in_order: entry('invoice', second, [digits(day(-2)), digits(day(-3))]) });
  });

  it('a counter whose last date is not that of its last document is reported', async () => {
    const { id } = await makeSeries(owner);
    await manual({ seriesId: id, issueDate: day(-2) });
    const set = (date: string) =>
      `update invoice_number_counters set last_issue_date = '${date}' where series_id = '${id}'`;
    const found = await violatedBy(app, owner, {
      tables: ['invoice_number_counters'],
      change: set(day(-4)),
      restore: set(day(-2)),
    });
    expect(Object.keys(found)).toEqual(['numbers_in_order']);
  });

  it('a number that its series would not give is reported', async () => {
    const { id: seriesId } = await makeSeries(owner, {
      prefix: 'X{MM}-',
      pattern: '{prefix}{YYYY}/{SEQ:4}/{MM}',
      resetPeriod: 'monthly',
    });
    const { id, number, issueDate } = await manual({ seriesId });
    expect(number).toBe(`X{MM}-${issueDate?.slice(0, 4)}/0001/${issueDate?.slice(5, 7)}`);
    const set = (text: string) => `update invoices set number = '${text}' where id = '${id}'`;
    const found = await violatedBy(app, owner, {
      tables: ['invoices'],
      change: set('X-1'),
      restore: set(number ?? ''),
    });
    expect(found).toEqual({ numbers_of_pattern: entry('invoice', id, [number ?? '', 'X-1']) });
  });
});
