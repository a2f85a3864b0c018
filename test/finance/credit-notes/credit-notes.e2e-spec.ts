/** @jest-environment-options {"application":"shared"} */
import { beforeAll, describe, expect, it } from '@jest/globals';
import { BillingDocument } from '../../../src/modules/finance/receivables/account/billing-document.entity.js';
import { CreditNote as CreditNoteRow } from '../../../src/modules/finance/receivables/account/credit-note.entity.js';
import { Invoice as InvoiceRow } from '../../../src/modules/finance/receivables/account/invoice.entity.js';
import { Database } from '../../../src/platform/database/database.js';
import { startApp, type TestApp } from '../../setup/app.js';
import type { TestClient } from '../../setup/client.js';
import { taxCodeAt } from '../../taxes/tax-codes.js';
import { problem, staffWith } from '../invoices.js';
import { draft, type Invoice, issue, type Item, pay, PATH as INVOICES, read, sell } from '../invoices/invoicing.js';
import { credit, type CreditNote, issuedNote, issueNote, note, PATH, useOwnSeries } from './crediting.js';

let app: TestApp;
let owner: TestClient;

beforeAll(async () => {
  app = await startApp();
  owner = app.as('owner');
  await useOwnSeries(owner);
});

const ONE: Item[] = [{ title: 'Tour', unitSellCents: 35_700, taxIncludedCents: 5_700 }];

/** Issues an invoice for all items of a new booking, whose plan has one installment. */
async function billed(items: Item[] = ONE): Promise<Invoice> {
  const total = items.reduce((sum, { quantity = 1, unitSellCents }) => sum + quantity * unitSellCents, 0);
  const { id: bookingId, scheduleIds } = await sell(app, { items, plan: [total] });
  const made = await draft(owner, { bookingId, scheduleId: scheduleIds[0] });
  const { status, text, body } = await issue(owner, made.id);
  expect([status, text]).toEqual([200, text]);
  return body.data;
}

const correct = (invoiceId: string) =>
  owner.post(`${INVOICES}/${invoiceId}/correction`, { reasonText: 'Made out to the wrong company' });

describe('the tax of a credit note', () => {
  it('a part of a line takes its share of the tax, and the last part all of the rest', async () => {
    const invoice = await billed();
    const first = await issuedNote(owner, invoice, { lines: [{ linePosition: 1, amountCents: 10_000 }] });
    expect(first).toMatchObject({
      totalCents: 10_000,
      taxCents: 1_597,
      subtotalCents: 8_403,
      openReducedCents: 10_000,
    });
    const second = await issuedNote(owner, invoice);
    expect(second).toMatchObject({
      totalCents: 25_700,
      taxCents: 4_103,
      lines: [{ linePosition: 1, taxCents: 4_103 }],
    });
    expect(await read(owner, invoice.id)).toMatchObject({ creditedCents: 35_700, balanceCents: 0, status: 'credited' });
  });

  it('a quantity of a line is credited with its share of the price', async () => {
    const { id: bookingId } = await sell(app, { items: [{ unitSellCents: 100_000 }] });
    const line = { description: 'Seat', quantity: '3', unitPriceCents: 10_000, taxRateBasisPoints: 1_900 };
    const { id } = await draft(owner, { bookingId, lines: [line] });
    await issue(owner, id);
    const one = await issuedNote(owner, { id }, { lines: [{ linePosition: 1, quantity: '1' }] });
    expect(one).toMatchObject({ totalCents: 11_900, taxCents: 1_900 });
  });
});

describe('the limits of a credit note', () => {
  it('two parallel full credit notes of an invoice are one 201 and one 422 over_credited', async () => {
    const invoice = await billed();
    const answers = await Promise.all([credit(owner, invoice.id), credit(owner, invoice.id)]);
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 422]);
    const rejected = answers.find(({ status }) => status === 422);
    expect(rejected?.body).toEqual(problem('over_credited', { field: 'lines', available: 0 }));
  });

  it('of two corrections of an invoice at the same time one is 201 and one 409 invoice_not_open', async () => {
    const invoice = await billed();
    const answers = await Promise.all([correct(invoice.id), correct(invoice.id)]);
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409]);
    expect(answers.find(({ status }) => status === 409)?.body).toMatchObject({ code: 'invoice_not_open' });
    expect(await read(owner, invoice.id)).toMatchObject({ status: 'credited', creditedCents: 35_700 });
  });

  it('a draft that is issued while another invoice of the booking is corrected never bills too much', async () => {
    for (let round = 0; round < 3; round += 1) {
      const { id: bookingId } = await sell(app, { items: ONE });
      const [first, second] = [await draft(owner, { bookingId }), await draft(owner, { bookingId })];
      await issue(owner, first.id);
      const [corrected, issued] = await Promise.all([correct(first.id), issue(owner, second.id)]);
      expect(corrected.status).toBe(201);
      expect([200, 409, 422]).toContain(issued.status);
      const { body } = await owner.get<{ data: Record<string, unknown> }>(
        `/v1/admin/finance/bookings/${bookingId}/money`,
      );
      const billedCents = issued.status === 200 ? 35_700 : 0;
      expect(body.data).toMatchObject({ billedCents, creditDueCents: 0, creditDueByTaxCode: [] });
    }
  });

  it('of two credit notes over the same line that are issued at the same time the second is rejected', async () => {
    const invoice = await billed();
    const lines = [{ linePosition: 1, amountCents: 35_700 }];
    const whole = await note(owner, invoice, { lines });
    const answers = await Promise.all([issueNote(owner, whole.id), correct(invoice.id)]);
    const statuses = answers.map(({ status }) => status);
    expect(statuses.filter((status) => status < 300)).toHaveLength(1);
    expect(await read(owner, invoice.id)).toMatchObject({ creditedCents: 35_700, status: 'credited' });
  });

  it('a credit of lines that exceeds the invoice because of its discount, and one of the discount alone, are rejected', async () => {
    const { id: bookingId } = await sell(app, { items: [{ unitSellCents: 100_000 }] });
    const lines = [
      { description: 'Seat', unitPriceCents: 10_000 },
      { description: 'Discount', unitPriceCents: -1_000 },
    ];
    const { id } = await draft(owner, { bookingId, lines });
    await issue(owner, id);
    const whole = await credit(owner, id, { lines: [{ linePosition: 1, amountCents: 10_000 }] });
    expect([whole.status, whole.body]).toEqual([422, problem('over_credited', { field: 'lines', available: 9_000 })]);
    const discount = await credit(owner, id, { lines: [{ linePosition: 2, amountCents: -1_000 }] });
    expect([discount.status, discount.body]).toEqual([
      422,
      problem('negative_total', { field: 'lines', totalCents: -1_000 }),
    ]);
  });

  it('a part beyond the rest of the line is rejected with 422 over_credited', async () => {
    const invoice = await billed();
    await issuedNote(owner, invoice, { lines: [{ linePosition: 1, amountCents: 30_000 }] });
    const { status, body } = await credit(owner, invoice.id, { lines: [{ linePosition: 1, amountCents: 5_701 }] });
    expect([status, body]).toEqual([422, problem('over_credited', { field: 'lines', available: 5_700 })]);
  });

  it('booking_changed credits what was billed beyond the price, and nothing if that is right', async () => {
    const { id: bookingId } = await sell(app, { items: [] });
    const items = `/v1/admin/bookings/${bookingId}/items`;
    const seat = { type: 'unit', title: 'Seat', unitSellCents: 100_000, taxIncludedCents: 19_000 };
    const seats = await Promise.all([1, 2, 3].map(() => owner.post<{ data: { id: string } }>(items, seat)));
    const { id } = await draft(owner, { bookingId });
    await issue(owner, id);
    const none = await credit(owner, id, { reason: 'booking_changed' });
    expect([none.status, none.body]).toEqual([422, problem('over_credited', { field: 'lines', available: 0 })]);
    const cancelled = await owner.post(`${items}/${seats[1]?.body.data.id}/cancellation`, { reason: 'Ill' });
    expect(cancelled.status).toBe(200);
    const made = await note(owner, { id }, { reason: 'booking_changed' });
    expect(made).toMatchObject({ totalCents: 100_000, taxCents: 19_000, linesSource: 'booking', stale: false });
    const more = await credit(owner, id, {
      reason: 'booking_changed',
      lines: [{ linePosition: 3, amountCents: 100_000 }],
    });
    expect([more.status, more.body]).toEqual([422, problem('over_credited', { field: 'lines', available: 0 })]);
    const again = await credit(owner, id, { reason: 'booking_changed' });
    expect([again.status, again.body]).toEqual([422, problem('over_credited', { field: 'lines', available: 0 })]);
    expect((await issueNote(owner, made.id)).body.data).toMatchObject({ number: expect.any(String), status: 'issued' });
    expect(await read(owner, id)).toMatchObject({ creditedCents: 100_000, balanceCents: 200_000, status: 'issued' });
  });

  it('drafts, void invoices and invoices credited in full cannot be credited: 409 invoice_not_open', async () => {
    const invoice = await billed();
    await issuedNote(owner, invoice);
    const { status, body } = await credit(owner, invoice.id);
    const details = { invoiceId: invoice.id, status: 'credited' };
    expect([status, body]).toEqual([409, problem('invoice_not_open', details)]);
    const { id: bookingId } = await sell(app);
    const { id } = await draft(owner, { bookingId });
    expect((await credit(owner, id)).body).toMatchObject({ code: 'invoice_not_open' });
  });

  it('the draft of a credit note cannot be issued after its invoice was voided: 409 invoice_not_open', async () => {
    const invoice = await billed();
    const { id } = await note(owner, invoice);
    expect((await owner.post(`${INVOICES}/${invoice.id}/voiding`, { reason: 'Wrong customer' })).status).toBe(200);
    const { status, body } = await issueNote(owner, id);
    const details = { invoiceId: invoice.id, status: 'void' };
    expect([status, body]).toEqual([409, problem('invoice_not_open', details)]);
    expect((await owner.delete(`${PATH}/${id}`)).status).toBe(200);
  });
});

describe('the money of a credit note', () => {
  it('the open balance falls first, then paid money is released', async () => {
    const invoice = await billed([{ unitSellCents: 1_000 }]);
    await pay(app, invoice.id, 700);
    const made = await issuedNote(owner, invoice, { lines: [{ linePosition: 1, amountCents: 500 }] });
    expect(made).toMatchObject({ openReducedCents: 300, releasedCents: 200 });
    expect(await read(owner, invoice.id)).toMatchObject({ paidCents: 500, creditedCents: 500, status: 'paid' });
  });

  it('one of three paid seats cancelled: the money is released at once, and the credit note lowers the open balance', async () => {
    const { id: bookingId } = await sell(app, { items: [] });
    const items = `/v1/admin/bookings/${bookingId}/items`;
    const seat = { type: 'unit', title: 'Seat', unitSellCents: 100_000 };
    const add = async () => (await owner.post<{ data: { id: string } }>(items, seat)).body.data.id;
    const seats = [await add(), await add(), await add()];
    const { id } = await draft(owner, { bookingId });
    await issue(owner, id);
    await pay(app, id, 300_000);
    expect((await owner.post(`${items}/${seats[0]}/cancellation`, { reason: 'Ill' })).status).toBe(200);
    const made = await issuedNote(owner, { id }, { reason: 'booking_changed' });
    expect(made).toMatchObject({ totalCents: 100_000, lines: [{ linePosition: 1, totalCents: 100_000 }] });
    const after = await read(owner, id);
    expect(after).toMatchObject({ paidCents: 200_000, creditedCents: 100_000, balanceCents: 0, status: 'paid' });
  });

  it('goodwill lowers the price of the booking at once', async () => {
    const invoice = await billed();
    const made = await issuedNote(owner, invoice, {
      reason: 'goodwill',
      lines: [{ linePosition: 1, amountCents: 10_000 }],
    });
    expect(made).toMatchObject({ totalCents: 10_000, taxCents: 1_597 });
    const { body } = await owner.get<{ data: { totalCents: number } }>(`/v1/admin/bookings/${invoice.bookingId}`);
    expect(body.data.totalCents).toBe(25_700);
    const list = await owner.get<{ data: Record<string, unknown>[] }>(
      `/v1/admin/bookings/${invoice.bookingId}/items?limit=10`,
    );
    expect(list.body.data).toContainEqual(
      expect.objectContaining({ type: 'adjustment', totalSellCents: -10_000, taxIncludedCents: -1_597 }),
    );
    expect(await read(owner, invoice.id)).toMatchObject({ creditedCents: 10_000, balanceCents: 25_700 });
  });

  it('goodwill on a line without a tax code has none either, also beside lines with one', async () => {
    const taxCode = await taxCodeAt(owner, 1_900);
    const invoice = await billed([
      { title: 'Tour', unitSellCents: 35_700, taxIncludedCents: 5_700, taxCode },
      { title: 'Visa', unitSellCents: 9_000 },
    ]);
    const { body } = await owner.get<{ data: { lines: { taxCodeId: string | null }[] } }>(`${INVOICES}/${invoice.id}`);
    const linePosition = body.data.lines.findIndex(({ taxCodeId }) => taxCodeId === null) + 1;
    const made = await issuedNote(owner, invoice, {
      reason: 'goodwill',
      lines: [{ linePosition, amountCents: 2_000 }],
    });
    expect(made).toMatchObject({ totalCents: 2_000, taxCents: 0 });
    const list = await owner.get<{ data: Record<string, unknown>[] }>(
      `/v1/admin/bookings/${invoice.bookingId}/items?limit=10`,
    );
    const adjustment = { totalSellCents: -2_000, taxIncludedCents: 0, taxCodeId: null };
    expect(list.body.data.find(({ type }) => type === 'adjustment')).toMatchObject(adjustment);
  });

  it('goodwill has the rate of the credited line, also after the rate of its tax code has changed', async () => {
    const taxCode = await taxCodeAt(owner, 1_900);
    const { id: bookingId, scheduleIds } = await sell(app, {
      items: [{ title: 'Tour', unitSellCents: 35_700, taxIncludedCents: 5_700, taxCode }],
      plan: [35_700],
    });
    const { id } = await draft(owner, { bookingId, scheduleId: scheduleIds[0] });
    expect((await issue(owner, id)).status).toBe(200);
    await app.sql('update tax_code_rates set rate_basis_points = 1600 where tax_code_id = $1', [taxCode.id]);
    const made = await issuedNote(
      owner,
      { id },
      { reason: 'goodwill', lines: [{ linePosition: 1, amountCents: 10_000 }] },
    );
    expect(made).toMatchObject({ totalCents: 10_000, taxCents: 1_597 });
    const { body } = await owner.get<{ data: Record<string, unknown>[] }>(
      `/v1/admin/bookings/${bookingId}/items?limit=10`,
    );
    const adjustment = { totalSellCents: -10_000, taxIncludedCents: -1_597, taxRateBasisPoints: 1_900 };
    expect(body.data.find(({ type }) => type === 'adjustment')).toMatchObject({ ...adjustment, taxRateChanged: true });
    const due = await owner.get<{ data: object[] }>(`/v1/admin/finance/credit-due?bookingId=${bookingId}`);
    expect(due.body.data).toEqual([]);
  });
});

describe('a credit note as a document', () => {
  it('an issued credit note is final', async () => {
    const { id, number } = await issuedNote(owner, await billed());
    const final = problem('credit_note_final', { number });
    const answers = [
      await owner.patch(`${PATH}/${id}`, { reasonText: 'Other' }),
      await owner.delete(`${PATH}/${id}`),
      await issueNote(owner, id),
    ];
    expect(answers.map(({ status, body }) => [status, body])).toEqual([1, 2, 3].map(() => [409, final]));
    await expect(app.sql(`update invoices set total_cents = 1 where id = $1`, [id])).rejects.toThrow();
  });

  it('a draft can be read, listed, changed and deleted', async () => {
    const invoice = await billed();
    const made = await note(owner, invoice);
    const changed = await owner.patch<{ data: CreditNote }>(`${PATH}/${made.id}`, {
      reasonText: 'Half of it',
      lines: [{ linePosition: 1, amountCents: 17_850 }],
    });
    expect(changed.body.data).toMatchObject({ totalCents: 17_850, taxCents: 2_850, version: 2, linesSource: 'manual' });
    const { body: page } = await owner.get<{ data: { id: string }[] }>(`${PATH}?invoiceId=${invoice.id}&status=draft`);
    expect(page.data.map(({ id }) => id)).toEqual([made.id]);
    expect((await owner.get<{ data: object }>(`${PATH}/${made.id}`)).body.data).toEqual(changed.body.data);
    expect((await owner.delete(`${PATH}/${made.id}`)).status).toBe(200);
    expect((await owner.get(`${PATH}/${made.id}`)).status).toBe(404);
    const { body: invoices } = await owner.get<{ data: { id: string }[] }>(
      `${INVOICES}?bookingId=${invoice.bookingId}`,
    );
    expect(invoices.data.map(({ id }) => id)).toEqual([invoice.id]);
  });

  it('an invoice and its credit note share a table, and neither is read, locked or deleted as the other', async () => {
    const { id, bookingId } = await billed();
    const { id: noteId } = await note(owner, { id });
    const database = app.nest.get(Database);
    const [invoices, notes] = [database.rows(InvoiceRow), database.rows(CreditNoteRow)];
    const documents = database.rows<BillingDocument>(BillingDocument);

    expect([await invoices.find(noteId), await notes.find(id)]).toEqual([null, null]);
    expect((await notes.listBy({ bookingId: String(bookingId) }, ['id'])).map((row) => row.id)).toEqual([noteId]);
    expect([await documents.get(id), await documents.get(noteId)]).toEqual([
      await invoices.get(id),
      await notes.get(noteId),
    ]);
    expect([await documents.get(id), await documents.get(noteId)]).toEqual([
      expect.any(InvoiceRow),
      expect.any(CreditNoteRow),
    ]);
    const locked = await database.transaction(async () => ({
      one: await notes.findAndLock(id),
      all: await notes.lockAll([id, noteId]),
    }));
    expect(locked).toEqual({ one: null, all: [expect.objectContaining({ id: noteId, originalInvoiceId: id })] });
    expect(await database.repository(CreditNoteRow).delete({ id })).toMatchObject({ affected: 0 });
  });

  it('credit notes need finance:approve', async () => {
    const { id } = await billed();
    const { status, body } = await credit(await staffWith(app, 'finance:*'), id);
    expect([status, body]).toEqual([403, problem('forbidden', { requiredScope: 'finance:approve' })]);
  });

  it('the database rejects a credited amount that is not the sum of the credit notes', async () => {
    const { id } = await billed();
    const written = app.sql('update invoices set credited_cents = 1 where id = $1', [id]);
    await expect(written).rejects.toMatchObject({ constraint: 'invoices_credited_is_sum' });
  });
});
