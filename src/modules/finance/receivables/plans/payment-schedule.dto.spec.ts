import { describe, expect, it } from '@jest/globals';
import { issue, issuesOf } from '../../../../../test/setup/issues.js';
import {
  CreatePaymentSchedule,
  ListPaymentSchedules,
  PatchQuery,
  UpdatePaymentSchedule,
} from './payment-schedule.dto.js';

describe('a new installment', () => {
  it.each([
    { label: undefined },
    { label: '' },
    { dueDate: undefined },
    { amountCents: undefined },
    { amountCents: -1 },
    { amountCents: 0.5 },
    { type: 'rest' },
    { currency: 'EUR' },
    { label: 'x'.repeat(121) },
  ])('a new installment rejects %j', async (over) => {
    const [path = ''] = Object.keys(over);
    const body = { label: 'Extra', dueDate: '2027-02-01', amountCents: 25_000, ...over };
    expect(await issuesOf(CreatePaymentSchedule, body)).toContainEqual(issue(path));
  });
});

describe('a change of an installment', () => {
  it.each([
    [{}, '', 'empty'],
    [{ label: null }, 'label', 'wrong_type'],
    [{ amountCents: 0 }, 'amountCents', 'too_small'],
    [{ amountCents: 1.5 }, 'amountCents', 'wrong_type'],
    [{ dueDate: '2026-02-30' }, 'dueDate', 'wrong_format'],
    [{ dueDate: null }, 'dueDate', 'wrong_type'],
    [{ currency: 'EURO' }, 'currency', 'wrong_format'],
    [{ status: 'settled' }, 'status', 'unknown_value'],
    [{ paidCents: 5 }, 'paidCents', 'unknown_member'],
    [{ type: 'other' }, 'type', 'unknown_member'],
    [{ notes: 'x'.repeat(2001) }, 'notes', 'too_long'],
  ])('a change of an installment rejects %j at "%s" with the code %s', async (body, path, code) => {
    expect(await issuesOf(UpdatePaymentSchedule, body)).toContainEqual(issue(path, code));
  });

  it.each([
    ['rebalance=all', 'rebalance'],
    ['rebalance=', 'rebalance'],
    ['allowAfterDeparture=yes', 'allowAfterDeparture'],
    ['rebalanced=none', 'rebalanced'],
    ['rebalance=none&rebalance=none', 'rebalance'],
  ])('a change of an installment rejects the query %s', async (query, path) => {
    expect(await issuesOf(PatchQuery, query)).toContainEqual(issue(path));
  });
});

describe('a query for installments', () => {
  it.each([
    ['limit=0', 'limit'],
    ['limit=201', 'limit'],
    ['offset=-1', 'offset'],
    ['status=due', 'status'],
    ['dueFrom=2026-02-30', 'dueFrom'],
    ['sort=label', 'sort'],
    ['limit=1&limit=2', 'limit'],
  ])('a query for installments rejects %s at %s', async (query, path) => {
    expect(await issuesOf(ListPaymentSchedules, query)).toContainEqual(issue(path));
  });
});
