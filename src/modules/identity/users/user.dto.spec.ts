import { describe, expect, it } from '@jest/globals';
import { invalidMembers, issue, issuesOf } from '../../../../test/setup/issues.js';
import { CreateUser, ListUsers, UpdateUser } from './user.dto.js';

const USER = { email: 'ada@example.com', name: 'Ada Lovelace', password: 'correct horse battery', roles: ['sales'] };

describe('a new user', () => {
  it('a new user has no issue with its required members alone', async () =>
    expect(await issuesOf(CreateUser, USER)).toEqual([]));

  it.each([
    ['a short password', { password: 'eleven char' }, 'password', 'minLength'],
    ['a long password', { password: 'x'.repeat(201) }, 'password', 'maxLength'],
    ['no role', { roles: [] }, 'roles', 'arrayMinSize'],
    ['an unknown role', { roles: ['boss'] }, 'roles', 'matches'],
    ['a duplicate role', { roles: ['sales', 'sales'] }, 'roles', 'arrayUnique'],
    ['an invalid address', { email: 'nobody' }, 'email', 'isEmail'],
    ['an unknown member', { isAdmin: true }, 'isAdmin', 'whitelistValidation'],
  ])('a new user is rejected with %s', async (...[, more, path, code]) => {
    expect(await issuesOf(CreateUser, { ...USER, ...more })).toEqual([issue(path, code)]);
  });
});

describe('a change of a user', () => {
  it.each([
    [{}, ''],
    [{ name: null }, 'name'],
    [{ active: null }, 'active'],
    [{ roles: null }, 'roles'],
    [{ email: 'new@example.com' }, 'email'],
  ])('a change of a user is rejected with %j', async (changes, path) => {
    expect(await invalidMembers(UpdateUser, changes)).toEqual([path]);
  });
});

describe('a query for users', () => {
  it.each([
    ['role=boss', 'role'],
    ['active=1', 'active'],
    ['sort=password', 'sort'],
  ])('a query for users is rejected with %s', async (query, path) => {
    expect(await invalidMembers(ListUsers, query)).toEqual([path]);
  });
});
