import { expect, it } from '@jest/globals';
import { make } from '../../../../platform/database/rows.js';
import { CreditNote } from './credit-note.entity.js';
import { Invoice } from './invoice.entity.js';

const COMMON = {
  bookingId: 'book_1',
  status: 'draft',
  payerName: 'Ada Example',
  payerSource: 'customer',
  linesSource: 'booking',
  currency: 'EUR',
  subtotalCents: 8_403,
  taxCents: 1_597,
  totalCents: 10_000,
  createdAt: new Date(0),
} as const;

const invoice = make(Invoice, { ...COMMON, id: 'inv_1', type: 'invoice', paidCents: 0, creditedCents: 0 });
const reasons = { reason: 'goodwill', reasonText: 'Rain' } as const;
const note = make(CreditNote, { ...COMMON, ...reasons, id: 'crn_1', type: 'credit_note', originalInvoiceId: 'inv_1' });

it('the snapshots of an invoice and a credit note have the same members, but for the credited invoice', () => {
  const ofInvoice = Object.keys(invoice.auditImage([], '2026-01-01'));
  const ofNote = Object.keys(note.auditImage([]));
  expect(ofNote.sort()).toEqual([...ofInvoice, 'invoiceId'].sort());
});

it('a credit note is stored with the amounts that only invoices have as 0, because the table requires them', () => {
  expect(note).toMatchObject({
    paidCents: 0,
    creditedCents: 0,
    openReducedCents: null,
    exchangeRate: null,
    version: 1,
  });
  expect(note.auditImage([])).toMatchObject({ paidCents: 0, balanceCents: 10_000, overdue: false, dueDate: null });
});
