/** @jest-environment-options {"application":"shared"} */
import { beforeAll, describe, expect, it } from '@jest/globals';
import { addItem, BOOKINGS, makeBooking, type One } from '../../bookings/bookings.js';
import { startApp, type TestApp } from '../../setup/app.js';
import type { TestClient } from '../../setup/client.js';

const FINANCE = '/v1/admin/finance';

interface Settlement extends Record<string, unknown> {
  feeInvoiceId: string;
  feeScheduleId: string;
}

interface Document extends Record<string, unknown> {
  id: string;
}

let app: TestApp;
let owner: TestClient;
beforeAll(async () => {
  app = await startApp();
  owner = app.as('owner');
});

async function post<Thing>(url: string, body: object): Promise<Thing> {
  const answer = await owner.post<One<Thing>>(url, body);
  if (answer.status > 201) throw new Error(`${url} was rejected: ${answer.text}`);
  return answer.body.data;
}

/** Creates a confirmed booking of 100000 with an issued invoice and this paid amount. */
async function sold(paidCents: number): Promise<{ id: string; invoice: Document }> {
  const { id } = await makeBooking(owner, { currency: 'EUR' });
  await addItem(owner, id, { unitSellCents: 100_000 });
  await post(`${BOOKINGS}/${id}/confirmation`, {});
  const { id: draftId } = await post<Document>(`${FINANCE}/invoices`, { bookingId: id });
  const invoice = await post<Document>(`${FINANCE}/invoices/${draftId}/issuance`, {});
  await pay(id, paidCents);
  return { id, invoice };
}

const pay = (bookingId: string, amountCents: number, more: object = {}) => {
  const paidOn = app.day();
  return post(`${FINANCE}/payments`, { bookingId, method: 'cash', currency: 'EUR', amountCents, paidOn, ...more });
};
const cancel = (id: string) => post(`${BOOKINGS}/${id}/cancellation`, { reason: 'Ill' });
const settle = (id: string, agreedFeeCents: number) =>
  post<Settlement>(`${FINANCE}/bookings/${id}/cancellation-settlement`, {
    agreedFeeCents,
    feeReason: 'Agreed by phone',
  });
const readInvoice = async (id: string) => (await owner.get<One<object>>(`${FINANCE}/invoices/${id}`)).body.data;
const installments = (id: string) =>
  app.sql(
    `select type, status, amount_cents::int as amount, paid_cents::int as paid from payment_schedules
     where booking_id = $1 and status <> 'cancelled' order by position`,
    [id],
  );

describe('the fee of a cancelled booking', () => {
  it('money that was not to be applied by itself pays the fee before the rest is refunded', async () => {
    const { id } = await sold(30_000);
    await pay(id, 50_000, { allocations: [] });
    await cancel(id);
    const settlement = await settle(id, 50_000);
    expect(settlement).toMatchObject({ restCents: 30_000, refundId: expect.stringMatching(/^pay_/) });
    expect(await readInvoice(settlement.feeInvoiceId)).toMatchObject({ status: 'paid', balanceCents: 0 });
    expect(await installments(id)).toEqual([{ type: 'fee', status: 'paid', amount: 50_000, paid: 50_000 }]);
  });

  it('the invoice of a fee is corrected, and billed again after a credit note', async () => {
    const { id } = await sold(20_000);
    await cancel(id);
    const { feeInvoiceId, feeScheduleId } = await settle(id, 50_000);
    const correction = { reasonText: 'Another payer', payerName: 'Analytical Engines Ltd' };
    const { invoice } = await post<{ invoice: Document }>(`${FINANCE}/invoices/${feeInvoiceId}/correction`, correction);
    expect(invoice).toMatchObject({ status: 'draft', purpose: 'cancellation_fee', totalCents: 50_000 });
    expect(await post(`${FINANCE}/invoices/${invoice.id}/issuance`, {})).toMatchObject({
      status: 'partially_paid',
      scheduleId: feeScheduleId,
      payerName: 'Analytical Engines Ltd',
      paidCents: 20_000,
      balanceCents: 30_000,
    });

    const credit = { invoiceId: invoice.id, reason: 'correction', reasonText: 'Another address' };
    const note = await post<Document>(`${FINANCE}/credit-notes`, credit);
    await post(`${FINANCE}/credit-notes/${note.id}/issuance`, {});
    const again = await post<Document>(`${FINANCE}/invoices`, { bookingId: id, scheduleId: feeScheduleId });
    expect(again).toMatchObject({ purpose: 'cancellation_fee', totalCents: 50_000 });
    expect(await post(`${FINANCE}/invoices/${again.id}/issuance`, {})).toMatchObject({ balanceCents: 30_000 });
    expect(await installments(id)).toEqual([{ type: 'fee', status: 'pending', amount: 50_000, paid: 20_000 }]);
    const other = await owner.post(`${FINANCE}/invoices`, { bookingId: id });
    expect(other).toMatchObject({ status: 409, body: { code: 'booking_closed' } });
  });

  it('goodwill lowers the fee of a settled booking, and money beyond it becomes unapplied', async () => {
    const { id, invoice: credited } = await sold(45_000);
    await cancel(id);
    const early = { invoiceId: credited.id, reason: 'goodwill', reasonText: 'Regular customer' };
    const rejected = await owner.post(`${FINANCE}/credit-notes`, early);
    expect(rejected).toMatchObject({ status: 409, body: { code: 'booking_closed' } });
    const { feeInvoiceId } = await settle(id, 50_000);
    const goodwill = { ...early, invoiceId: feeInvoiceId, lines: [{ linePosition: 1, amountCents: 15_000 }] };
    const note = await post<Document>(`${FINANCE}/credit-notes`, goodwill);
    await post(`${FINANCE}/credit-notes/${note.id}/issuance`, {});
    expect(await installments(id)).toEqual([{ type: 'fee', status: 'paid', amount: 35_000, paid: 35_000 }]);
    expect(await readInvoice(feeInvoiceId)).toMatchObject({ status: 'paid', creditedCents: 15_000, paidCents: 35_000 });
    const { body } = await owner.get<One<object>>(`${FINANCE}/bookings/${id}/money`);
    expect(body.data).toMatchObject({ claimCents: 35_000, billedCents: 35_000, unappliedCents: 10_000 });

    const correction = { reasonText: 'Another payer', payerName: 'Analytical Engines Ltd' };
    const { invoice } = await post<{ invoice: Document }>(`${FINANCE}/invoices/${feeInvoiceId}/correction`, correction);
    expect(invoice).toMatchObject({ totalCents: 35_000 });
    expect(await post(`${FINANCE}/invoices/${invoice.id}/issuance`, {})).toMatchObject({ status: 'paid' });
  });
});
