import { describe, expect, it } from '@jest/globals';
import { invalidMembers } from '../../../../../test/setup/issues.js';
import { AllocatePayment, CreatePayment, ListPayments, PaymentReversal } from './payment.dto.js';

describe('a new payment', () => {
  const PAYMENT = {
    direction: 'out',
    supplierInvoiceId: 'sinv_01k0dem000e000000000000001',
    method: 'bank_transfer',
    currency: 'EUR',
    amountCents: 10,
    paidOn: '2026-01-15',
  };

  it('a new payment has no issue with its required members alone', async () => {
    expect(await invalidMembers(CreatePayment, PAYMENT)).toEqual([]);
  });

  it.each([
    ['amountCents', 0],
    ['amountCents', -5],
    ['amountCents', 1.5],
    ['amountCents', '100'],
    ['currency', 'eur'],
    ['currency', 'XYZ'],
    ['paidOn', '2026-02-30'],
    ['paidOn', 'today'],
    ['method', 'barter'],
    ['reference', 'x'.repeat(256)],
    ['allocations', 5],
    ['source', 'schedule_patch'],
    ['status', 'reversed'],
  ])('a new payment rejects %s %j', async (field, value) => {
    expect(await invalidMembers(CreatePayment, { ...PAYMENT, [field]: value })).toEqual([field]);
  });
});

it('the allocation of a payment requires at least one entry', async () => {
  expect(await invalidMembers(AllocatePayment, { allocations: [] })).toEqual(['allocations']);
});

describe('a reason for reversing a payment', () => {
  it.each([{}, { reason: ' ' }, { reason: 'x'.repeat(2001) }])(
    'a reason for reversing a payment must not be %j',
    async (body) => {
      expect(await invalidMembers(PaymentReversal, body)).toEqual(['reason']);
    },
  );
});

describe('a query for payments', () => {
  it.each([
    ['status=paid', 'status'],
    ['direction=up', 'direction'],
    ['from=2026-02-30', 'from'],
    ['sort=method', 'sort'],
  ])('a query for payments rejects %s at %s', async (query, path) => {
    expect(await invalidMembers(ListPayments, query)).toEqual([path]);
  });
});
