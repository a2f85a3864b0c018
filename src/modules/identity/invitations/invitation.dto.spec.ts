import { describe, expect, it } from '@jest/globals';
import { invalidMembers, issue, issuesOf } from '../../../../test/setup/issues.js';
import { AcceptInvitation, CreateInvitation, ListInvitations } from './invitation.dto.js';

const INVITATION = { email: 'ada@example.com', name: 'Ada Lovelace', roles: ['sales'] };

describe('a new invitation', () => {
  it('a new invitation has no issue with its required members alone', async () => {
    expect(await issuesOf(CreateInvitation, INVITATION)).toEqual([]);
  });

  it.each([
    ['no role', { roles: [] }, 'roles', 'too_few'],
    ['an unknown role', { roles: ['boss'] }, 'roles', 'wrong_format'],
    ['a duplicate role', { roles: ['sales', 'sales'] }, 'roles', 'duplicate'],
    ['an invalid address', { email: 'nobody' }, 'email', 'wrong_format'],
    ['a password', { password: 'chosen by an administrator' }, 'password', 'unknown_member'],
  ])('a new invitation is rejected with %s', async (...[, more, path, code]) => {
    expect(await issuesOf(CreateInvitation, { ...INVITATION, ...more })).toEqual([issue(path, code)]);
  });
});

describe('the acceptance of an invitation', () => {
  const ACCEPTANCE = { token: 'x', password: 'x'.repeat(256) };

  it('the acceptance of an invitation has no issue with a password of 256 characters', async () => {
    expect(await issuesOf(AcceptInvitation, ACCEPTANCE)).toEqual([]);
  });

  it.each([
    ['a short password', { password: 'eleven char' }, 'password', 'too_short'],
    ['a long password', { password: 'x'.repeat(257) }, 'password', 'too_long'],
    ['no token', { token: '' }, 'token', 'too_short'],
    ['a long token', { token: 'x'.repeat(301) }, 'token', 'too_long'],
    ['a role', { roles: ['owner'] }, 'roles', 'unknown_member'],
  ])('the acceptance of an invitation is rejected with %s', async (...[, more, path, code]) => {
    expect(await issuesOf(AcceptInvitation, { ...ACCEPTANCE, ...more })).toEqual([issue(path, code)]);
  });
});

describe('a query for invitations', () => {
  it('a query for invitations is rejected with an unknown status', async () => {
    expect(await invalidMembers(ListInvitations, 'status=lost')).toEqual(['status']);
  });
});
