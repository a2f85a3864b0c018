import { describe, expect, it } from '@jest/globals';
import { invalidMembers, issue, issuesOf } from '../../../../test/setup/issues.js';
import { ListUsers, ProvidedUser, UpdateOwnAccount, UpdateUser } from './user.dto.js';

describe('a change of a user', () => {
  it.each([
    [{}, ''],
    [{ name: null }, 'name'],
    [{ active: null }, 'active'],
    [{ roles: null }, 'roles'],
    [{ email: 'new@example.com' }, 'email'],
    [{ password: 'chosen by an administrator' }, 'password'],
    [{ roles: [] }, 'roles'],
    [{ roles: ['boss'] }, 'roles'],
    [{ roles: ['sales', 'sales'] }, 'roles'],
  ])('a change of a user is rejected with %j', async (changes, path) => {
    expect(await invalidMembers(UpdateUser, changes)).toEqual([path]);
  });
});

describe('a change of the own account', () => {
  it('a change of the own account is accepted with a name, with a language, and with null for the default language', async () => {
    for (const changes of [{ name: 'Ada' }, { language: 'pt-BR' }, { language: null }]) {
      expect(await issuesOf(UpdateOwnAccount, changes)).toEqual([]);
    }
  });

  it.each([
    [{}, ''],
    [{ name: '' }, 'name'],
    [{ language: 'x' }, 'language'],
    [{ language: 'en_GB' }, 'language'],
    [{ roles: ['owner'] }, 'roles'],
    [{ active: true }, 'active'],
    [{ email: 'new@example.com' }, 'email'],
    [{ password: 'a new one of their own' }, 'password'],
  ])('a change of the own account is rejected with %j', async (changes, path) => {
    expect(await invalidMembers(UpdateOwnAccount, changes)).toEqual([path]);
  });
});

describe('a provisioned user', () => {
  it.each([
    ['a short password', { password: 'eleven char' }, 'too_short'],
    ['a long password', { password: 'x'.repeat(257) }, 'too_long'],
  ])('a provisioned user is rejected with %s', async (...[, more, code]) => {
    const user = { email: 'ada@example.com', name: 'Ada', roles: ['sales'] };
    expect(await issuesOf(ProvidedUser, { ...user, password: 'x'.repeat(256) })).toEqual([]);
    expect(await issuesOf(ProvidedUser, { ...user, ...more })).toEqual([issue('password', code)]);
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
