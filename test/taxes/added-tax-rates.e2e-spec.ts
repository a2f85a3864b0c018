/** @jest-environment-options {"application":"shared"} */
import { beforeAll, describe, expect, it } from '@jest/globals';
import {
  addItem,
  BOOKINGS,
  entriesAbout,
  type Item,
  makeBooking,
  type Page,
  readBooking,
  readItem,
} from '../bookings/bookings.js';
import { issuedNote } from '../finance/credit-notes/crediting.js';
import { draft, type Invoice, issue, sell, type Sold } from '../finance/invoices/invoicing.js';
import { verify } from '../finance/reports/tampering.js';
import { eventually } from '../launcher/wait.js';
import { startApp, type TestApp } from '../setup/app.js';
import type { TestClient } from '../setup/client.js';
import { newTaxCode, TAX_CODES, type TaxCode } from './tax-codes.js';

let app: TestApp;
let owner: TestClient;

beforeAll(async () => {
  app = await startApp();
  owner = app.as('owner');
  await owner.post('/v1/admin/finance/invoice-number-series', { name: 'Added rates', prefix: 'AR-' });
});

interface Added {
  data: TaxCode;
  warnings: object[];
}

const addRate = ({ id }: TaxCode, rateBasisPoints: number, validFrom: string) =>
  owner.post<Added>(`${TAX_CODES}/${id}/rates`, { rateBasisPoints, validFrom });

async function rateAdded(taxCode: TaxCode, rateBasisPoints = 2_100, validFrom = '2027-07-01'): Promise<object[]> {
  const { status, body } = await addRate(taxCode, rateBasisPoints, validFrom);
  expect({ status, body }).toMatchObject({ status: 201 });
  return body.warnings;
}

/** Waits for the job that marks items sold at a different rate. */
async function marked(taxCode: TaxCode): Promise<void> {
  for (;;) {
    const [jobs] = await app.sql<{ count: number }>(
      `select count(*)::int as count from graphile_worker._private_jobs job where job.payload ->> 'taxCodeId' = $1`,
      [taxCode.id],
    );
    if (jobs?.count === 0) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

const TRIP = { title: 'Trip', unitSellCents: 119_000, taxIncludedCents: 19_000, serviceDate: '2027-09-10' };
const DEPOSIT = [35_700, 83_300];

async function sold(taxCode: TaxCode, items: object[] = [{}], plan = DEPOSIT): Promise<Sold> {
  return sell(app, { items: items.map((item) => ({ ...TRIP, taxCode, ...item })), plan });
}

const itemOf = ({ id: bookingId, itemIds }: Sold, index = 0) =>
  readItem(owner, { bookingId, id: itemIds[index] ?? '' } as Item);

async function issued(bookingId: string, scheduleId: string | undefined): Promise<Invoice> {
  const { id } = await draft(owner, { bookingId, scheduleId });
  const { status, body } = await issue(owner, id);
  expect({ status, body }).toMatchObject({ status: 200 });
  return body.data;
}

/** Bills a part of a booking without a plan. */
async function depositBilled({ id: bookingId }: Sold, { id: taxCodeId }: TaxCode): Promise<Invoice> {
  const line = { description: 'Deposit', unitPriceCents: 35_700, priceBasis: 'gross', taxCodeId };
  const deposit = await draft(owner, { bookingId, lines: [line] });
  expect((await issue(owner, deposit.id)).status).toBe(200);
  return deposit;
}

const recalculate = (bookingId: string) =>
  owner.post<{ data: Record<string, unknown>; code?: string; details?: object }>(
    `${BOOKINGS}/${bookingId}/tax-recalculation`,
  );

async function recalculated(bookingId: string): Promise<Record<string, unknown>> {
  const { status, body } = await recalculate(bookingId);
  expect({ status, body }).toMatchObject({ status: 200 });
  return body.data;
}

describe('a tax rate that is added after the sale', () => {
  it('the rest of a booking takes the new rate after a warning, its deposit keeps the old one', async () => {
    const taxCode = await newTaxCode(owner);
    const trip = await sold(taxCode);
    const early = await sold(taxCode, [{ serviceDate: '2027-06-30' }]);
    await issued(trip.id, trip.scheduleIds[0]);
    const unmarked = await readBooking(owner, trip.id);

    expect(await rateAdded(taxCode)).toEqual([{ code: 'sold_at_another_rate', items: 1, bookings: 1 }]);
    await marked(taxCode);
    expect(await itemOf(trip)).toMatchObject({ taxRateChanged: true, taxRateBasisPoints: 1_900, version: 2 });
    expect((await entriesAbout(owner, trip.itemIds[0] ?? '')).at(-1)).toMatchObject({
      action: 'bookings.booking_item.update',
      actorType: 'system',
      before: { taxRateChanged: false },
      after: { taxRateChanged: true },
    });
    expect(await itemOf(early)).toMatchObject({ taxRateChanged: false, version: 1 });
    const list = async (query: string) =>
      (await owner.get<Page<{ id: string }>>(`${BOOKINGS}?limit=200&${query}`)).body.data.map(({ id }) => id);
    expect(await list('taxRateChanged=true')).toContain(trip.id);
    expect(await list('taxRateChanged=true')).not.toContain(early.id);
    expect(await list('taxRateChanged=false')).toContain(early.id);
    expect(await list('taxRateChanged=false')).not.toContain(trip.id);

    const before = await readBooking(owner, trip.id);
    expect(before['warnings']).toContain('tax_rate_changed');
    expect(before.version).toBe(unmarked.version + 1);
    expect(await recalculated(trip.id)).toMatchObject({
      warnings: [],
      totalCents: 119_000,
      version: before.version + 1,
    });
    expect(await itemOf(trip)).toMatchObject({
      taxRateBasisPoints: 2_100,
      taxRateChanged: false,
      earlierRateCents: 35_700,
      earlierRateTaxCents: 5_700,
      taxIncludedCents: 5_700 + 14_457,
    });
    expect((await entriesAbout(owner, trip.id)).at(-1)).toMatchObject({
      action: 'bookings.booking.recalculate_taxes',
      after: { recalculatedItemIds: trip.itemIds },
    });
    const balance = await issued(trip.id, trip.scheduleIds[1]);
    expect(balance.lines).toMatchObject([{ totalCents: 83_300, taxCents: 14_457, taxRateBasisPoints: 2_100 }]);
    expect(await list('taxRateChanged=true')).not.toContain(trip.id);
  });

  it('a draft of the balance is stale after the recalculation', async () => {
    const taxCode = await newTaxCode(owner);
    const trip = await sold(taxCode);
    await issued(trip.id, trip.scheduleIds[0]);
    const { id } = await draft(owner, { bookingId: trip.id, scheduleId: trip.scheduleIds[1] });
    await rateAdded(taxCode);
    await marked(taxCode);
    await recalculated(trip.id);
    expect((await issue(owner, id)).body).toMatchObject({
      code: 'draft_stale',
      details: { reasons: ['tax_rate_changed'], itemIds: trip.itemIds },
    });
    expect((await issue(owner, id, { onStale: 'redraw' })).body.data).toMatchObject({ taxCents: 14_457 });
  });

  it('without documents all of the item takes the new rate, and a discount with it', async () => {
    const taxCode = await newTaxCode(owner);
    const { id } = await makeBooking(owner);
    const of = { taxCodeId: taxCode.id, serviceDate: '2027-09-10' };
    const trip = await addItem(owner, id, { unitSellCents: 119_000, ...of });
    const discount = await addItem(owner, id, { type: 'discount', unitSellCents: -12_100, ...of });
    expect(await rateAdded(taxCode)).toEqual([{ code: 'sold_at_another_rate', items: 2, bookings: 1 }]);
    await marked(taxCode);
    await recalculated(id);
    const none = { taxRateBasisPoints: 2_100, taxRateChanged: false, earlierRateCents: 0, earlierRateTaxCents: 0 };
    expect(await readItem(owner, trip)).toMatchObject({ ...none, taxIncludedCents: 20_653 });
    expect(await readItem(owner, discount)).toMatchObject({ ...none, taxIncludedCents: -2_100 });
  });

  it('an item without a service date has the rate of its creation', async () => {
    const taxCode = await newTaxCode(owner);
    const { id } = await makeBooking(owner);
    const item = await addItem(owner, id, { unitSellCents: 11_900, taxCodeId: taxCode.id });
    expect(await rateAdded(taxCode, 2_000, app.day(1))).toEqual([]);
    const other = await newTaxCode(owner);
    const today = await addItem(owner, id, { unitSellCents: 12_100, taxCodeId: other.id });
    expect(await rateAdded(other, 2_100, app.day())).toMatchObject([{ items: 1 }]);
    await marked(other);
    expect(await readItem(owner, item)).toMatchObject({ taxRateChanged: false });
    expect(await readItem(owner, today)).toMatchObject({ taxRateChanged: true, taxIncludedCents: 1_932 });
    await recalculated(id);
    expect(await readItem(owner, today)).toMatchObject({ taxRateChanged: false, taxIncludedCents: 2_100 });
  });

  it('what is billed keeps its tax when the price changes, and takes the new rate once it is credited', async () => {
    const taxCode = await newTaxCode(owner);
    const trip = await sold(taxCode, [{}], []);
    const deposit = await depositBilled(trip, taxCode);
    await rateAdded(taxCode);
    await marked(taxCode);
    await recalculated(trip.id);
    const patch = async (unitSellCents: number) => {
      const path = `${BOOKINGS}/${trip.id}/items/${trip.itemIds[0]}`;
      return (await owner.patch<{ data: Item }>(path, { unitSellCents })).body.data['taxIncludedCents'];
    };
    expect(await patch(156_700)).toBe(5_700 + 21_000);
    expect(await patch(11_900)).toBe(1_900);
    expect(await patch(119_000)).toBe(5_700 + 14_457);
    const path = `${BOOKINGS}/${trip.id}/items/${trip.itemIds[0]}`;
    const repeated = await owner.patch(path, { title: 'Long trip', taxCodeId: taxCode.id });
    expect(repeated.body).toMatchObject({ data: { earlierRateCents: 35_700, taxIncludedCents: 5_700 + 14_457 } });

    await issuedNote(owner, deposit, { reason: 'correction', reasonText: 'Wrong customer' });
    const whole = await draft(owner, { bookingId: trip.id });
    expect(whole.lines).toMatchObject([{ taxRateBasisPoints: 2_100, totalCents: 119_000, taxCents: 20_653 }]);
    expect(await itemOf(trip)).toMatchObject({ earlierRateCents: 0, taxIncludedCents: 20_653 });
  });

  it('of two items with one tax code, only the one that the rate concerns takes it', async () => {
    const taxCode = await newTaxCode(owner);
    const trip = await sold(taxCode, [{}, { serviceDate: '2027-06-01' }], [119_000, 119_000]);
    await issued(trip.id, trip.scheduleIds[0]);
    await rateAdded(taxCode);
    await marked(taxCode);
    await recalculated(trip.id);
    expect(await itemOf(trip)).toMatchObject({ earlierRateCents: 59_500, taxIncludedCents: 9_500 + 10_326 });
    expect(await itemOf(trip, 1)).toMatchObject({ earlierRateCents: 0, taxIncludedCents: 19_000, version: 1 });
    const rest = await issued(trip.id, trip.scheduleIds[1]);
    expect(rest.lines).toMatchObject([
      { totalCents: 59_500, taxCents: 9_500, taxRateBasisPoints: 1_900 },
      { totalCents: 59_500, taxCents: 10_326, taxRateBasisPoints: 2_100 },
    ]);
  });

  it('an item keeps the tax of the lines that name it, and another one with its tax code and price keeps none of it', async () => {
    const taxCode = await newTaxCode(owner);
    const trip = await sold(taxCode, [{}, {}], []);
    const second = { bookingItemId: trip.itemIds[1], description: 'Second trip', priceBasis: 'gross' };
    const { id } = await draft(owner, { bookingId: trip.id, lines: [{ ...second, unitPriceCents: 119_000 }] });
    expect((await issue(owner, id)).status).toBe(200);
    await rateAdded(taxCode);
    await marked(taxCode);
    await recalculated(trip.id);
    expect(await itemOf(trip)).toMatchObject({ earlierRateCents: 0, taxIncludedCents: 20_653 });
    expect(await itemOf(trip, 1)).toMatchObject({ earlierRateCents: 119_000, taxIncludedCents: 19_000 });
    const rest = await draft(owner, { bookingId: trip.id });
    expect(rest.lines).toMatchObject([{ totalCents: 119_000, taxCents: 20_653, taxRateBasisPoints: 2_100 }]);

    await issuedNote(owner, { id }, { reason: 'correction', reasonText: 'Wrong customer' });
    expect(await itemOf(trip, 1)).toMatchObject({ earlierRateCents: 0, taxIncludedCents: 20_653 });
  });

  it('an item that is reinstated after a rate was added has that rate, or is marked if documents bill it', async () => {
    const taxCode = await newTaxCode(owner);
    const [free, billed] = [
      await sold(taxCode, [{}, {}], [238_000]),
      await sold(taxCode, [{}, {}], [119_000, 119_000]),
    ];
    await issued(billed.id, billed.scheduleIds[0]);
    const act = async ({ id, itemIds }: Sold, verb: string, body: object) => {
      const answer = await owner.post(`${BOOKINGS}/${id}/items/${itemIds[1]}/${verb}`, body);
      expect([answer.status, answer.text]).toEqual([200, answer.text]);
    };
    for (const booking of [free, billed]) await act(booking, 'cancellation', {});
    expect(await rateAdded(taxCode)).toMatchObject([{ items: 2 }]);
    await marked(taxCode);
    for (const booking of [free, billed]) await act(booking, 'reinstatement', { reason: 'By mistake' });
    expect(await itemOf(free, 1)).toMatchObject({ taxRateBasisPoints: 2_100, taxRateChanged: false });
    expect(await itemOf(billed, 1)).toMatchObject({ taxRateBasisPoints: 1_900, taxRateChanged: true });
  });

  it('more items than a batch are marked, and items that are sold meanwhile have the new rate or are marked', async () => {
    const taxCode = await newTaxCode(owner);
    const { id, itemIds } = await sold(taxCode, [{}], []);
    await app.sql(
      `with more as (
         insert into booking_items select (jsonb_populate_record(item, jsonb_build_object('id',
           'bkit_' || lpad(n::text, 26, '0')))).* from booking_items item, generate_series(1, 450) n where item.id = $1
         returning total_sell_cents
       )
       update bookings set total_cents = total_cents + (select sum(total_sell_cents) from more) where id = $2`,
      [itemIds[0], id],
    );
    const bookings = await Promise.all([1, 2, 3, 4].map(() => makeBooking(owner)));
    const of = { unitSellCents: 11_900, taxCodeId: taxCode.id, serviceDate: '2027-09-10' };
    const [added] = await Promise.all([
      rateAdded(taxCode),
      ...bookings.map(async (booking) => {
        for (let n = 0; n < 5; n++) await addItem(owner, booking.id, of);
      }),
    ]);
    expect(added).toMatchObject([{ code: 'sold_at_another_rate' }]);
    await marked(taxCode);
    const [counted] = await app.sql<{ all: number; silent: number }>(
      `select count(*)::int as all, count(*) filter (where tax_rate_basis_points = 1900 and not tax_rate_changed)::int as silent
       from booking_items where tax_code_id = $1`,
      [taxCode.id],
    );
    expect(counted).toEqual({ all: 471, silent: 0 });
  });

  it('a process of an earlier build can change the price or the tax code of an item, whose billed part keeps its tax', async () => {
    const taxCode = await newTaxCode(owner);
    const trip = await sold(taxCode, [{}], []);
    await depositBilled(trip, taxCode);
    await rateAdded(taxCode);
    await marked(taxCode);
    await recalculated(trip.id);
    // It computes the tax of the whole price at the copied rate, and does not know the earlier part.
    const price = (cents: number, taxCents: number) =>
      app.sql(
        `with booking as (update bookings set total_cents = $2 where id = $4)
         update booking_items set unit_sell_cents = $2, total_sell_cents = $2, tax_included_cents = $3 where id = $1`,
        [trip.itemIds[0], cents, taxCents, trip.id],
      );
    const earlier = { earlierRateCents: 35_700, earlierRateTaxCents: 5_700 };
    await price(156_700, 27_196);
    expect(await itemOf(trip)).toMatchObject({ ...earlier, taxIncludedCents: 5_700 + 21_000 });
    await price(11_900, 2_065);
    expect(await itemOf(trip)).toMatchObject({ ...earlier, taxIncludedCents: 1_900 });
    await price(0, 0);
    expect(await itemOf(trip)).toMatchObject({ ...earlier, taxIncludedCents: 0 });
    await expect(price(119_000, 1)).rejects.toThrow('booking_items_coded_tax');
    await price(119_000, 20_653);
    expect(await itemOf(trip)).toMatchObject({ ...earlier, taxIncludedCents: 5_700 + 14_457 });

    const other = await newTaxCode(owner);
    await app.sql(
      `update booking_items set tax_code_id = $2, tax_code = $3, tax_rate_basis_points = 1900, tax_included_cents = 19000
       where id = $1`,
      [trip.itemIds[0], other.id, other.code],
    );
    expect(await itemOf(trip)).toMatchObject({ earlierRateCents: 0, earlierRateTaxCents: 0, taxIncludedCents: 19_000 });
  });

  it('an item is marked the next night if an earlier build added the rate', async () => {
    const taxCode = await newTaxCode(owner);
    const trip = await sold(taxCode);
    await rateAdded(taxCode);
    await marked(taxCode);
    await app.sql('update booking_items set tax_rate_changed = false where id = $1', [trip.itemIds[0]]);
    await app.sql(`select graphile_worker.add_job('bookings.mark-missed-tax-rates')`);
    await eventually(async () => ((await itemOf(trip))['taxRateChanged'] === true ? true : null));
  });

  it('an error of an item names the item, and no field, because the request has none', async () => {
    const taxCode = await newTaxCode(owner);
    const early = await sold(taxCode, [{ serviceDate: '1999-09-10' }]);
    const { body: missing } = await recalculate(early.id);
    expect(missing).toMatchObject({ code: 'tax_rate_missing' });
    expect(missing.details).toEqual({ itemId: early.itemIds[0], taxCode: taxCode.code, day: '1999-09-10' });

    const discount = { unitSellCents: -107_100, taxIncludedCents: -17_100, serviceDate: '2027-06-01' };
    const trip = await sold(taxCode, [{}, discount], [11_900]);
    await rateAdded(taxCode, 700);
    await marked(taxCode);
    const before = await itemOf(trip);
    const { body: negative } = await recalculate(trip.id);
    expect(negative).toMatchObject({ code: 'negative_total' });
    expect(negative.details).toEqual({ taxCode: taxCode.code, totalCents: 11_900, taxCents: 7_785 - 17_100 });
    expect(await itemOf(trip)).toEqual(before);
  });

  it('a recalculation of a foreign or unknown booking, or with a body, is rejected and changes nothing', async () => {
    const taxCode = await newTaxCode(owner);
    const trip = await sold(taxCode);
    await rateAdded(taxCode);
    await marked(taxCode);
    const before = [await readBooking(owner, trip.id), await itemOf(trip)];
    const path = (id: string) => `${BOOKINGS}/${id}/tax-recalculation`;
    const unknown = `book_${'0'.repeat(26)}`;
    for (const id of [unknown, trip.itemIds[0] ?? '', taxCode.id, 'x'.repeat(2_000), '%00', '..%2F..', 'null', '-1']) {
      const { status } = await owner.post(path(id));
      expect([id, [400, 404].includes(status)]).toEqual([id, true]);
    }
    const json = { 'Content-Type': 'application/json' };
    const bodies: [raw: string, headers?: Record<string, string>][] = [
      ...[
        '{"taxCodeId":"taxc_1"}',
        '{"__proto__":{"admin":true}}',
        '[]',
        '[1]',
        '"text"',
        '1',
        'true',
        '{',
        '\u0000',
      ].map((raw): [string] => [raw]),
      [`{"a":"${'x'.repeat(5_000_000)}"}`],
      [`${'['.repeat(100_000)}${']'.repeat(100_000)}`],
      ['taxCodeId=taxc_1', { 'Content-Type': 'application/x-www-form-urlencoded' }],
      ['<a/>', { 'Content-Type': 'application/xml' }],
    ];
    for (const [raw, headers = json] of bodies) {
      const { status } = await owner.post(path(trip.id), undefined, { raw, headers });
      expect([raw.slice(0, 40), [400, 413, 415].includes(status)]).toEqual([raw.slice(0, 40), true]);
    }
    const stale = await owner.post(path(trip.id), undefined, { headers: { 'If-Match': '"99"' } });
    expect(stale.status).toBe(412);
    expect([await readBooking(owner, trip.id), await itemOf(trip)]).toEqual(before);
    const { status } = await owner.post(path(trip.id), undefined, { raw: '{}', headers: json });
    expect(status).toBe(200);
  });

  it('a cancelled booking has no taxes to recalculate', async () => {
    const { id } = await sell(app, { status: 'cancelled' });
    expect(await recalculate(id)).toMatchObject({ status: 409, body: { code: 'booking_closed' } });
  });
});

describe('what documents bill at an earlier rate follows from the documents that count', () => {
  interface Changed extends Sold {
    taxCode: TaxCode;
    deposit: Invoice;
  }

  const half = { unitSellCents: 50_000, taxIncludedCents: 7_983 };

  /** A deposit of 30000 is billed at 19 %, then the rest takes the new rate. */
  async function changed(
    items: object[] = [{ unitSellCents: 100_000, taxIncludedCents: 15_966 }],
    rateBasisPoints = 2_100,
    plan = [30_000, 70_000],
  ): Promise<Changed> {
    const taxCode = await newTaxCode(owner);
    const trip = await sold(taxCode, items, plan);
    const deposit = await issued(trip.id, trip.scheduleIds[0]);
    await rateAdded(taxCode, rateBasisPoints);
    await marked(taxCode);
    await recalculated(trip.id);
    return { ...trip, taxCode, deposit };
  }

  const figuresOf = ({ lines }: Invoice) =>
    lines.map(({ totalCents, taxCents, taxRateBasisPoints }) => [totalCents, taxCents, taxRateBasisPoints]);

  async function issuedNow(invoice: Pick<Invoice, 'id'>): Promise<unknown[][]> {
    const { status, text, body } = await issue(owner, invoice.id);
    expect([status, text]).toEqual([200, text]);
    return figuresOf(body.data);
  }

  const billed = async (bookingId: string, scheduleId?: string) =>
    issuedNow(await draft(owner, { bookingId, ...(scheduleId ? { scheduleId } : {}) }));

  async function corrected({ id }: Pick<Invoice, 'id'>): Promise<Invoice> {
    const body = { reasonText: 'Wrong payer', payerName: 'Ada Lovelace' };
    const answer = await owner.post<{ data: { invoice: Invoice } }>(
      `/v1/admin/finance/invoices/${id}/correction`,
      body,
    );
    expect([answer.status, answer.text]).toEqual([201, answer.text]);
    return answer.body.data.invoice;
  }

  async function voided({ id }: Pick<Invoice, 'id'>): Promise<void> {
    const { status, text } = await owner.post(`/v1/admin/finance/invoices/${id}/voiding`, { reason: 'Wrong payer' });
    expect([status, text]).toEqual([200, text]);
  }

  const pathOf = ({ id, itemIds }: Sold, index = 0) => `${BOOKINGS}/${id}/items/${itemIds[index]}`;

  async function patched(trip: Sold, index: number, body: object): Promise<void> {
    const { status, text } = await owner.patch(pathOf(trip, index), body);
    expect([status, text]).toEqual([200, text]);
  }

  async function acted(trip: Sold, verb: string, body: object, index = 0): Promise<void> {
    const { status, text } = await owner.post(`${pathOf(trip, index)}/${verb}`, body);
    expect([status, text]).toEqual([200, text]);
  }

  /** Returns whether the report on these bookings and items finds nothing. */
  async function isSound({ id, itemIds }: Sold): Promise<boolean> {
    const found = (await verify(owner)).checks.flatMap(({ examples }) => examples.map(({ subjectId }) => subjectId));
    return ![id, ...itemIds].some((each) => found.includes(each));
  }

  const OLD = [30_000, 4_790, 1_900];
  const NEW = [70_000, 12_149, 2_100];

  it('the replacement of a corrected deposit keeps its rate, and the balance has the new one, in each order', async () => {
    const [first, last] = [await changed(), await changed()];
    const replacement = await corrected(first.deposit);
    expect(figuresOf(replacement)).toEqual([OLD]);
    expect(await itemOf(first)).toMatchObject({ earlierRateCents: 0, taxIncludedCents: 17_355 });
    expect(await issuedNow(replacement)).toEqual([OLD]);
    expect(await itemOf(first)).toMatchObject({ earlierRateCents: 30_000, taxIncludedCents: 16_939 });
    expect(await billed(first.id, first.scheduleIds[1])).toEqual([NEW]);

    const later = await corrected(last.deposit);
    expect(await billed(last.id, last.scheduleIds[1])).toEqual([NEW]);
    expect(await issuedNow(later)).toEqual([OLD]);
    expect(await itemOf(last)).toMatchObject({ earlierRateCents: 30_000, taxIncludedCents: 16_939 });
    expect([await isSound(first), await isSound(last)]).toEqual([true, true]);
  });

  it('the replacement of a replacement, and one that is redrawn, keep the rate too', async () => {
    const trip = await changed();
    const replacement = await corrected(trip.deposit);
    const redrawn = await owner.post<{ data: Invoice }>(`/v1/admin/finance/invoices/${replacement.id}/redrawing`, {});
    expect(figuresOf(redrawn.body.data)).toEqual([OLD]);
    await issuedNow(replacement);
    expect(await issuedNow(await corrected(replacement))).toEqual([OLD]);
    expect(await billed(trip.id, trip.scheduleIds[1])).toEqual([NEW]);
  });

  it('an invoice over a whole booking that is corrected keeps its lines', async () => {
    const taxCode = await newTaxCode(owner);
    const trip = await sold(taxCode, [{}, {}], []);
    const whole = await draft(owner, { bookingId: trip.id });
    await issue(owner, whole.id);
    await rateAdded(taxCode);
    await marked(taxCode);
    await recalculated(trip.id);
    const line = [119_000, 19_000, 1_900];
    const replacement = await corrected(whole);
    expect(replacement.lines.map(({ bookingItemId }) => bookingItemId)).toEqual(trip.itemIds);
    expect(await issuedNow(replacement)).toEqual([line, line]);
    expect(await itemOf(trip)).toMatchObject({ earlierRateCents: 119_000, taxIncludedCents: 19_000 });
    expect(await isSound(trip)).toBe(true);
  });

  it('after the deposit is void, nothing has the earlier rate', async () => {
    const [whole, parts] = [await changed(), await changed()];
    await voided(whole.deposit);
    expect(await itemOf(whole)).toMatchObject({ earlierRateCents: 0, taxIncludedCents: 17_355, version: 4 });
    expect((await entriesAbout(owner, whole.itemIds[0] ?? '')).at(-1)).toMatchObject({
      action: 'bookings.booking_item.update',
      before: { earlierRateCents: 30_000 },
      after: { earlierRateCents: 0 },
    });
    expect(await billed(whole.id)).toEqual([[100_000, 17_355, 2_100]]);
    await voided(parts.deposit);
    expect(await billed(parts.id, parts.scheduleIds[0])).toEqual([[30_000, 5_207, 2_100]]);
    expect(await billed(parts.id, parts.scheduleIds[1])).toEqual([[70_000, 12_148, 2_100]]);
    expect([await isSound(whole), await isSound(parts)]).toEqual([true, true]);
  });

  it('a part of the deposit that is credited takes the new rate', async () => {
    const trip = await changed();
    const lines = [{ linePosition: 1, amountCents: 10_000 }];
    await issuedNote(owner, trip.deposit, { reason: 'correction', reasonText: 'Too much', lines });
    expect(await itemOf(trip)).toMatchObject({ earlierRateCents: 20_000, earlierRateTaxCents: 3_193 });
    expect(await billed(trip.id)).toEqual([[80_000, 13_884, 2_100]]);
    expect(await isSound(trip)).toBe(true);
  });

  it('a credit note for a lower price credits a part of the deposit at its own rate', async () => {
    const trip = await changed();
    expect(await billed(trip.id, trip.scheduleIds[1])).toEqual([NEW]);
    await patched(trip, 0, { unitSellCents: 90_000 });
    const made = await issuedNote(owner, trip.deposit, { reason: 'booking_changed' });
    expect(made.lines).toMatchObject([{ totalCents: 10_000, taxCents: 1_597, taxRateBasisPoints: 1_900 }]);
    expect(await itemOf(trip)).toMatchObject({ earlierRateCents: 20_000, taxIncludedCents: 3_193 + 12_149 });
    const money = await owner.get<{ data: object }>(`/v1/admin/finance/bookings/${trip.id}/money`);
    expect(money.body.data).toMatchObject({ creditDueByTaxCode: [], creditDueCents: 0, billedCents: 90_000 });
    expect(await isSound(trip)).toBe(true);
  });

  it('a discount that was credited at its own rate keeps it when the rate of the trip changes', async () => {
    const taxCode = await newTaxCode(owner, {
      rates: [
        { rateBasisPoints: 1_600, validFrom: '2007-01-01', validTo: '2027-06-30' },
        { rateBasisPoints: 1_900, validFrom: '2027-07-01' },
      ],
    });
    const free = { unitSellCents: 0, taxIncludedCents: 0, serviceDate: '2027-06-01' };
    const sale = await sell(app, { items: [{ ...free, taxCode }] });
    const of = { taxCodeId: taxCode.id, serviceDate: '2027-09-10' };
    const item = await addItem(owner, sale.id, { unitSellCents: 119_000, ...of });
    const trip = { ...sale, itemIds: [item.id] };
    const whole = await issued(trip.id, undefined);
    await addItem(owner, trip.id, { type: 'discount', unitSellCents: -11_600, ...of, serviceDate: '2027-06-01' });
    const note = await issuedNote(owner, whole, { reason: 'booking_changed' });
    expect(note.lines).toMatchObject([{ totalCents: 11_600, taxCents: 1_600, taxRateBasisPoints: 1_600 }]);

    await rateAdded(taxCode, 2_100, '2027-08-01');
    await marked(taxCode);
    await recalculated(trip.id);
    const money = async () => (await owner.get<{ data: object }>(`/v1/admin/finance/bookings/${trip.id}/money`)).body;
    expect(await money()).toMatchObject({ data: { creditDueByTaxCode: [], roomCents: 0 } });
    await patched(trip, 0, { unitSellCents: 131_100 });
    expect(await billed(trip.id)).toEqual([[12_100, 2_100, 2_100]]);
    expect(await itemOf(trip)).toMatchObject({ earlierRateCents: 119_000, taxIncludedCents: 19_000 + 2_100 });
    expect(await money()).toMatchObject({ data: { creditDueByTaxCode: [], roomCents: 0 } });
    expect(await isSound(trip)).toBe(true);
  });

  it('a discount after the recalculation is credited at its own rate, and takes no part of the deposit', async () => {
    const trip = await changed();
    await addItem(owner, trip.id, {
      ...{ type: 'discount', unitSellCents: -12_100, taxCodeId: trip.taxCode.id, serviceDate: '2027-09-10' },
    });
    expect(await itemOf(trip)).toMatchObject({ earlierRateCents: 30_000, taxIncludedCents: 4_790 + 12_149 });
    expect(await billed(trip.id)).toEqual([[57_900, 10_049, 2_100]]);
    await addItem(owner, trip.id, {
      ...{ type: 'discount', unitSellCents: -60_500, taxCodeId: trip.taxCode.id, serviceDate: '2027-09-10' },
    });
    const path = `/v1/admin/finance/invoices?bookingId=${trip.id}`;
    const { body } = await owner.get<{ data: Invoice[] }>(path);
    const balance = body.data.find(({ id }) => id !== trip.deposit.id);
    const first = await issuedNote(owner, { id: balance?.id ?? '' }, { reason: 'booking_changed' });
    expect(first.lines).toMatchObject([{ totalCents: 57_900, taxCents: 10_049, taxRateBasisPoints: 2_100 }]);
    const second = await issuedNote(owner, trip.deposit, { reason: 'booking_changed' });
    expect(second.lines).toMatchObject([{ totalCents: 2_600, taxCents: 451, taxRateBasisPoints: 2_100 }]);
    expect(await itemOf(trip)).toMatchObject({ earlierRateCents: 30_000, taxIncludedCents: 4_790 + 12_149 });
    const money = await owner.get<{ data: object }>(`/v1/admin/finance/bookings/${trip.id}/money`);
    expect(money.body.data).toMatchObject({ creditDueByTaxCode: [], creditDueCents: 0, billedCents: 27_400 });
    expect(await isSound(trip)).toBe(true);
  });

  it('a waived installment reduces the rest at the new rate, not the deposit', async () => {
    const trip = await changed(undefined, undefined, [30_000, 20_000, 50_000]);
    const path = `/v1/admin/finance/bookings/${trip.id}`;
    const waiver = `${path}/payment-schedules/${trip.scheduleIds[1]}?rebalance=none`;
    expect((await owner.patch(waiver, { status: 'cancelled' })).status).toBe(200);
    expect(await billed(trip.id)).toEqual([[50_000, 8_678, 2_100]]);
    for (const asOf of ['', `?asOf=${app.day()}`]) {
      const { body } = await owner.get<{ data: object }>(`${path}/money${asOf}`);
      expect(body.data).toMatchObject({ creditDueByTaxCode: [], billedCents: 80_000 });
    }
    expect((await owner.get<Page<object>>(`/v1/admin/finance/credit-due?bookingId=${trip.id}`)).body.data).toEqual([]);
  });

  it('the deposit counts for the other item if one of two is cancelled, costs less or is reinstated', async () => {
    const [cancelled, cheaper, again] = [
      await changed([half, half]),
      await changed([half, half]),
      await changed([half, half]),
    ];
    await acted(cancelled, 'cancellation', {});
    expect(await itemOf(cancelled, 1)).toMatchObject({ earlierRateCents: 30_000, taxIncludedCents: 4_790 + 3_471 });
    expect(await billed(cancelled.id)).toEqual([[20_000, 3_471, 2_100]]);

    await patched(cheaper, 0, { unitSellCents: 10_000 });
    expect(await billed(cheaper.id)).toEqual([[30_000, 5_207, 2_100]]);

    await acted(again, 'cancellation', {});
    await acted(again, 'reinstatement', { reason: 'By mistake' });
    expect(await billed(again.id)).toEqual([[70_000, 2 * 6_074, 2_100]]);
    expect([await isSound(cancelled), await isSound(cheaper), await isSound(again)]).toEqual([true, true, true]);
  });

  it('the deposit of a cancelled item counts for the one that is sold instead', async () => {
    const trip = await changed([{ unitSellCents: 100_000, taxIncludedCents: 15_966 }]);
    await acted(trip, 'cancellation', {});
    const of = { taxCodeId: trip.taxCode.id, serviceDate: '2027-09-10' };
    const other = await addItem(owner, trip.id, { unitSellCents: 100_000, ...of });
    expect(other).toMatchObject({ earlierRateCents: 30_000, taxIncludedCents: 16_939 });
    expect(await billed(trip.id)).toEqual([NEW]);
    expect(await isSound(trip)).toBe(true);
  });

  it('a tax code that is changed and changed back leaves the deposit at its rate', async () => {
    const trip = await changed();
    const other = await newTaxCode(owner, { rates: [{ rateBasisPoints: 700, validFrom: '2007-01-01' }] });
    await patched(trip, 0, { taxCodeId: other.id });
    expect(await itemOf(trip)).toMatchObject({ earlierRateCents: 0, taxIncludedCents: 6_542 });
    await patched(trip, 0, { taxCodeId: trip.taxCode.id });
    expect(await itemOf(trip)).toMatchObject({ earlierRateCents: 30_000, taxIncludedCents: 16_939 });
    expect(await billed(trip.id, trip.scheduleIds[1])).toEqual([NEW]);
    expect(await isSound(trip)).toBe(true);
  });

  it('a lower rate that is added leaves the deposit at its rate, also when one item is cancelled', async () => {
    const trip = await changed([half, half], 700);
    await acted(trip, 'cancellation', {});
    expect(await itemOf(trip, 1)).toMatchObject({ earlierRateCents: 30_000, earlierRateTaxCents: 4_790 });
    expect(await billed(trip.id)).toEqual([[20_000, 1_308, 700]]);
  });

  it('the items of a booking that is reinstated have the part that documents bill then', async () => {
    const trip = await changed();
    const act = async (verb: string, body: object) => {
      const { status, text } = await owner.post(`${BOOKINGS}/${trip.id}/${verb}`, body);
      expect([status, text]).toEqual([200, text]);
    };
    await act('cancellation', { reason: 'By mistake' });
    await issuedNote(owner, trip.deposit, { reason: 'cancellation', reasonText: 'Cancelled' });
    await act('reinstatement', { reason: 'By mistake' });
    expect(await itemOf(trip)).toMatchObject({ earlierRateCents: 0, taxIncludedCents: 17_355 });
  });

  it('the integrity report finds an item whose part is not what documents bill at other rates', async () => {
    const [less, more] = [await changed(), await changed()];
    const set = (trip: Sold, cents: number, taxCents: number, itemTaxCents: number) =>
      app.sql(
        `update booking_items set earlier_rate_cents = $2, earlier_rate_tax_cents = $3, tax_included_cents = $4 where id = $1`,
        [trip.itemIds[0], cents, taxCents, itemTaxCents],
      );
    await set(less, 20_000, 3_193, 3_193 + 13_884);
    await set(more, 40_000, 6_387, 16_800);
    expect([await isSound(less), await isSound(more)]).toEqual([false, false]);
    await recalculated(less.id);
    await recalculated(more.id);
    expect([await isSound(less), await isSound(more)]).toEqual([true, true]);
  });
});
