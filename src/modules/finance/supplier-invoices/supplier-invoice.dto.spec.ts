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
    ['currency', 'EURO', 'isCurrency'],
    ['currency', 'eur', 'isCurrency'],
    ['currency', 'ZZZ', 'isCurrency'],
    ['baseCurrency', 'EU', 'isCurrency'],
    ['issueDate', '2026-02-30', 'isDate'],
    ['issueDate', 'today', 'isDate'],
    ['dueDate', '2200-01-01', 'isDate'],
    ['exchangeRate', '0', 'isDecimal'],
    ['exchangeRate', '-1', 'isDecimal'],
    ['exchangeRate', 'NaN', 'isDecimal'],
    ['exchangeRate', 1.5, 'isDecimal'],
    ['exchangeRate', '0.00000000001', 'isDecimal'],
    ['status', 'sent', 'isIn'],
    ['supplierName', '\u2764\uFE0F'.repeat(128), 'maxLength'],
    ['supplierName', 'a\u0000b', 'noNul'],
    ['supplierName', 'a\ud800b', 'wellFormed'],
    ['notes', 'a\u0000b', 'noNul'],
    ['notes', 'a\ud800b', 'wellFormed'],
    ['colour', 'red', 'whitelistValidation'],
    ['lines', [[]], 'isObject'],
    ['lines', [[{ description: 'Bus', unitAmountCents: 11_900 }]], 'isObject'],
    ['lines', Array(501).fill({ description: 'Bus', unitAmountCents: 1 }), 'arrayMaxSize'],
  ])('a new supplier invoice rejects %s %j with the code %s', async (field, value, code) => {
    expect(await issuesOf(CreateSupplierInvoice, { ...REQUIRED, [field]: value })).toEqual([issue(field, code)]);
  });

  it.each([
    ['quantity', 0, 'min'],
    ['quantity', 1.5, 'isInt'],
    ['unitAmountCents', -1, 'min'],
    ['taxAmountCents', -1, 'min'],
    ['serviceType', 'hotel', 'isIn'],
    ['description', '', 'minLength'],
    ['description', 'a\u0000b', 'noNul'],
    ['description', 'a\ud800b', 'wellFormed'],
    ['price', 1, 'whitelistValidation'],
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
      expect(await issuesOf(UpdateSupplierInvoice, changes)).toEqual([issue(member, 'whitelistValidation')]);
    },
  );

  it('a change of a supplier invoice requires at least one member', async () => {
    expect(await issuesOf(UpdateSupplierInvoice, {})).toEqual([issue('', 'notEmpty')]);
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
    ['limit=ten', 'limit', 'isInt'],
    ['sort=supplierName', 'sort', 'isIn'],
    ['status=open', 'status', 'isIn'],
    ['currency=eur', 'currency', 'isCurrency'],
    ['dueFrom=2027-02-30', 'dueFrom', 'isDate'],
    ['dueTo=now', 'dueTo', 'isDate'],
    ['overdue=yes', 'overdue', 'isBoolean'],
    ['status=draft&status=paid', 'status', 'isIn'],
    ['search=%00', 'search', 'noNul'],
  ])('a query for supplier invoices rejects %s at %s with the code %s', async (query, field, code) => {
    expect(await issuesOf(ListSupplierInvoices, query)).toContainEqual(issue(field, code));
  });
});
