import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { covers, excessScopes, STAFF_SCOPES } from '../../../platform/auth/scopes.js';
import { ROLES, type Role, scopesInBoth, scopesOf } from './role.js';

const allowed = (roles: Role[]) => STAFF_SCOPES.filter((scope) => covers(scopesOf(roles), scope));
const SPECIAL = ['finance:approve', 'finance:void', 'finance:numbering', 'action-ledger:reverse'];

describe('roles', () => {
  it('the role owner has all scopes', () => {
    expect(allowed(['owner'])).toEqual(STAFF_SCOPES);
  });

  it('the role viewer can read everything and nothing else', () => {
    const reads = STAFF_SCOPES.filter((scope) => scope.endsWith(':read'));
    expect(allowed(['viewer'])).toEqual(reads);
  });

  it('the role finance has finance with its special scopes, and can read bookings', () => {
    const own = STAFF_SCOPES.filter((scope) => scope.startsWith('finance:'));
    expect(allowed(['finance']).sort()).toEqual([...own, 'bookings:read'].sort());
  });

  it('the role operations has its five areas', () => {
    const areas = ['distribution', 'trips', 'legal', 'operations', 'notifications'];
    expect(allowed(['operations'])).toEqual(STAFF_SCOPES.filter((scope) => areas.includes(scope.split(':')[0] ?? '')));
  });

  it('the role sales has bookings and trips, and can read catalog, distribution and legal', () => {
    const areas = STAFF_SCOPES.filter((scope) => /^(bookings|trips):/.test(scope));
    const reads = ['catalog:read', 'distribution:read', 'legal:read'];
    expect(allowed(['sales']).sort()).toEqual([...areas, ...reads].sort());
  });

  it('special scopes are part of the roles that list them, never of a wildcard', () => {
    const holders = SPECIAL.map((scope) => ROLES.filter((role) => covers(scopesOf([role]), scope)));
    const finance = ['owner', 'finance'];
    expect(holders).toEqual([finance, finance, finance, ['owner']]);
  });
});

describe('the intersection of the scopes of a token and its user', () => {
  const scopes = fc.uniqueArray(fc.constantFrom(...STAFF_SCOPES), { minLength: 1, maxLength: 8 });

  it('the intersection of the scopes of a token and its user is covered by both, and covers all that both cover', () => {
    fc.assert(
      fc.property(scopes, scopes, (token, user) => {
        const both = scopesInBoth(token, user);
        expect([excessScopes(token, both), excessScopes(user, both)]).toEqual([[], []]);
        const shared = STAFF_SCOPES.filter((scope) => covers(token, scope) && covers(user, scope));
        expect(excessScopes(both, shared)).toEqual([]);
      }),
    );
  });
});
