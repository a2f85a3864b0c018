import { describe, expect, it } from '@jest/globals';
import { invalidMembers, issue, issuesOf } from '../../../../test/setup/issues.js';
import {
  CreateSupplierInvoice,
  ListSupplierInvoices,
  SupplierInvoiceReason,
  UpdateSupplierInvoice,
} from './supplier-invoice.dto.js';

const REQUIRED = {
  supplierName: 'Hotel Aurora',
  invoiceNumber: 'AU-1',
  currency: 'EUR',
  totalCents: 11_900,
  issueDate: '2027-01-15',
};

describe('a new supplier invoice', () => {
  it('a new supplier invoice has no issue with its required members alone', async () => {
    expect(await issuesOf(CreateSupplierInvoice, REQUIRED)).toEqual([]);
  });

  it('a new supplier invoice requires supplier, number, currency, total and issue date', async () => {
    expect(await invalidMembers(CreateSupplierInvoice, {})).toEqual(Object.keys(REQUIRED).sort());
  });

  it.each([
    ['currency', 'EURO', 'wrong_format'],
    ['currency', 'eur', 'wrong_format'],
    ['currency', 'ZZZ', 'wrong_format'],
    ['baseCurrency', 'EU', 'wrong_format'],
    ['issueDate', '2026-02-30', 'wrong_format'],
    ['issueDate', 'today', 'wrong_format'],
    ['dueDate', '2200-01-01', 'wrong_format'],
    ['exchangeRate', '0', 'wrong_format'],
    ['exchangeRate', '-1', 'wrong_format'],
    ['exchangeRate', 'NaN', 'wrong_format'],
    ['exchangeRate', 1.5, 'wrong_type'],
    ['exchangeRate', '0.00000000001', 'wrong_format'],
    ['status', 'sent', 'unknown_value'],
    ['supplierName', '\u2764\uFE0F'.repeat(128), 'too_long'],
    ['supplierName', 'a\u0000b', 'nul'],
    ['supplierName', 'a\ud800b', 'ill_formed_text'],
    ['notes', 'a\u0000b', 'nul'],
    ['notes', 'a\ud800b', 'ill_formed_text'],
    ['colour', 'red', 'unknown_member'],
    ['lines', [[]], 'wrong_type'],
    ['lines', [[{ description: 'Bus', unitAmountCents: 11_900 }]], 'wrong_type'],
    ['lines', Array(501).fill({ description: 'Bus', unitAmountCents: 1 }), 'too_many'],
  ])('a new supplier invoice rejects %s %j with the code %s', async (field, value, code) => {
    expect(await issuesOf(CreateSupplierInvoice, { ...REQUIRED, [field]: value })).toEqual([issue(field, code)]);
  });

  it.each([
    ['quantity', 0, 'too_small'],
    ['quantity', 1.5, 'wrong_type'],
    ['unitAmountCents', -1, 'too_small'],
    ['taxAmountCents', -1, 'too_small'],
    ['serviceType', 'hotel', 'unknown_value'],
    ['description', '', 'too_short'],
    ['description', 'a\u0000b', 'nul'],
    ['description', 'a\ud800b', 'ill_formed_text'],
    ['price', 1, 'unknown_member'],
  ])(
    'a new supplier invoice rejects a line with %s %j at the path of the line, with the code %s',
    async (field, value, code) => {
      const line = { description: 'Room', serviceType: 'accommodation', quantity: 3, unitAmountCents: 3_000 };
      const body = { ...REQUIRED, lines: [{ ...line, [field]: value }] };
      expect(await issuesOf(CreateSupplierInvoice, body)).toMatchObject([{ path: `lines.0.${field}`, code }]);
    },
  );
});

describe('a change of a supplier invoice', () => {
  it.each([
    'supplierName',
    'invoiceNumber',
    'currency',
    'totalCents',
    'subtotalCents',
    'taxCents',
    'issueDate',
    'lines',
  ])('a change of a supplier invoice rejects null for %s', async (field) => {
    expect(await invalidMembers(UpdateSupplierInvoice, { [field]: null })).toEqual([field]);
  });

  it.each([{ status: 'approved' }, { id: 'sinv_01k0dem000e000000000000002' }, { paidCents: 1 }, { version: 7 }])(
    'a change of a supplier invoice rejects %j as unknown',
    async (changes) => {
      const [member = ''] = Object.keys(changes);
      expect(await issuesOf(UpdateSupplierInvoice, changes)).toEqual([issue(member, 'unknown_member')]);
    },
  );

  it('a change of a supplier invoice requires at least one member', async () => {
    expect(await issuesOf(UpdateSupplierInvoice, {})).toEqual([issue('', 'empty')]);
  });
});

describe('a reason for reopening or voiding a supplier invoice', () => {
  it.each([{}, { reason: '   ' }, { reason: 'x'.repeat(2001) }, { reason: 5 }])(
    'a reason for reopening or voiding a supplier invoice must not be %j',
    async (body) => {
      expect(await invalidMembers(SupplierInvoiceReason, body)).toEqual(['reason']);
    },
  );
});

describe('a query for supplier invoices', () => {
  it.each([
    ['limit=ten', 'limit', 'wrong_type'],
    ['sort=supplierName', 'sort', 'unknown_value'],
    ['status=open', 'status', 'unknown_value'],
    ['currency=eur', 'currency', 'wrong_format'],
    ['dueFrom=2027-02-30', 'dueFrom', 'wrong_format'],
    ['dueTo=now', 'dueTo', 'wrong_format'],
    ['overdue=yes', 'overdue', 'wrong_type'],
    ['status=draft&status=paid', 'status', 'wrong_type'],
    ['status=draft,open', 'status', 'unknown_value'],
    ['search=%00', 'search', 'nul'],
  ])('a query for supplier invoices rejects %s at %s with the code %s', async (query, field, code) => {
    expect(await issuesOf(ListSupplierInvoices, query)).toContainEqual(issue(field, code));
  });
});
