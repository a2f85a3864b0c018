/** @jest-environment-options {"application":"shared"} */
import { beforeAll, describe, expect, it } from '@jest/globals';
import { newId } from '../../../src/platform/ids/id.js';
import { startApp, type TestApp } from '../../setup/app.js';
import type { TestClient } from '../../setup/client.js';
import { invalid, problem } from '../invoices.js';
import { draft, type Envelope, PATH, read, sell } from './invoicing.js';

let app: TestApp;
let owner: TestClient;

beforeAll(async () => {
  app = await startApp();
  owner = app.as('owner');
});

const post = (body: object) => owner.post<Envelope>(PATH, body);
const line = (unitPriceCents: number) => ({ description: 'By hand', unitPriceCents });

describe('POST /v1/admin/finance/invoices', () => {
  it('a new invoice has a line for each active item and is answered with 201, all its members, Location and ETag', async () => {
    const { id: bookingId, itemIds } = await sell(app, {
      items: [
        { title: 'City tour', quantity: 2, unitSellCents: 11_900, taxIncludedCents: 3_800 },
        { title: 'Museum', quantity: 3, unitSellCents: 1_000, taxIncludedCents: 479 },
        { title: 'Early bird', unitSellCents: -1_000 },
      ],
    });
    const { status, headers, body } = await post({ bookingId });
    expect(status).toBe(201);
    const unconverted = { baseNetCents: null, baseTaxCents: null, baseGrossCents: null };
    const untaxed = { taxCodeId: null, taxCode: null, taxKind: null, taxRateBasisPoints: null, mention: null };
    const common = { ...untaxed, priceBasis: 'gross', serviceDate: null, serviceEndDate: null };
    expect(body).toEqual({
      data: {
        id: expect.stringMatching(/^inv_/),
        bookingId,
        scheduleId: null,
        status: 'draft',
        overdue: false,
        number: null,
        seriesId: null,
        issueDate: null,
        dueDate: null,
        payerName: 'Clara Weber',
        payerAddress: null,
        payerTaxId: null,
        seller: null,
        currency: 'EUR',
        subtotalCents: 21_521,
        taxCents: 4_279,
        totalCents: 25_800,
        paidCents: 0,
        creditedCents: 0,
        balanceCents: 25_800,
        issuedAt: null,
        voidedAt: null,
        voidReason: null,
        purpose: null,
        sentAt: null,
        sentOn: null,
        ...{
          baseCurrency: null,
          exchangeRate: null,
          baseSubtotalCents: null,
          baseTaxCents: null,
          baseTotalCents: null,
        },
        linesSource: 'booking',
        payerSource: 'customer',
        stale: false,
        staleReasons: [],
        version: 1,
        createdAt: expect.any(String),
        updatedAt: expect.any(String),
        lines: [
          {
            ...common,
            bookingItemId: itemIds[0],
            description: 'City tour',
            quantity: '2',
            unitPriceCents: 11_900,
            netUnitPrice: '100.0000',
            netCents: 20_000,
            taxCents: 3_800,
            totalCents: 23_800,
          },
          {
            ...common,
            bookingItemId: itemIds[1],
            description: 'Museum',
            quantity: '3',
            unitPriceCents: 1_000,
            netUnitPrice: '8.4033',
            netCents: 2_521,
            taxCents: 479,
            totalCents: 3_000,
          },
          {
            ...common,
            bookingItemId: itemIds[2],
            description: 'Early bird',
            quantity: '1',
            unitPriceCents: -1_000,
            netUnitPrice: '-10.0000',
            netCents: -1_000,
            taxCents: 0,
            totalCents: -1_000,
          },
        ],
        taxSummary: [{ ...untaxed, netCents: 21_521, taxCents: 4_279, grossCents: 25_800, ...unconverted }],
      },
    });
    expect([headers['location'], headers['etag']]).toEqual([`${PATH}/${body.data.id}`, '"1"']);
    expect(await read(owner, body.data.id)).toEqual(body.data);
  });

  it('an invoice of an installment has its amount and its share of the tax: 100 over 30000 and 70001 is 30 and 70', async () => {
    const items = [{ unitSellCents: 100_001, taxIncludedCents: 100 }];
    const { id: bookingId, scheduleIds } = await sell(app, { items, plan: [30_000, 70_001] });
    const [first, second] = [
      await draft(owner, { bookingId, scheduleId: scheduleIds[0] }),
      await draft(owner, { bookingId, scheduleId: scheduleIds[1] }),
    ];
    expect(first).toMatchObject({ subtotalCents: 29_970, taxCents: 30, totalCents: 30_000, dueDate: '2027-05-02' });
    expect(second).toMatchObject({ subtotalCents: 69_931, taxCents: 70, totalCents: 70_001, dueDate: '2027-05-03' });
    expect(second.lines).toMatchObject([{ description: 'Installment 2: Item 1', bookingItemId: null, quantity: '1' }]);
  });

  it('an invoice of an installment has its share of the tax also if the rest is waived', async () => {
    const items = [{ unitSellCents: 100_001, taxIncludedCents: 10_000 }];
    const { id: bookingId, scheduleIds } = await sell(app, { items, plan: [30_000, 70_001] });
    const balance = `/v1/admin/finance/bookings/${bookingId}/payment-schedules/${scheduleIds[1]}`;
    expect((await owner.patch(`${balance}?rebalance=none`, { status: 'cancelled' })).status).toBe(200);

    const invoice = await draft(owner, { bookingId, scheduleId: scheduleIds[0] });

    expect(invoice).toMatchObject({ subtotalCents: 27_000, taxCents: 3_000, totalCents: 30_000 });
  });

  it('an invoice with given lines gets computed net, tax and total amounts and keeps the given members', async () => {
    const { id: bookingId, itemIds } = await sell(app);
    const made = await draft(owner, {
      bookingId,
      currency: 'EUR',
      payerName: 'Weber AG',
      payerAddress: '12 Lake Road\nLucerne',
      payerTaxId: 'CHE-1',
      dueDate: '2027-01-31',
      lines: [
        {
          bookingItemId: itemIds[0],
          description: 'Tour',
          quantity: '1.50',
          unitPriceCents: 333,
          taxRateBasisPoints: 700,
        },
        { description: 'Fee', unitPriceCents: 1_000, taxCents: 77 },
      ],
      totalCents: 1_612,
    });
    expect(made).toMatchObject({
      payerName: 'Weber AG',
      payerAddress: '12 Lake Road\nLucerne',
      payerTaxId: 'CHE-1',
      dueDate: '2027-01-31',
      subtotalCents: 1_500,
      taxCents: 112,
      totalCents: 1_612,
      lines: [
        { quantity: '1.5', netCents: 500, taxCents: 35, totalCents: 535, bookingItemId: itemIds[0] },
        { quantity: '1', netCents: 1_000, taxCents: 77, totalCents: 1_077, bookingItemId: null },
      ],
    });
    expect(await read(owner, made.id)).toEqual(made);
  });

  it.each([
    [{ totalCents: 999 }, { field: 'totalCents', expected: 1_000, actual: 999 }],
    [{ subtotalCents: 999 }, { field: 'subtotalCents', expected: 1_000, actual: 999 }],
    [{ taxCents: 1 }, { field: 'taxCents', expected: 0, actual: 1 }],
    [{ lines: [{ ...line(1_000), netCents: 1 }] }, { field: 'lines.0.netCents', expected: 1_000, actual: 1 }],
  ])('an invoice line with inconsistent amounts %j is rejected with 422 totals_mismatch', async (over, details) => {
    const { id: bookingId } = await sell(app);
    const { status, body } = await post({ bookingId, lines: [line(1_000)], ...over });
    expect([status, body]).toEqual([422, problem('totals_mismatch', details)]);
  });

  it('lines that differ from the amount of the installment are rejected with 422 totals_mismatch', async () => {
    const { id: bookingId, scheduleIds } = await sell(app, { plan: [30_000, 70_000] });
    const { status, body } = await post({ bookingId, scheduleId: scheduleIds[0], lines: [line(29_999)] });
    const details = { field: 'lines', expected: 30_000, actual: 29_999 };
    expect([status, body]).toEqual([422, problem('totals_mismatch', details)]);
  });

  it('an invoice below 0, in another currency, of a booking without items or of a cancelled booking is rejected', async () => {
    const { id: bookingId } = await sell(app);
    const [empty, cancelled] = [await sell(app, { items: [] }), await sell(app, { status: 'cancelled' })];
    const answers = [
      await post({ bookingId, lines: [line(-1)] }),
      await post({ bookingId, currency: 'USD' }),
      await post({ bookingId: empty.id }),
      await post({ bookingId: empty.id, lines: [line(1)] }),
      await post({ bookingId: cancelled.id }),
    ];
    expect(answers.map(({ status, body }) => [status, body])).toEqual([
      [422, problem('negative_total', { field: 'lines', totalCents: -1 })],
      [422, problem('currency_mismatch', { field: 'currency', expected: 'EUR', actual: 'USD' })],
      [409, problem('booking_not_priced')],
      [409, problem('booking_not_priced')],
      [409, problem('booking_closed')],
    ]);
  });

  it('an unknown booking, installment or item, or one of another booking, is 404 with the field', async () => {
    const [{ id: bookingId }, other] = [await sell(app, { plan: [100_000] }), await sell(app, { plan: [100_000] })];
    const answers = [
      await post({ bookingId: newId('book') }),
      await post({ bookingId: 'nonsense' }),
      await post({ bookingId, scheduleId: other.scheduleIds[0] }),
      await post({ bookingId, lines: [line(1), { ...line(1), bookingItemId: other.itemIds[0] }] }),
    ];
    expect(answers.map(({ status, body }) => [status, body])).toEqual(
      ['bookingId', 'bookingId', 'scheduleId', 'lines.1.bookingItemId'].map((field) => [
        404,
        problem('not_found', { field }),
      ]),
    );
  });

  it('an invalid body of a new invoice is rejected with 400 and its issues, and nothing is created', async () => {
    const { id: bookingId } = await sell(app);
    const { status, body } = await post({ bookingId, lines: [{ ...line(1), quantity: '0' }] });
    expect([status, body]).toEqual([400, invalid('lines.0.quantity', 'wrong_format')]);
    expect(await app.sql('select from invoices where booking_id = $1', [bookingId])).toEqual([]);
  });
});
