import { beforeAll, describe, expect, it } from '@jest/globals';
import { startApp, type TestApp } from '../setup/app.js';
import type { TestClient } from '../setup/client.js';
import {
  entriesOf,
  type Envelope,
  eventsOf,
  type Invoice,
  invalid,
  make,
  PATH,
  problem,
  staffWith,
} from './invoices.js';

let app: TestApp;
let owner: TestClient;

beforeAll(async () => {
  app = await startApp();
  owner = app.as('owner');
});

const CONVERTED = { currency: 'CHF', baseCurrency: 'EUR', exchangeRate: '1.0325' };
const patch = (id: string, changes: object, headers: Record<string, string> = {}) =>
  owner.patch<Envelope>(`${PATH}/${id}`, changes, { headers });

async function changed(invoice: Invoice, changes: object): Promise<Invoice> {
  const { status, body } = await patch(invoice.id, changes);
  expect(status).toBe(200);
  return body.data;
}

async function errorOf(invoice: Invoice, changes: object): Promise<{ status: number; body: unknown }> {
  const { status, body } = await patch(invoice.id, changes);
  expect((await owner.get<Envelope>(`${PATH}/${invoice.id}`)).body.data).toEqual(invoice);
  return { status, body };
}

describe('PATCH /v1/admin/finance/supplier-invoices/{id}', () => {
  it.each([
    { notes: 'Asked for a copy' },
    { dueDate: '2027-03-01' },
    { issueDate: '2027-01-16' },
    { supplierName: 'Another supplier' },
    { invoiceNumber: 'N-other' },
  ])('the body %j changes only its field, updatedAt and version', async (changes) => {
    const before = await make(owner, { ...CONVERTED, subtotalCents: 10_000, taxCents: 1_900, notes: 'As received' });
    app.travel({ ms: 5 });
    const after = await changed(before, changes);
    expect(after).toEqual({ ...before, ...changes, version: 2, updatedAt: expect.any(String) });
    expect(after['updatedAt']).not.toBe(before['updatedAt']);
  });

  it('all fields of a draft can be changed at once, and derived ones are recomputed', async () => {
    const before = await make(owner);
    const changes = {
      supplierName: 'Alpenbus',
      invoiceNumber: 'AB 1',
      ...CONVERTED,
      totalCents: 1_190,
      subtotalCents: 1_000,
      taxCents: 190,
      issueDate: '2027-02-01',
      dueDate: '2027-02-01',
      notes: 'Checked',
    };
    const line = { description: 'Transfer', serviceType: 'transport', quantity: 2, unitAmountCents: 500 };
    const after = await changed(before, { ...changes, lines: [{ ...line, taxAmountCents: 190 }] });
    expect(after).toMatchObject({ ...changes, baseTotalCents: 1_229, baseSubtotalCents: 1_033, baseTaxCents: 196 });
    expect(after.lines).toEqual([{ ...line, taxAmountCents: 190, totalAmountCents: 1_190 }]);
    expect((await owner.get<Envelope>(`${PATH}/${before.id}`)).body.data).toEqual(after);
  });

  it('lines are replaced as a whole, and [] removes them', async () => {
    const before = await make(owner, {
      lines: [1, 2].map((n) => ({ description: `Day ${n}`, unitAmountCents: 5_950 })),
    });
    const one = await changed(before, { lines: [{ description: 'Both days', unitAmountCents: 11_900 }] });
    expect(one.lines.map(({ description }) => description)).toEqual(['Both days']);
    expect((await changed(one, { lines: [] })).lines).toEqual([]);
  });

  it('null clears nullable fields', async () => {
    const before = await make(owner, { ...CONVERTED, dueDate: '2027-02-14', notes: 'x' });
    const cleared = { dueDate: null, notes: null, exchangeRate: null, baseCurrency: null };
    expect(await changed(before, cleared)).toMatchObject({ ...cleared, baseTotalCents: null, baseTaxCents: null });
  });

  it('an invalid body is rejected with 400 and its issues, and nothing is changed', async () => {
    const { status, body } = await errorOf(await make(owner), { status: 'approved' });
    expect([status, body]).toEqual([400, invalid('status', 'unknown_member', 'status is not recognized')]);
  });

  it('of two concurrent changes for the same version one succeeds', async () => {
    const { id } = await make(owner);
    const notes = Array.from({ length: 8 }, (_, index) => `note ${index}`);
    const answers = await Promise.all(notes.map((note) => patch(id, { notes: note }, { 'If-Match': '"1"' })));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array<number>(7).fill(412)]);
  });

  it('a change with an unknown or malformed id is 404', async () => {
    for (const id of ['sinv_01k0dem000e000000000009999', 'chan_01k0dem000e000000000000002', 'x', '%00']) {
      const { status, body } = await patch(id, { notes: 'x' });
      expect(status).toBe(404);
      expect(body).toEqual(problem('not_found'));
    }
  });

  it('changing a supplier invoice needs finance:write', async () => {
    const reader = await staffWith(app, 'finance:read');
    const { status, body } = await reader.patch(`${PATH}/${(await make(owner)).id}`, { notes: 'x' });
    expect(status).toBe(403);
    expect(body).toEqual(problem('forbidden', { requiredScope: 'finance:write' }));
  });

  it('a change is recorded with before and after, and published', async () => {
    const made = await make(owner, { lines: [{ description: 'Bus', unitAmountCents: 11_900 }] });
    await changed(made, { notes: 'Asked for a copy' });
    await changed(made, { lines: [{ description: 'Coach', unitAmountCents: 11_900 }] });
    const [, first, second] = await entriesOf(owner, made.id);
    expect(first).toMatchObject({ action: 'finance.supplier_invoice.update', before: { notes: null, version: 1 } });
    expect(first?.after).toMatchObject({ notes: 'Asked for a copy', version: 2 });
    expect(second?.before?.lines).toMatchObject([{ description: 'Bus' }]);
    expect(second?.after?.lines).toMatchObject([{ description: 'Coach' }]);
    const events = ['supplier_invoice.created', 'supplier_invoice.updated', 'supplier_invoice.updated'];
    expect(await eventsOf(app, made.id, 3)).toEqual(events);
  });
});

describe('a supplier invoice that is not a draft', () => {
  it('notes and dueDate of an approved invoice can be changed', async () => {
    const approved = await make(owner, { status: 'approved' });
    const changes = { notes: 'Pay by transfer', dueDate: '2027-04-01' };
    expect(await changed(approved, changes)).toMatchObject({ ...changes, status: 'approved' });
  });

  it('other fields of an approved invoice are rejected with 409 invoice_locked and their names', async () => {
    const approved = await make(owner, { status: 'approved' });
    const { status, body } = await errorOf(approved, { notes: 'x', totalCents: 1, lines: [] });
    expect(status).toBe(409);
    expect(body).toEqual(problem('invoice_locked', { status: 'approved', lockedFields: ['totalCents', 'lines'] }));
  });

  it('every change of a paid or void invoice is rejected with 409 invoice_locked', async () => {
    const paid = await make(owner, { status: 'approved', totalCents: 0 });
    const { id } = await make(owner);
    const voided = (await owner.post<Envelope>(`${PATH}/${id}/voiding`, { reason: 'Sent twice' })).body.data;
    for (const invoice of [paid, voided]) {
      const { status, body } = await errorOf(invoice, { notes: 'x' });
      expect(status).toBe(409);
      expect(body).toEqual(problem('invoice_locked', { status: invoice.status, lockedFields: ['notes'] }));
    }
  });
});
