import { describe, expect, it } from '@jest/globals';
import { issue, issuesOf } from '../../../../../test/setup/issues.js';
import { CollectionPlanRequest } from './collection-plan.dto.js';

describe('a request for a collection plan', () => {
  it.each([
    [{ amountCents: 0 }, 'amountCents', 'too_small'],
    [{ method: 'cash' }, 'method', 'unknown_value'],
    [{ stage: 'final' }, 'stage', 'unknown_value'],
    [{ asOf: '2026-02-30', materialize: false }, 'asOf', 'wrong_format'],
    [{ materialise: true }, 'materialise', 'unknown_member'],
  ])('a request for a collection plan rejects %j at %s with the code %s', async (body, path, code) => {
    expect(await issuesOf(CollectionPlanRequest, body)).toEqual([issue(path, code)]);
  });
});
