import { expect, it } from '@jest/globals';
import { issue, issuesOf } from '../../../../../test/setup/issues.js';
import { PayCommission } from './commission-payout.dto.js';

it('the payout of a commission requires the day', async () => {
  expect(await issuesOf(PayCommission, {})).toContainEqual(issue('paidOn', 'required'));
});
