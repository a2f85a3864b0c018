import { describe, expect, it } from '@jest/globals';
import { invalidMembers, issue, issuesOf } from '../../../../test/setup/issues.js';
import { CreateOAuthClient, ListOAuthClients } from './oauth-client.dto.js';

describe('a new OAuth client', () => {
  it.each([
    'vault:write',
    'bookings:write',
    'connect:bookings',
    'connect:Bookings:read',
    'connect:*:*:*',
    '*:write',
    '*',
  ])('a new OAuth client cannot have the scope %s, which is not one of connect', async (scope) => {
    const message =
      'scopes.1 must start with connect: and name an area and an action, such as connect:bookings:write; or be connect:*';
    const body = { scopes: ['connect:bookings:read', scope] };
    expect(await issuesOf(CreateOAuthClient, body)).toEqual([issue('scopes', 'wrong_format', message)]);
  });

  it('a new OAuth client is rejected with all of its issues', async () => {
    const body = { name: '', scopes: [], grantId: 7, expiresAt: '2031-02-30T00:00:00Z', active: false };
    expect(await invalidMembers(CreateOAuthClient, body)).toEqual(['active', 'expiresAt', 'grantId', 'name', 'scopes']);
    const unknown = issue('active', 'unknown_member', 'active is not recognized');
    expect(await issuesOf(CreateOAuthClient, body)).toContainEqual(unknown);
  });

  it.each([
    ['no body', undefined, 'scopes'],
    ['an empty object', {}, 'scopes'],
    ['scopes that are null', { scopes: null }, 'scopes'],
    ['scopes that are not a list', { scopes: 'connect:bookings:read' }, 'scopes'],
    ['a duplicate scope', { scopes: ['connect:a:read', 'connect:a:read'] }, 'scopes'],
    ['65 scopes', { scopes: Array.from({ length: 65 }, (_, n) => `connect:area-${n}:read`) }, 'scopes'],
    ['a name of blanks', { scopes: ['connect:a:read'], name: '   ' }, 'name'],
    ['a name of 121 characters', { scopes: ['connect:a:read'], name: 'x'.repeat(121) }, 'name'],
    ['a name with a control character', { scopes: ['connect:a:read'], name: 'a\u0007b' }, 'name'],
    ['a name with NUL', { scopes: ['connect:a:read'], name: 'a\0b' }, 'name'],
    ['an end without an offset', { scopes: ['connect:a:read'], expiresAt: '2031-01-01T00:00:00' }, 'expiresAt'],
    ['an end that is a day', { scopes: ['connect:a:read'], expiresAt: '2031-01-01' }, 'expiresAt'],
  ])('a new OAuth client is rejected with %s', async (_, body, path) => {
    expect(await invalidMembers(CreateOAuthClient, body)).toEqual([path]);
  });
});

describe('a query for OAuth clients', () => {
  it.each([
    ['limit=1&limit=2', 'limit'],
    ['active=yes', 'active'],
  ])('a query for OAuth clients rejects %s', async (query, path) => {
    expect(await invalidMembers(ListOAuthClients, query)).toEqual([path]);
  });
});
