import { describe, expect, it } from '@jest/globals';
import { invalidMembers, issue, issuesOf } from '../../../../test/setup/issues.js';
import { CreateCommission, ListCommissions, UpdateCommission, VoidCommission } from './commission.dto.js';

const TERMS = { recipientType: 'agency', recipientName: 'Alpine Resellers', rateBasisPoints: 1000 };

describe('a new commission', () => {
  it('a new commission requires the recipient and the type of recipient', async () => {
    expect(await invalidMembers(CreateCommission, {})).toEqual(['recipientName', 'recipientType']);
  });

  it.each([
    [{ rateBasisPoints: 10_001 }, 'rateBasisPoints', 'too_large'],
    [{ rateBasisPoints: -1 }, 'rateBasisPoints', 'too_small'],
    [{ recipientType: 'friend' }, 'recipientType', 'unknown_value'],
    [{ recipientName: '' }, 'recipientName', 'too_short'],
    [{ status: 'paid' }, 'status', 'unknown_member'],
    [{ currency: 'USD' }, 'currency', 'unknown_member'],
    [{ bookingItemId: 'x' }, 'bookingItemId', 'unknown_member'],
  ])('a new commission rejects %j at %s with the code %s', async (over, field, code) => {
    expect(await issuesOf(CreateCommission, { ...TERMS, ...over })).toEqual([issue(field, code)]);
  });
});

describe('a change of a commission', () => {
  it.each([{ status: 'void' }, { id: 'x' }, { currency: 'USD' }, { baseCents: 1 }])(
    'a change of a commission rejects %j as unknown',
    async (changes) => {
      const [member = ''] = Object.keys(changes);
      expect(await issuesOf(UpdateCommission, changes)).toEqual([issue(member, 'unknown_member')]);
    },
  );
});

it('the voiding of a commission requires a reason', async () => {
  expect(await issuesOf(VoidCommission, {})).toContainEqual(issue('reason', 'required'));
});

describe('a query for commissions', () => {
  it.each([
    ['limit=1', 'limit', 'unknown_member'],
    ['status=open', 'status', 'unknown_value'],
    ['status=paid,open', 'status', 'unknown_value'],
    ['status=', 'status', 'unknown_value'],
    ['status=paid&status=void', 'status', 'wrong_type'],
    [`status=${'paid,'.repeat(5)}paid`, 'status', 'too_many'],
  ])('a query for commissions rejects %s at %s with the code %s', async (query, field, code) => {
    expect(await issuesOf(ListCommissions, query)).toEqual([issue(field, code)]);
  });
});
