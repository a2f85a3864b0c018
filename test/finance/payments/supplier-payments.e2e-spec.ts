/** @jest-environment-options {"application":"shared"} */
import { beforeAll, describe, expect, it } from '@jest/globals';
import { startApp, type TestApp } from '../../setup/app.js';
import type { TestClient } from '../../setup/client.js';
import { invalid, make, PATH as SUPPLIER_INVOICES, problem } from '../invoices.js';
import {
  approved,
  entriesOf,
  type Envelope,
  eventsOf,
  out,
  PAYMENTS,
  read,
  recorded,
  settledOf,
  stored,
} from './payments.js';

let app: TestApp;
let owner: TestClient;

beforeAll(async () => {
  app = await startApp();
  owner = app.as('owner');
});

describe('a payment for a supplier invoice', () => {
  it('a supplier payment is answered with 201, all its members, Location and ETag, and settles the invoice', async () => {
    const invoice = await approved(owner, 11_900);
    const sent = out(invoice.id, 11_900, { reference: 'SEPA 1', method: 'wallet' });
    const { status, body, headers } = await owner.post<Envelope>(PAYMENTS, sent);

    expect(status).toBe(201);
    expect(body.data).toEqual({
      id: expect.stringMatching(/^pay_/),
      ...sent,
      kind: 'supplier_payment',
      commissionId: null,
      bookingId: null,
      unappliedCents: 0,
      coveredCents: 0,
      autoApply: true,
      postingDate: sent.paidOn,
      dueOn: null,
      source: 'manual',
      status: 'completed',
      reason: null,
      receiptId: null,
      transferId: null,
      replacesPaymentId: null,
      reversedAt: null,
      reversalReason: null,
      reversalKind: null,
      reversedOn: null,
      reversalPostingDate: null,
      failedAt: null,
      failureReason: null,
      version: 1,
      createdAt: expect.any(String),
      updatedAt: body.data['createdAt'],
      warnings: [],
      allocations: [
        {
          id: expect.stringMatching(/^pall_/),
          scheduleId: null,
          invoiceId: null,
          supplierInvoiceId: invoice.id,
          refundId: null,
          amountCents: 11_900,
          effectiveOn: '2026-01-15',
          createdAt: expect.any(String),
        },
      ],
    });
    expect([headers['location'], headers['etag']]).toEqual([`${PAYMENTS}/${body.data.id}`, '"1"']);
    expect(await read(owner, body.data.id)).toEqual(body.data);
    expect(await settledOf(owner, invoice.id)).toEqual({ status: 'paid', paidCents: 11_900, version: 2 });
  });

  it('partial payments leave the supplier invoice approved until it is paid in full, and the paid event is published once', async () => {
    const { id } = await approved(owner, 10_000);
    const first = await recorded(owner, out(id, 4000));
    expect(await settledOf(owner, id)).toMatchObject({ status: 'approved', paidCents: 4000 });
    await recorded(owner, out(id, 6000));
    expect(await settledOf(owner, id)).toMatchObject({ status: 'paid', paidCents: 10_000 });

    const channel = 'finance.supplier-invoices';
    const events = await eventsOf(app, channel, { of: ['supplierInvoiceId', id], count: 3 });
    expect(events.map(({ event }) => event)).toEqual([
      'supplier_invoice.created',
      'supplier_invoice.approved',
      'supplier_invoice.paid',
    ]);
    const [event] = await eventsOf(app, 'finance.payments', { of: ['paymentId', first.id], count: 1 });
    expect(event).toEqual({
      event: 'payment.recorded',
      data: {
        id: expect.any(String),
        paymentId: first.id,
        direction: 'out',
        bookingId: null,
        supplierInvoiceId: id,
        commissionId: null,
        status: 'completed',
        currency: 'EUR',
        amountCents: 4000,
        unappliedCents: 0,
        version: 1,
      },
    });
  });

  it('a supplier payment has a ledger entry with its allocations', async () => {
    const { id: supplierInvoiceId } = await approved(owner, 500);
    const payment = await recorded(owner, out(supplierInvoiceId, 500));
    expect(await entriesOf(app, payment.id)).toEqual([
      { action: 'finance.payment.record', reason: null, before: null, after: stored(payment) },
    ]);
  });

  it.each(['draft', 'void', 'paid'])(
    'a payment for a %s supplier invoice is rejected with 409 supplier_invoice_not_approved',
    async (status) => {
      const invoice = await make(owner, { totalCents: 900, status: status === 'paid' ? 'approved' : 'draft' });
      if (status === 'void') await owner.post(`${SUPPLIER_INVOICES}/${invoice.id}/voiding`, { reason: 'Not ours' });
      if (status === 'paid') await recorded(owner, out(invoice.id, 900));
      const before = await settledOf(owner, invoice.id);

      const answer = await owner.post(PAYMENTS, out(invoice.id, 1));
      expect(answer.status).toBe(409);
      expect(answer.body).toEqual(problem('supplier_invoice_not_approved', { status }));
      expect(await settledOf(owner, invoice.id)).toEqual(before);
    },
  );

  it('a payment above the outstanding amount is rejected with 422 over_allocated, and nothing is written', async () => {
    const { id } = await approved(owner, 1000);
    await recorded(owner, out(id, 400));
    const answer = await owner.post(PAYMENTS, out(id, 601));
    expect(answer.status).toBe(422);
    expect(answer.body).toEqual(problem('over_allocated', { field: 'allocations', available: 601, outstanding: 600 }));
    expect(await app.sql('select from payments where supplier_invoice_id = $1', [id])).toHaveLength(1);
  });

  it('a supplier payment in another currency is rejected with 422 currency_mismatch', async () => {
    const { id } = await approved(owner, 1000);
    const answer = await owner.post(PAYMENTS, out(id, 1000, { currency: 'USD' }));
    expect(answer.status).toBe(422);
    expect(answer.body).toEqual(problem('currency_mismatch', { field: 'currency', expected: 'EUR', actual: 'USD' }));
  });

  it('a supplier payment is allocated as a whole: less is 422 totals_mismatch, more is 422 over_allocated', async () => {
    const { id } = await approved(owner, 5000);
    const send = (...amounts: number[]) =>
      owner.post(PAYMENTS, out(id, 1000, { allocations: amounts.map((amountCents) => ({ amountCents })) }));
    const less = await send(400, 500);
    expect(less.status).toBe(422);
    expect(less.body).toEqual(problem('totals_mismatch', { field: 'allocations', expected: 1000, actual: 900 }));
    expect((await send()).status).toBe(422);
    const more = await send(400, 601);
    expect(more.status).toBe(422);
    expect(more.body).toEqual(problem('over_allocated', { field: 'allocations', available: 600, outstanding: 5000 }));
    expect((await send(Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER)).status).toBe(422);
    expect((await send(400, 600)).status).toBe(201);
  });

  it('a supplier payment cannot be allocated to an installment', async () => {
    const { id } = await approved(owner, 5000);
    const allocations = [{ amountCents: 10, scheduleId: 'psch_01k0dem000e000000000000001' }];
    const answer = await owner.post(PAYMENTS, out(id, 10, { allocations }));
    expect(answer.status).toBe(400);
    expect(answer.body).toEqual(invalid('allocations.0.scheduleId', 'not_applicable'));
  });

  it('a payment for an unknown supplier invoice is 404 with the field', async () => {
    for (const id of ['sinv_01k0dem000e000000000009999', 'nothing']) {
      const answer = await owner.post(PAYMENTS, out(id, 10));
      expect(answer.status).toBe(404);
      expect(answer.body).toEqual(problem('not_found', { field: 'supplierInvoiceId' }));
    }
  });
});

describe('the body of a payment', () => {
  it('the day of a payment must not be in the future', async () => {
    const { id } = await approved(owner, 5000);
    const tomorrow = app.day(1);
    const answer = await owner.post(PAYMENTS, out(id, 10, { paidOn: tomorrow }));
    expect([answer.status, answer.body]).toMatchObject([422, { code: 'paid_on_out_of_bounds' }]);
  });

  it('a supplier invoice cannot be paid before its issue date', async () => {
    const { id } = await approved(owner, 100, { issueDate: '2026-02-01' });
    const early = await owner.post(PAYMENTS, out(id, 10, { paidOn: '2026-01-31' }));
    expect([early.status, early.body]).toMatchObject([422, { details: { earliest: '2026-02-01' } }]);
    expect((await owner.post(PAYMENTS, out(id, 10, { paidOn: '2026-02-01' }))).status).toBe(201);
  });

  it.each([
    ['bookingId', {}],
    ['supplierInvoiceId', { direction: 'out' }],
  ])('a payment needs %s for %j', async (field, over) => {
    const sent = { method: 'cash', currency: 'EUR', amountCents: 1, paidOn: '2026-01-15', ...over };
    const answer = await owner.post(PAYMENTS, sent);
    expect(answer.status).toBe(400);
    expect(answer.body).toEqual(invalid(field, 'required'));
  });

  it('an invalid body of a payment is rejected with 400 and its issues, and nothing is recorded', async () => {
    const { id } = await approved(owner, 5000);
    const { status, body } = await owner.post(PAYMENTS, out(id, 10, { method: 'barter' }));
    expect([status, body]).toEqual([400, invalid('method', 'unknown_value')]);
    expect(await app.sql('select from payments where supplier_invoice_id = $1', [id])).toEqual([]);
  });
});
