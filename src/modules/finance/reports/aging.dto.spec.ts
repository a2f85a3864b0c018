import { describe, expect, it } from '@jest/globals';
import { issue, issuesOf } from '../../../../test/setup/issues.js';
import { AgingQuery } from './aging.dto.js';

describe('a query for the aging report', () => {
  it.each([
    ['side=both', 'side', 'isIn'],
    ['asOf=2026-02-30', 'asOf', 'isDate'],
  ])('a query for the aging report rejects %s at %s with the code %s', async (query, path, code) => {
    expect(await issuesOf(AgingQuery, query)).toEqual([issue(path, code)]);
  });
});
