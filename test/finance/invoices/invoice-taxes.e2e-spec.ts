/** @jest-environment-options {"application":"shared"} */
import { beforeAll, describe, expect, it } from '@jest/globals';
import { addItem, BOOKINGS, type Item, readBooking, readItem } from '../../bookings/bookings.js';
import { startApp, type TestApp } from '../../setup/app.js';
import type { TestClient } from '../../setup/client.js';
import { insertRates } from '../exchange-rates/rates.js';
import { newTaxCode, taxCodeAt, type TaxCode } from '../../taxes/tax-codes.js';
import { credit, issuedNote, useOwnSeries } from '../credit-notes/crediting.js';
import { draft, type Invoice, issue, PATH, read, sell, type Sold, voiding } from './invoicing.js';

let app: TestApp;
let owner: TestClient;
let standard: TaxCode;
let reduced: TaxCode;
let exempt: TaxCode;

beforeAll(async () => {
  app = await startApp();
  owner = app.as('owner');
  await insertRates(app, ['JPY', 'KWD']);
  await owner.post('/v1/admin/finance/invoice-number-series', { name: 'Invoices', prefix: 'TX-' });
  standard = await taxCodeAt(owner, 1_900, { code: 'TX-19' });
  reduced = await taxCodeAt(owner, 700, { code: 'TX-A7', kind: 'reduced' });
  exempt = await taxCodeAt(owner, 0, { code: 'TX-X', kind: 'exempt', mention: 'Exempt from VAT' });
});

const TRIP = { title: 'City tour', unitSellCents: 119_000, taxIncludedCents: 19_000, serviceDate: '2027-05-12' };
const DEPOSIT = [35_700, 83_300];

async function issued(bookingId: string, scheduleId: string | undefined): Promise<Invoice> {
  const { id } = await draft(owner, { bookingId, scheduleId });
  const { status, body } = await issue(owner, id);
  expect({ status, body }).toMatchObject({ status: 200 });
  return body.data;
}

/** The open installments of a booking, by position. */
async function openInstallments(bookingId: string): Promise<{ id: string; amountCents: number }[]> {
  return app.sql(
    `select id, amount_cents::int as "amountCents" from payment_schedules
     where booking_id = $1 and status = 'pending' order by position`,
    [bookingId],
  );
}

/** Issues an invoice for each open installment that has none; the amounts with their taxes by line. */
async function billRest(sold: Sold): Promise<number[][][]> {
  const billed = await app.sql<{ id: string }>('select schedule_id as id from invoices where booking_id = $1', [
    sold.id,
  ]);
  const documents: number[][][] = [];
  for (const { id } of await openInstallments(sold.id)) {
    if (billed.some((known) => known.id === id)) continue;
    documents.push(amountsOf(await issued(sold.id, id)));
  }
  return documents;
}

function amountsOf({ lines }: Invoice): number[][] {
  return lines.map((line) => [Number(line['totalCents']), Number(line['taxCents'])]);
}

async function billedTax(bookingId: string): Promise<number> {
  const [row] = await app.sql<{ tax: number }>(
    `select sum(tax_cents)::int as tax from invoices where booking_id = $1 and number is not null and status <> 'void'`,
    [bookingId],
  );
  return row?.tax ?? 0;
}

describe('the tax of invoices of installments', () => {
  it('an item without tax that is added after the deposit does not change the sum of the tax', async () => {
    const sold = await sell(app, { items: [TRIP], plan: DEPOSIT });
    expect(amountsOf(await issued(sold.id, sold.scheduleIds[0]))).toEqual([[35_700, 5_700]]);
    await addItem(owner, sold.id, { type: 'extra', unitSellCents: 50_000 });
    expect(await billRest(sold)).toEqual([[[83_300, 8_311]], [[50_000, 4_989]]]);
    expect(await billedTax(sold.id)).toBe(19_000);
  });

  it('a discount without tax after the deposit leaves the exact rest', async () => {
    const sold = await sell(app, { items: [TRIP], plan: DEPOSIT });
    await issued(sold.id, sold.scheduleIds[0]);
    await addItem(owner, sold.id, { type: 'discount', unitSellCents: -10_000 });
    expect(await billRest(sold)).toEqual([[[73_300, 13_300]]]);
    expect(await billedTax(sold.id)).toBe(19_000);
  });

  it('a discount with the tax code after the deposit leaves the exact rest', async () => {
    const sold = await sell(app, { items: [{ ...TRIP, taxCode: standard }], plan: DEPOSIT });
    await issued(sold.id, sold.scheduleIds[0]);
    await addItem(owner, sold.id, { type: 'discount', unitSellCents: -10_000, taxCodeId: standard.id });
    expect(await billRest(sold)).toEqual([[[73_300, 11_703]]]);
    expect(await billedTax(sold.id)).toBe(17_403);
  });

  it('a tax that is set to 0 after the deposit requires credit first', async () => {
    const { id: bookingId, itemIds, scheduleIds } = await sell(app, { items: [TRIP], plan: DEPOSIT });
    const deposit = await issued(bookingId, scheduleIds[0]);
    await owner.patch(`${BOOKINGS}/${bookingId}/items/${itemIds[0]}`, { taxIncludedCents: 0 });
    const { status, body } = await owner.post(PATH, { bookingId, scheduleId: scheduleIds[1] });
    expect({ status, body }).toMatchObject({
      status: 409,
      body: {
        code: 'credit_due',
        details: {
          groups: [{ taxCodeId: null, taxCode: 'given', grossCents: 83_300, taxCents: -5_700 }],
          invoiceIds: [deposit.id],
        },
      },
    });

    expect((await voiding(owner, deposit.id)).status).toBe(200);
    expect(amountsOf(await issued(bookingId, scheduleIds[0]))).toEqual([[35_700, 0]]);
    expect(amountsOf(await issued(bookingId, scheduleIds[1]))).toEqual([[83_300, 0]]);
  });

  it('an invoice has one line and one line of its tax summary for each tax code', async () => {
    const items = [
      { ...TRIP, taxCode: standard },
      { title: 'Museum', unitSellCents: 10_700, taxIncludedCents: 700, taxCode: reduced, serviceDate: '2027-05-13' },
    ];
    const sold = await sell(app, { items, plan: [38_910, 90_790] });
    const deposit = await issued(sold.id, sold.scheduleIds[0]);
    expect(deposit.lines).toMatchObject([
      {
        description: 'Installment 1: City tour, 2027-05-12',
        priceBasis: 'allocated',
        taxCode: 'TX-19',
        taxRateBasisPoints: 1_900,
        ...{ totalCents: 35_700, taxCents: 5_700, netCents: 30_000 },
        ...{ serviceDate: '2027-05-12', serviceEndDate: null },
      },
      { description: 'Installment 1: Museum, 2027-05-13', taxCode: 'TX-A7', totalCents: 3_210, taxCents: 210 },
    ]);
    expect(deposit['taxSummary']).toMatchObject([
      { taxCode: 'TX-19', taxKind: 'standard', netCents: 30_000, taxCents: 5_700, grossCents: 35_700 },
      { taxCode: 'TX-A7', taxKind: 'reduced', netCents: 3_000, taxCents: 210, grossCents: 3_210 },
    ]);

    await addItem(owner, sold.id, { type: 'extra', title: 'Visa', unitSellCents: 50_000, taxCodeId: exempt.id });
    expect(await billRest(sold)).toEqual([
      [
        [53_717, 8_577],
        [4_830, 316],
        [32_243, 0],
      ],
      [
        [29_583, 4_723],
        [2_660, 174],
        [17_757, 0],
      ],
    ]);
    expect(await billedTax(sold.id)).toBe(19_700);
    const [stored] = await app.sql<{ mention: string }>(
      `select mention from invoice_tax_lines join invoices on id = invoice_id where booking_id = $1 and tax_code = 'TX-X'`,
      [sold.id],
    );
    expect(stored?.mention).toBe('Exempt from VAT');
  });

  it.each([
    { currency: 'JPY', total: 10_001, rate: 1_000, tax: 909, plan: [3_000, 7_001], taxes: [273, 636] },
    { currency: 'KWD', total: 12_345, rate: 500, tax: 588, plan: [3_704, 8_641], taxes: [176, 412] },
  ])(
    'the invoices in $currency have the tax of the item in sum',
    async ({ currency, total, rate, tax, plan, taxes }) => {
      const taxCode = await taxCodeAt(owner, rate);
      const items = [{ unitSellCents: total, taxIncludedCents: tax, taxCode }];
      const sold = await sell(app, { currency, items, plan });
      expect((await billRest(sold)).flat().map(([, cents]) => cents)).toEqual(taxes);
    },
  );

  it('an invoice of the booking after a deposit is over the rest of each tax code', async () => {
    const sold = await sell(app, { items: [{ ...TRIP, taxCode: standard }], plan: DEPOSIT });
    await issued(sold.id, sold.scheduleIds[0]);
    const { lines } = await draft(owner, { bookingId: sold.id });
    expect(lines).toMatchObject([
      { priceBasis: 'allocated', description: 'City tour, 2027-05-12', totalCents: 83_300, taxCents: 13_300 },
    ]);
  });

  it('a waived installment leaves the others with their part of the tax', async () => {
    const items = [{ ...TRIP, taxCode: standard }];
    const { id, scheduleIds } = await sell(app, { items, plan: [35_700, 83_300] });
    const path = `/v1/admin/finance/bookings/${id}/payment-schedules/${scheduleIds[1]}`;
    expect((await owner.patch(`${path}?rebalance=none`, { status: 'cancelled' })).status).toBe(200);
    expect(amountsOf(await issued(id, scheduleIds[0]))).toEqual([[35_700, 5_700]]);
  });
});

describe('the lines of an invoice', () => {
  it('a line of an item has its quantity, its price with tax and the price without tax that is printed', async () => {
    const items = [{ quantity: 3, unitSellCents: 1_000, taxIncludedCents: 479, taxCode: standard }];
    const { id: bookingId } = await sell(app, { items });
    const { lines } = await draft(owner, { bookingId });
    expect(lines).toMatchObject([
      {
        quantity: '3',
        priceBasis: 'gross',
        unitPriceCents: 1_000,
        netUnitPrice: '8.4033',
        taxRateBasisPoints: 1_900,
        netCents: 2_521,
        taxCents: 479,
        totalCents: 3_000,
      },
    ]);
  });

  it('a line by hand has the tax code of its item, or the one that was sent, and computes the tax', async () => {
    const { id: bookingId, itemIds } = await sell(app, { items: [{ ...TRIP, taxCode: standard }] });
    const line = { description: 'By hand', unitPriceCents: 1_000 };
    const { lines } = await draft(owner, {
      bookingId,
      lines: [
        { ...line, bookingItemId: itemIds[0] },
        {
          ...line,
          priceBasis: 'gross',
          taxCodeId: reduced.id,
          serviceDate: '2027-05-01',
          serviceEndDate: '2027-05-02',
        },
        { ...line, taxCodeId: exempt.id },
        { ...line, priceBasis: 'allocated', taxCents: 7 },
      ],
    });
    expect(lines).toMatchObject([
      { taxCode: 'TX-19', taxRateBasisPoints: 1_900, netCents: 1_000, taxCents: 190, serviceDate: '2027-05-12' },
      { taxCode: 'TX-A7', netCents: 935, taxCents: 65, totalCents: 1_000, serviceEndDate: '2027-05-02' },
      { taxKind: 'exempt', mention: 'Exempt from VAT', taxCents: 0 },
      { taxCode: null, netCents: 993, taxCents: 7, totalCents: 1_000 },
    ]);
  });

  it('lines can be sent back as they were read', async () => {
    const sold = await sell(app, { items: [{ ...TRIP, taxCode: standard }], plan: DEPOSIT });
    const { id, lines } = await draft(owner, { bookingId: sold.id, scheduleId: sold.scheduleIds[0] });
    const { status } = await owner.patch(`${PATH}/${id}`, { lines });
    expect(status).toBe(200);
    expect((await read(owner, id)).lines).toEqual(lines);
  });

  it('a tax beyond the total of a line, and a service that ends before it starts, are rejected', async () => {
    const { id: bookingId } = await sell(app);
    const post = (over: object) =>
      owner.post(PATH, { bookingId, lines: [{ description: 'x', unitPriceCents: 100, priceBasis: 'gross', ...over }] });
    for (const taxCents of [-1, 101]) {
      expect((await post({ taxCents })).body).toMatchObject({ details: { issues: [{ path: 'lines.0.taxCents' }] } });
    }
    const days = { serviceDate: '2027-05-02', serviceEndDate: '2027-05-01' };
    expect((await post(days)).body).toMatchObject({ details: { issues: [{ path: 'lines.0.serviceEndDate' }] } });
  });

  it('an invoice with reverse charge requires the tax ID of the payer, and a tax ID requires the address', async () => {
    const taxCode = await taxCodeAt(owner, 0, { kind: 'reverse_charge', mention: 'Reverse charge' });
    const { id: bookingId } = await sell(app, { items: [{ unitSellCents: 100, taxCode }] });
    const { id } = await draft(owner, { bookingId });
    const required = (path: string) => ({ status: 400, body: { details: { issues: [{ path, code: 'required' }] } } });
    expect(await issue(owner, id)).toMatchObject(required('payerTaxId'));
    await owner.patch(`${PATH}/${id}`, { payerTaxId: 'ATU12345678' });
    expect(await issue(owner, id)).toMatchObject(required('payerAddress'));
    await owner.patch(`${PATH}/${id}`, { payerAddress: '12 Lake Road, Vienna' });
    expect((await issue(owner, id)).status).toBe(200);
  });
});

describe('the tax rate of items on issued documents', () => {
  it('a service date that moves to another rate keeps the rate on documents, and the booking has a warning', async () => {
    const taxCode = await newTaxCode(owner, {
      rates: [
        { rateBasisPoints: 1_900, validFrom: '2007-01-01', validTo: '2027-12-31' },
        { rateBasisPoints: 2_100, validFrom: '2028-01-01' },
      ],
    });
    const { id, itemIds, scheduleIds } = await sell(app, { items: [{ ...TRIP, taxCode }], plan: DEPOSIT });
    const move = (serviceDate: string) => owner.patch(`${BOOKINGS}/${id}/items/${itemIds[0]}`, { serviceDate });
    const deposit = await issued(id, scheduleIds[0]);
    const item = { bookingId: id, id: itemIds[0] ?? '' } as Parameters<typeof readItem>[1];

    expect((await move('2028-05-12')).status).toBe(200);
    expect(await readItem(owner, item)).toMatchObject({ taxRateBasisPoints: 1_900, taxRateChanged: true });
    expect((await readBooking(owner, id))['warnings']).toContain('tax_rate_changed');

    expect((await voiding(owner, deposit.id)).status).toBe(200);
    expect((await move('2028-05-13')).status).toBe(200);
    expect(await readItem(owner, item)).toMatchObject({ taxRateBasisPoints: 2_100, taxRateChanged: false });
    expect((await readBooking(owner, id))['warnings']).not.toContain('tax_rate_changed');
  });
});

describe('items of one tax code that were sold at different dated rates', () => {
  beforeAll(() => useOwnSeries(owner));

  interface Mixed extends Sold {
    /** The item of 2028, at 21 %. */
    later: Item;
  }

  /** A trip of 2027 at 19 % with these installments, and an item of 2028 with an installment of its own. */
  async function mixed({ plan = DEPOSIT, unitSellCents = 121_000, currency = 'EUR' } = {}): Promise<Mixed> {
    const taxCode = await newTaxCode(owner, {
      rates: [
        { rateBasisPoints: 1_900, validFrom: '2007-01-01', validTo: '2027-12-31' },
        { rateBasisPoints: 2_100, validFrom: '2028-01-01' },
      ],
    });
    const sold = await sell(app, { currency, items: [{ ...TRIP, taxCode }], plan });
    const type = unitSellCents < 0 ? 'discount' : 'extra';
    const later = await addItem(owner, sold.id, {
      ...{ type, unitSellCents, taxCodeId: taxCode.id, serviceDate: '2028-05-12' },
    });
    return { ...sold, later };
  }

  const repriced = async ({ id, itemIds }: Sold, unitSellCents: number) =>
    expect((await owner.patch(`${BOOKINGS}/${id}/items/${itemIds[0]}`, { unitSellCents })).status).toBe(200);

  const atRates = ({ lines }: Pick<Invoice, 'lines'>) =>
    lines.map(({ totalCents, taxCents, taxRateBasisPoints }) => [totalCents, taxCents, taxRateBasisPoints]);

  const creditDue = async (bookingId: string) =>
    (await owner.get<{ data: object }>(`/v1/admin/finance/bookings/${bookingId}/money`)).body.data;

  const pastCreditDue = async (bookingId: string) =>
    (await owner.get<{ data: object }>(`/v1/admin/finance/bookings/${bookingId}/money?asOf=${app.day()}`)).body.data;

  /** The amounts that documents bill at each rate, less credit notes. */
  async function billedTaxAt(bookingId: string): Promise<number[][]> {
    const rows = await app.sql<{ amounts: number[] }>(
      `select json_build_array(rate, sum(sign * gross), sum(sign * tax)) as amounts from (
         select line.tax_rate_basis_points as rate, line.total_cents as gross, line.tax_cents as tax,
           case document.type when 'invoice' then 1 else -1 end as sign
         from invoices document join invoice_lines line on line.invoice_id = document.id
         where document.booking_id = $1 and document.number is not null
       ) billed group by rate order by rate`,
      [bookingId],
    );
    return rows.map(({ amounts }) => amounts);
  }

  const listedCreditDue = async (bookingId: string) =>
    (await owner.get<{ data: object[] }>(`/v1/admin/finance/credit-due?bookingId=${bookingId}`)).body.data;

  /** Returns the bookings that block the closing of the current month, as far as they are named. */
  async function blockingExamples(): Promise<string[]> {
    const path = `/v1/admin/finance/periods/${app.day().slice(0, 7)}`;
    const { body } = await owner.get<{ data: { blockers: { type: string; examples: string[] }[] } }>(path);
    return body.data.blockers.find(({ type }) => type === 'credit_due')?.examples ?? [];
  }

  it('each line of an invoice has one rate, and the invoices have the amounts of the items at each rate', async () => {
    const sold = await mixed();
    const documents: unknown[][][] = [];
    for (const { id } of await openInstallments(sold.id)) documents.push(atRates(await issued(sold.id, id)));
    expect(documents[0]).toEqual([
      [17_701, 2_826, 1_900],
      [17_999, 3_124, 2_100],
    ]);
    const sumAt = (rate: number) =>
      documents
        .flat()
        .filter((line) => line[2] === rate)
        .reduce((sum, [total, tax]) => [Number(sum[0]) + Number(total), Number(sum[1]) + Number(tax)], [0, 0]);
    expect([sumAt(1_900), sumAt(2_100)]).toEqual([
      [119_000, 19_000],
      [121_000, 21_000],
    ]);
    expect(documents.flat()).toHaveLength(6);
  });

  it('what was billed too much at one rate is credited before the rest at another rate is billed', async () => {
    const sold = await mixed({ plan: [119_000] });
    const line = { bookingItemId: sold.itemIds[0], description: 'City tour', priceBasis: 'gross' };
    const first = await draft(owner, { bookingId: sold.id, lines: [{ ...line, unitPriceCents: 119_000 }] });
    await issue(owner, first.id);
    await repriced(sold, 59_500);
    const { status, body } = await owner.post(PATH, { bookingId: sold.id });
    expect({ status, body }).toMatchObject({
      status: 409,
      body: {
        code: 'credit_due',
        details: {
          groups: [{ taxRateBasisPoints: 1_900, grossCents: -59_500, taxCents: -9_500 }],
          invoiceIds: [first.id],
        },
      },
    });
    const group = { taxRateBasisPoints: 1_900, grossCents: 59_500, taxCents: 9_500, wrongTax: false };
    expect(await creditDue(sold.id)).toMatchObject({ creditDueByTaxCode: [group], creditDueCents: 0 });
    const listed = { bookingId: sold.id, creditDueCents: 59_500, groups: [group], invoiceIds: [first.id] };
    expect(await listedCreditDue(sold.id)).toMatchObject([listed]);
    expect(await blockingExamples()).toContain(sold.id);

    const made = await issuedNote(owner, first, { reason: 'booking_changed' });
    expect(made.lines).toMatchObject([{ totalCents: 59_500, taxCents: 9_500, taxRateBasisPoints: 1_900 }]);
    expect(await listedCreditDue(sold.id)).toEqual([]);
    expect(await blockingExamples()).not.toContain(sold.id);
    expect(atRates(await issued(sold.id, undefined))).toEqual([[121_000, 21_000, 2_100]]);
    expect(await creditDue(sold.id)).toMatchObject({ creditDueByTaxCode: [], billedCents: 180_500 });
  });

  it('a credit note of a cheaper item credits the line at its rate, with the tax of this rate', async () => {
    const sold = await mixed({ plan: [119_000] });
    const invoices: Invoice[] = [];
    for (const { id } of await openInstallments(sold.id)) invoices.push(await issued(sold.id, id));
    await repriced(sold, 107_100);
    const made = await issuedNote(owner, { id: invoices[1]?.id ?? '' }, { reason: 'booking_changed' });
    expect(made.lines).toMatchObject([
      { linePosition: 1, totalCents: 11_900, taxCents: 1_900, taxRateBasisPoints: 1_900 },
    ]);
    expect(await creditDue(sold.id)).toMatchObject({ creditDueByTaxCode: [], creditDueCents: 0 });
  });

  it('a credit note of a cancelled item credits nothing of an invoice at the other rate', async () => {
    const sold = await mixed({ plan: [119_000] });
    const line = { bookingItemId: sold.itemIds[0], description: 'City tour', priceBasis: 'gross' };
    const first = await draft(owner, { bookingId: sold.id, lines: [{ ...line, unitPriceCents: 119_000 }] });
    await issue(owner, first.id);
    const second = await issued(sold.id, undefined);
    expect(atRates(second)).toEqual([[121_000, 21_000, 2_100]]);
    const path = `${BOOKINGS}/${sold.id}/items/${sold.itemIds[0]}/cancellation`;
    expect((await owner.post(path, { reason: 'Ill' })).status).toBe(200);
    const { status, body } = await credit(owner, second.id, { reason: 'booking_changed' });
    expect({ status, body }).toMatchObject({ status: 422, body: { code: 'over_credited', details: { available: 0 } } });
    const made = await issuedNote(owner, first, { reason: 'booking_changed' });
    expect(made.lines).toMatchObject([{ totalCents: 119_000, taxCents: 19_000, taxRateBasisPoints: 1_900 }]);
    expect(await creditDue(sold.id)).toMatchObject({ creditDueByTaxCode: [], creditDueCents: 0 });
  });

  /** Expects the documents to bill these amounts at each rate, and nothing to be credited or billed. */
  async function expectSettled(bookingId: string, amounts: number[][]): Promise<void> {
    expect(await billedTaxAt(bookingId)).toEqual(amounts);
    expect(await creditDue(bookingId)).toMatchObject({ creditDueByTaxCode: [], creditDueCents: 0, roomCents: 0 });
    expect(await pastCreditDue(bookingId)).toMatchObject({ creditDueByTaxCode: [] });
    expect(await listedCreditDue(bookingId)).toEqual([]);
    expect(await blockingExamples()).not.toContain(bookingId);
  }

  /** Adds a discount of 2028, at 21 %. */
  async function discounted({ id, later }: Mixed, unitSellCents: number): Promise<void> {
    const { taxCodeId } = await readItem(owner, later);
    const rebate = { type: 'discount', title: 'Rebate', unitSellCents, taxCodeId, serviceDate: '2028-05-12' };
    await addItem(owner, id, rebate);
  }

  async function corrected(invoice: Invoice): Promise<Record<'creditNote' | 'invoice', Invoice>> {
    const path = `${PATH}/${invoice.id}/correction`;
    const { status, body } = await owner.post<{ data: Record<'creditNote' | 'invoice', Invoice> }>(path, {
      reasonText: 'Wrong tax',
    });
    expect({ status, body }).toMatchObject({ status: 201 });
    return body.data;
  }

  it('a discount beyond the lines at its rate is credited at its own rate, and a correction credits what is left', async () => {
    const sold = await mixed({ plan: [119_000], unitSellCents: 1_000 });
    const whole = await issued(sold.id, undefined);
    await discounted(sold, -13_100);
    const due = [{ grossCents: 13_100, taxCents: 2_274, wrongTax: false }];
    expect(await creditDue(sold.id)).toMatchObject({ creditDueByTaxCode: due });
    const made = await issuedNote(owner, whole, { reason: 'booking_changed' });
    expect(made.lines).toMatchObject([
      { linePosition: 1, description: 'Rebate', totalCents: 12_100, taxCents: 2_100, taxRateBasisPoints: 2_100 },
      { linePosition: 2, totalCents: 1_000, taxCents: 174, taxRateBasisPoints: 2_100 },
    ]);
    expect(made['taxSummary']).toMatchObject([{ taxRateBasisPoints: 2_100, grossCents: 13_100, taxCents: 2_274 }]);
    await expectSettled(sold.id, [
      [1_900, 119_000, 19_000],
      [2_100, -12_100, -2_100],
    ]);

    const { creditNote, invoice } = await corrected(whole);
    expect(atRates(creditNote)).toEqual([
      [119_000, 19_000, 1_900],
      [-12_100, -2_100, 2_100],
    ]);
    expect(atRates(invoice)).toEqual([
      [119_000, 19_000, 1_900],
      [1_000, 174, 2_100],
      [-13_100, -2_274, 2_100],
    ]);
    expect((await issue(owner, invoice.id)).status).toBe(200);
    await expectSettled(sold.id, [
      [1_900, 119_000, 19_000],
      [2_100, -12_100, -2_100],
    ]);
  });

  it('a discount at a rate that no document bills is credited at this rate, also in parts and by amount', async () => {
    const sold = await mixed({ plan: [71_400, 47_600], unitSellCents: 0 });
    const invoices: Invoice[] = [];
    for (const id of sold.scheduleIds) invoices.push(await issued(sold.id, id));
    await discounted(sold, -60_500);
    const [first, second] = invoices;
    const request = { reason: 'booking_changed', lines: [{ linePosition: 1, amountCents: 12_100 }] };
    const part = await issuedNote(owner, { id: first?.id ?? '' }, request);
    expect(part.lines).toMatchObject([{ totalCents: 12_100, taxCents: 2_100, taxRateBasisPoints: 2_100 }]);
    const tooMuch = { ...request, lines: [{ linePosition: 1, amountCents: 48_401 }] };
    expect((await credit(owner, first?.id ?? '', tooMuch)).body).toMatchObject({ code: 'over_credited' });
    // A line is credited up to its tax, 7600: the tax of 43791 at 21 %.
    const rest = await issuedNote(owner, { id: second?.id ?? '' }, { reason: 'booking_changed' });
    expect(rest.lines).toMatchObject([{ totalCents: 43_791, taxCents: 7_600, taxRateBasisPoints: 2_100 }]);
    const last = await issuedNote(owner, { id: first?.id ?? '' }, { reason: 'booking_changed' });
    expect(last.lines).toMatchObject([{ totalCents: 4_609, taxCents: 800, taxRateBasisPoints: 2_100 }]);
    await expectSettled(sold.id, [
      [1_900, 119_000, 19_000],
      [2_100, -60_500, -10_500],
    ]);
  });

  it('a smaller or cancelled discount is billed again at its own rate after its credit note', async () => {
    const sold = await mixed({ plan: [119_000], unitSellCents: 0 });
    const whole = await issued(sold.id, undefined);
    await discounted(sold, -24_200);
    await issuedNote(owner, whole, { reason: 'booking_changed' });
    await discounted(sold, -12_100);
    await issuedNote(owner, whole, { reason: 'booking_changed' });
    const { body } = await owner.get<{ data: (Item & { totalSellCents: number })[] }>(`${BOOKINGS}/${sold.id}/items`);
    const larger = body.data.find(({ totalSellCents }) => totalSellCents === -24_200);
    expect((await owner.post(`${BOOKINGS}/${sold.id}/items/${larger?.id}/cancellation`, { reason: 'No' })).status).toBe(
      200,
    );
    expect(atRates(await issued(sold.id, undefined))).toEqual([[24_200, 4_200, 2_100]]);
    await expectSettled(sold.id, [
      [1_900, 119_000, 19_000],
      [2_100, -12_100, -2_100],
    ]);
  });

  it('a discount at one rate and an equal surcharge at another are credited and billed, each at its own rate', async () => {
    const sold = await mixed({ plan: [119_000], unitSellCents: 0 });
    const whole = await issued(sold.id, undefined);
    await discounted(sold, -12_100);
    await repriced(sold, 131_100);
    const due = [{ grossCents: 0, taxCents: 168, wrongTax: true }];
    expect(await creditDue(sold.id)).toMatchObject({ creditDueByTaxCode: due });
    expect(await listedCreditDue(sold.id)).toMatchObject([{ groups: due, invoiceIds: [whole.id] }]);
    const made = await issuedNote(owner, whole, { reason: 'booking_changed' });
    expect(made.lines).toMatchObject([{ totalCents: 12_100, taxCents: 2_100, taxRateBasisPoints: 2_100 }]);
    expect(atRates(await issued(sold.id, undefined))).toEqual([[12_100, 1_932, 1_900]]);
    await expectSettled(sold.id, [
      [1_900, 131_100, 20_932],
      [2_100, -12_100, -2_100],
    ]);
  });

  it('a discount that was credited is billed again with the line that bore it, if its item is cancelled', async () => {
    const sold = await mixed({ plan: [119_000], unitSellCents: 0 });
    const whole = await issued(sold.id, undefined);
    await discounted(sold, -12_100);
    await issuedNote(owner, whole, { reason: 'booking_changed' });
    const { taxCodeId } = await readItem(owner, sold.later);
    await addItem(owner, sold.id, { type: 'extra', unitSellCents: 121_000, taxCodeId, serviceDate: '2028-05-12' });
    const path = `${BOOKINGS}/${sold.id}/items/${sold.itemIds[0]}/cancellation`;
    expect((await owner.post(path, { reason: 'Ill' })).status).toBe(200);
    const made = await issuedNote(owner, whole, { reason: 'booking_changed' });
    expect(made.lines).toMatchObject([
      { totalCents: 119_000, taxCents: 19_000, taxRateBasisPoints: 1_900 },
      { totalCents: -12_100, taxCents: -2_100, taxRateBasisPoints: 2_100 },
    ]);
    expect(atRates(await issued(sold.id, undefined))).toEqual([
      [0, 0, 2_100],
      [-12_100, -2_100, 2_100],
      [121_000, 21_000, 2_100],
    ]);
    await expectSettled(sold.id, [
      [1_900, 0, 0],
      [2_100, 108_900, 18_900],
    ]);
  });

  it('parts of a line with a credited discount are credited at the rate of the line, and the rest with the discount', async () => {
    const sold = await mixed({ plan: [119_000], unitSellCents: 0 });
    const whole = await issued(sold.id, undefined);
    await discounted(sold, -12_100);
    await issuedNote(owner, whole, { reason: 'booking_changed' });
    const lines = (amountCents: number) => ({ lines: [{ linePosition: 1, amountCents }] });
    expect((await credit(owner, whole.id, lines(106_901))).body).toMatchObject({
      ...{ code: 'over_credited', details: { available: 106_900 } },
    });
    const part = await issuedNote(owner, whole, lines(106_899));
    // No more tax than the line has left, without the credited discount.
    expect(part.lines).toMatchObject([{ totalCents: 106_899, taxCents: 16_900, taxRateBasisPoints: 1_900 }]);
    const rest = await issuedNote(owner, whole);
    expect(rest.lines).toMatchObject([
      { linePosition: 1, totalCents: 12_101, taxCents: 2_100, taxRateBasisPoints: 1_900 },
      { linePosition: 1, totalCents: -12_100, taxCents: -2_100, taxRateBasisPoints: 2_100 },
    ]);
    await issued(sold.id, undefined);
    await expectSettled(sold.id, [
      [1_900, 119_000, 19_000],
      [2_100, -12_100, -2_100],
    ]);
  });

  it('a discount at an unbilled rate in another currency has base amounts, and a full credit has those of the invoice', async () => {
    const sold = await mixed({ plan: [119_000], unitSellCents: 0, currency: 'KWD' });
    const whole = await issued(sold.id, undefined);
    await discounted(sold, -12_100);
    const made = await issuedNote(owner, whole, { reason: 'booking_changed' });
    expect(made.lines).toMatchObject([{ totalCents: 12_100, taxCents: 2_100, taxRateBasisPoints: 2_100 }]);
    const { creditNote } = await corrected(whole);
    const sum = (name: string) => Number(made[name]) + Number(creditNote[name]);
    expect([sum('baseTotalCents'), sum('baseTaxCents')]).toEqual([whole['baseTotalCents'], whole['baseTaxCents']]);
    expect(whole['baseTotalCents']).toBeGreaterThan(0);
  });

  it('a cancelled discount is billed again at its own rate', async () => {
    const sold = await mixed({ plan: [119_000], unitSellCents: -12_100 });
    await issued(sold.id, undefined);
    const path = `${BOOKINGS}/${sold.id}/items/${sold.later.id}/cancellation`;
    expect((await owner.post(path, { reason: 'By mistake' })).status).toBe(200);
    expect(atRates(await issued(sold.id, undefined))).toEqual([[12_100, 2_100, 2_100]]);
    expect(await billedTaxAt(sold.id)).toEqual([
      [1_900, 119_000, 19_000],
      [2_100, 0, 0],
    ]);
  });

  it('a waived amount has the tax of the item, not that of a discount at another rate, and so has its later invoice', async () => {
    const sold = await mixed({ plan: [71_400, 47_600], unitSellCents: -12_100 });
    const whole = await issued(sold.id, undefined);
    expect(atRates(whole)).toEqual([
      [119_000, 19_000, 1_900],
      [-12_100, -2_100, 2_100],
    ]);
    const [, second] = await openInstallments(sold.id);
    expect(second).toMatchObject({ amountCents: 35_500 });
    const path = `/v1/admin/finance/bookings/${sold.id}/payment-schedules/${second?.id}?rebalance=none`;
    const changed = async (status: string) => expect((await owner.patch(path, { status })).status).toBe(200);
    await changed('cancelled');
    const due = [{ grossCents: 35_500, taxCents: 5_668, wrongTax: false }];
    expect(await creditDue(sold.id)).toMatchObject({ creditDueByTaxCode: due });
    expect(await pastCreditDue(sold.id)).toMatchObject({ creditDueByTaxCode: due });
    expect(await listedCreditDue(sold.id)).toMatchObject([{ groups: due, invoiceIds: [whole.id] }]);
    const made = await issuedNote(owner, whole, { reason: 'booking_changed' });
    expect(made.lines).toMatchObject([{ totalCents: 35_500, taxCents: 5_668, taxRateBasisPoints: 1_900 }]);
    expect(await creditDue(sold.id)).toMatchObject({ creditDueByTaxCode: [], creditDueCents: 0 });
    expect(await listedCreditDue(sold.id)).toEqual([]);

    await changed('pending');
    expect(atRates(await issued(sold.id, undefined))).toEqual([[35_500, 5_668, 1_900]]);
    expect(await billedTaxAt(sold.id)).toEqual([
      [1_900, 119_000, 19_000],
      [2_100, -12_100, -2_100],
    ]);
  });
});

describe('the tables of taxes on invoices', () => {
  it('the tax summary of an issued invoice cannot be changed by the service', async () => {
    const { id: bookingId } = await sell(app, { items: [TRIP] });
    const { id } = await issued(bookingId, undefined);
    const rows = await app.sql('select * from invoice_tax_lines where invoice_id = $1', [id]);
    expect(rows).toMatchObject([{ position: 1, net_cents: '100000', tax_cents: '19000', gross_cents: '119000' }]);
  });

  it('the database rejects issuing more than is owed', async () => {
    const { id: bookingId } = await sell(app, { items: [TRIP] });
    const { id } = await draft(owner, { bookingId });
    await app.sql(`update invoices set subtotal_cents = 119001, tax_cents = 0, total_cents = 119001 where id = $1`, [
      id,
    ]);
    await app.sql(
      `update invoice_lines set price_basis = 'allocated', net_cents = 119001, tax_cents = 0, total_cents = 119001
       where invoice_id = $1`,
      [id],
    );
    const { status } = await issue(owner, id);
    expect(status).not.toBe(200);
    expect((await read(owner, id)).status).toBe('draft');
  });
});
