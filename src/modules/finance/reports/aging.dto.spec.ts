import { describe, expect, it } from '@jest/globals';
import { issue, issuesOf } from '../../../../test/setup/issues.js';
import { AgingQuery } from './aging.dto.js';

describe('a query for the aging report', () => {
  it.each([
    ['side=both', 'side', 'unknown_value'],
    ['asOf=2026-02-30', 'asOf', 'wrong_format'],
  ])('a query for the aging report rejects %s at %s with the code %s', async (query, path, code) => {
    expect(await issuesOf(AgingQuery, query)).toEqual([issue(path, code)]);
  });
});
