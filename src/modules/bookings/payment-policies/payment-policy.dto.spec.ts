import { describe, expect, it } from '@jest/globals';
import { issue, issuesOf } from '../../../../test/setup/issues.js';
import { PaymentPolicyBody } from './payment-policy.dto.js';

const DEPOSIT = { label: 'Deposit', type: 'deposit', percentBasisPoints: 3000, anchor: 'booking', offsetDays: 0 };
const BALANCE = { label: 'Balance', type: 'balance', remainder: true, anchor: 'departure', offsetDays: -30 };
const POLICY = { steps: [DEPOSIT, BALANCE], minimumDays: 45, floorDays: 3 };

describe('a payment policy', () => {
  it('a payment policy has no issue with a deposit and a remainder', async () =>
    expect(await issuesOf(PaymentPolicyBody, POLICY)).toEqual([]));

  it.each([
    [{ steps: [{ ...BALANCE, offsetDays: 3651 }] }, 'steps.0.offsetDays', 'too_large'],
    [{ steps: [{ ...BALANCE, anchor: 'arrival' }] }, 'steps.0.anchor', 'unknown_value'],
    [{ steps: [{ ...BALANCE, type: 'amendment' }] }, 'steps.0.type', 'unknown_value'],
    [{ steps: [{ ...DEPOSIT, percentBasisPoints: 10_001 }, BALANCE] }, 'steps.0.percentBasisPoints', 'too_large'],
    [{ steps: [] }, 'steps', 'too_few'],
    [{ steps: Array(13).fill(BALANCE) }, 'steps', 'too_many'],
    [{ ...POLICY, minimumDays: -1 }, 'minimumDays', 'too_small'],
    [{ ...POLICY, floorDays: null }, 'floorDays', 'wrong_type'],
    [{ ...POLICY, roundToCents: 0 }, 'roundToCents', 'too_small'],
    [{ ...POLICY, name: 'Standard' }, 'name', 'unknown_member'],
  ])('a payment policy rejects %j at %s with the code %s', async (body, path, code) => {
    expect(await issuesOf(PaymentPolicyBody, body)).toContainEqual(issue(path, code));
  });
});
