import { describe, expect, it } from '@jest/globals';
import { invalidMembers, issue, issuesOf } from '../../../../../test/setup/issues.js';
import { CreateInvoice, ListInvoices, UpdateInvoice } from './invoice.dto.js';

const LINE = { description: 'By hand', unitPriceCents: 1 };

describe('a new invoice', () => {
  it.each([
    [{ lines: [] }, 'lines', 'too_few'],
    [{ lines: [{ ...LINE, quantity: '0' }] }, 'lines.0.quantity', 'wrong_format'],
    [{ lines: [{ ...LINE, quantity: '1.00001' }] }, 'lines.0.quantity', 'wrong_format'],
    [{ lines: [{ ...LINE, quantity: '-1' }] }, 'lines.0.quantity', 'wrong_format'],
    [{ dueDate: '2027-02-30' }, 'dueDate', 'wrong_format'],
    [{ status: 'issued' }, 'status', 'unknown_member'],
    [{ number: 'INV-1' }, 'number', 'unknown_member'],
  ])('a new invoice rejects %j at %s with the code %s', async (over, path, code) => {
    const body = { bookingId: 'book_01k0dem000e000000000000001', ...over };
    expect(await issuesOf(CreateInvoice, body)).toEqual([issue(path, code)]);
  });
});

describe('a change of an invoice', () => {
  it.each([{ bookingId: 'x' }, { scheduleId: null }, { currency: 'EUR' }, { number: 'A-1' }, { status: 'paid' }])(
    'a change of an invoice rejects %j as unknown',
    async (changes) => {
      const [member = ''] = Object.keys(changes);
      expect(await issuesOf(UpdateInvoice, changes)).toEqual([issue(member, 'unknown_member')]);
    },
  );

  it('a change of an invoice requires at least one member', async () => {
    expect(await issuesOf(UpdateInvoice, {})).toEqual([issue('', 'empty')]);
  });

  it.each(['payerName', 'lines'])('a change of an invoice rejects null for %s', async (field) => {
    expect(await invalidMembers(UpdateInvoice, { [field]: null })).toEqual([field]);
  });
});

describe('a query for invoices', () => {
  it.each([
    ['status=open', 'status'],
    ['overdue=1', 'overdue'],
    ['dueFrom=2026-02-30', 'dueFrom'],
    ['sort=payerName', 'sort'],
  ])('a query for invoices rejects %s at %s', async (query, path) => {
    expect(await issuesOf(ListInvoices, query)).toEqual([issue(path)]);
  });
});
