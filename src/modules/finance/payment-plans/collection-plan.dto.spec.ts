import { describe, expect, it } from '@jest/globals';
import { issue, issuesOf } from '../../../../test/setup/issues.js';
import { CollectionPlanRequest } from './collection-plan.dto.js';

describe('a request for a collection plan', () => {
  it.each([
    [{ amountCents: 0 }, 'amountCents', 'min'],
    [{ method: 'cash' }, 'method', 'isIn'],
    [{ stage: 'final' }, 'stage', 'isIn'],
    [{ asOf: '2026-02-30', materialize: false }, 'asOf', 'isDate'],
    [{ materialise: true }, 'materialise', 'whitelistValidation'],
  ])('a request for a collection plan rejects %j at %s with the code %s', async (body, path, code) => {
    expect(await issuesOf(CollectionPlanRequest, body)).toEqual([issue(path, code)]);
  });
});
