import { describe, expect, it } from '@jest/globals';
import { issuesOf } from '../setup/issues.js';
import { ISSUE_CODES } from '../../src/platform/errors/issue-codes.js';
import { CreateBooking } from '../../src/modules/bookings/bookings/booking.dto.js';
import { CreateSupplierInvoice } from '../../src/modules/finance/payables/supplier-invoice.dto.js';

const BOOKING = { currency: 'EUR', customerName: 'Ana Pop' };

describe('the issue of a member', () => {
  it.each([
    [{ customerName: 'Ana Pop' }, { path: 'currency', code: 'required', message: 'currency is required' }],
    [
      { ...BOOKING, customerName: null },
      { path: 'customerName', code: 'wrong_type', params: { expected: 'string' } },
    ],
    [
      { ...BOOKING, customerName: '' },
      { path: 'customerName', code: 'too_short', params: { min: 1 } },
    ],
    [
      { ...BOOKING, customerName: 'x'.repeat(300) },
      { path: 'customerName', code: 'too_long', params: { max: 255 } },
    ],
    [
      { ...BOOKING, customerName: 'A\tB' },
      { path: 'customerName', code: 'control_characters' },
    ],
    [
      { ...BOOKING, currency: 'eur' },
      { path: 'currency', code: 'wrong_format', params: { format: 'currency' } },
    ],
    [
      { ...BOOKING, customerEmail: 'ana' },
      { path: 'customerEmail', code: 'wrong_format', params: { format: 'email' } },
    ],
    [
      { ...BOOKING, startDate: '2027-02-30' },
      { path: 'startDate', code: 'wrong_format', params: { format: 'date' } },
    ],
    [
      { ...BOOKING, color: 'red' },
      { path: 'color', code: 'unknown_member' },
    ],
  ])('the issue of a booking %j has its code and params', async (body, issue) => {
    expect(await issuesOf(CreateBooking, body)).toEqual([{ message: expect.any(String), ...issue }]);
  });

  it('a missing, a null and a wrong number are one issue each, with the bounds of the number', async () => {
    const line = { description: 'Bus', unitAmountCents: 1 };
    const lines = [{ description: 'Bus' }, { ...line, quantity: null }, { ...line, quantity: 0 }];
    const issues = await issuesOf(CreateSupplierInvoice, { lines });
    const ofLines = issues.filter((issue) => String(Reflect.get(issue, 'path')).startsWith('lines'));
    expect(ofLines).toEqual([
      { path: 'lines.0.unitAmountCents', code: 'required', message: 'unitAmountCents is required' },
      {
        path: 'lines.1.quantity',
        code: 'wrong_type',
        message: 'quantity must be an integer number',
        params: { expected: 'integer' },
      },
      {
        path: 'lines.2.quantity',
        code: 'too_small',
        message: 'quantity must not be less than 1',
        params: { min: 1 },
      },
    ]);
  });

  it('each code is explained by a phrase without a full stop', () => {
    for (const meaning of Object.values(ISSUE_CODES)) expect(meaning).toMatch(/^[A-Z].*[^.]$/);
  });
});
