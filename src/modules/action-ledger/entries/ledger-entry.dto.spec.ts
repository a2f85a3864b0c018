import { describe, expect, it } from '@jest/globals';
import { invalidMembers, issue, issuesOf } from '../../../../test/setup/issues.js';
import { EntryFilters, ListEntries } from './ledger-entry.dto.js';

describe('a query for entries of the action ledger', () => {
  const about = (path: string, message: string, code: string) => issue(path, code, `${path} ${message}`);
  const most = about('limit', 'must not be greater than 200', 'too_large');
  const least = about('limit', 'must not be less than 1', 'too_small');
  const whole = about('limit', 'must be an integer number', 'wrong_type');
  const unknown = (path: string) => about(path, 'is not recognized', 'unknown_member');
  const instant = (path: string) =>
    about(path, 'must be an instant with an offset, such as 2027-01-31T12:00:00Z', 'wrong_format');

  it.each([
    ['limit=0', [least]],
    ['limit=201', [most]],
    ['limit=1e2', [whole]],
    ['limit=1&limit=2', [whole]],
    ['sort=action', [unknown('sort')]],
    ['offset=1', [unknown('offset')]],
    ['createdAfter=2026-02-30T00:00:00Z', [instant('createdAfter')]],
    ['createdBefore=2026-02-30T00:00:00Z', [instant('createdBefore')]],
    ['createdAfter=2026-02-01', [instant('createdAfter')]],
    ['createdBefore=yesterday', [instant('createdBefore')]],
    ['action=', [about('action', 'must be longer than or equal to 1 characters', 'too_short')]],
    [
      `subjectId=${'x'.repeat(201)}`,
      [about('subjectId', 'must be shorter than or equal to 200 characters', 'too_long')],
    ],
    ['actorId=a%00b', [issue('actorId', 'nul', 'NUL is not allowed in text')]],
  ])('a query for entries of the action ledger is rejected with %s', async (query, issues) => {
    expect(await issuesOf(ListEntries, query)).toEqual(issues);
  });

  it.each([
    ['createdAfter=yesterday', 'createdAfter'],
    ['limit=5', 'limit'],
    ['action=', 'action'],
  ])('a query for an export of the action ledger is rejected with %s', async (query, path) => {
    expect(await invalidMembers(EntryFilters, query)).toEqual([path]);
  });
});
