import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { covers, excessScopes, STAFF_SCOPES } from '../../../platform/auth/scopes.js';
import { ROLES, type Role, scopesInBoth, scopesOf } from './role.js';

const allowed = (roles: Role[]) => STAFF_SCOPES.filter((scope) => covers(scopesOf(roles), scope));
const SPECIAL = [
  'finance:approve',
  'finance:void',
  'finance:numbering',
  'finance:close',
  'finance:refund',
  'bookings:override',
  'action-ledger:reverse',
];

describe('roles', () => {
  it('the role owner has all scopes', () => {
    expect(allowed(['owner'])).toEqual(STAFF_SCOPES);
  });

  it('the role manager has all scopes except changes of users, their credentials and the organization', () => {
    const areas = ['identity', 'organization'];
    const others = ['*', ...areas.flatMap((area) => [`${area}:*`, `${area}:write`, `${area}:delete`])];
    expect(allowed(['manager'])).toEqual(STAFF_SCOPES.filter((scope) => !others.includes(scope)));
  });

  it('the role viewer reads everything but users, webhooks and the action ledger, and changes nothing', () => {
    const hidden = ['identity:read', 'action-ledger:read', 'webhooks:read'];
    const reads = STAFF_SCOPES.filter((scope) => scope.endsWith(':read') && !hidden.includes(scope));
    expect(allowed(['viewer']).sort()).toEqual([...reads, 'finance:receivables'].sort());
  });

  it('the role finance has finance with its special scopes, and has files, reads bookings, customers, departures, products, contracts and the ledger, and writes notes', () => {
    const own = STAFF_SCOPES.filter((scope) => /^(finance|documents):/.test(scope));
    const reads = [
      'bookings:read',
      'customers:read',
      'operations:read',
      'products:read',
      'legal:read',
      'action-ledger:read',
      'desk:read',
      'desk:write',
    ];
    expect(allowed(['finance']).sort()).toEqual([...own, ...reads].sort());
  });

  it('the role operations has its nine areas, reads and changes bookings, writes notes, and sees what customers owe', () => {
    const areas = [
      'distribution',
      'octo',
      'trips',
      'legal',
      'operations',
      'notifications',
      'customers',
      'documents',
      'products',
    ];
    const own = STAFF_SCOPES.filter(
      (scope) => areas.includes(scope.split(':')[0] ?? '') && scope !== 'customers:privacy',
    );
    expect(allowed(['operations']).sort()).toEqual(
      [...own, 'bookings:read', 'bookings:write', 'desk:read', 'desk:write', 'finance:receivables'].sort(),
    );
  });

  it('the role sales has bookings, trips, customers and files, sends messages, writes notes, sees what customers owe, and reads six other areas', () => {
    const areas = STAFF_SCOPES.filter((scope) =>
      /^(bookings|trips|customers|documents):(read|write|delete|\*)$/.test(scope),
    );
    const others = [
      'notifications:write',
      'desk:read',
      'desk:write',
      'finance:receivables',
      'operations:read',
      'catalog:read',
      'distribution:read',
      'octo:read',
      'products:read',
      'legal:read',
    ];
    expect(allowed(['sales']).sort()).toEqual([...areas, ...others].sort());
  });

  it('special scopes are part of the roles that list them, never of a wildcard', () => {
    const holders = SPECIAL.map((scope) => ROLES.filter((role) => covers(scopesOf([role]), scope)));
    const [lead, finance] = [
      ['owner', 'manager'],
      ['owner', 'manager', 'finance'],
    ];
    const operations = ['owner', 'manager', 'operations'];
    const expected = (scope: string) => (scope.startsWith('finance:') ? finance : lead);
    expect(holders).toEqual(SPECIAL.map((scope) => (scope === 'customers:sensitive' ? operations : expected(scope))));
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
