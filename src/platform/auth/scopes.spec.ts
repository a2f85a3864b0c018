import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { covers, excessScopes, isConnectScope, scopeForChannel, STAFF_SCOPES } from './scopes.js';

describe('connect scopes', () => {
  it.each(['connect:*', 'connect:*:write', 'connect:bookings:*', 'connect:flight-offers:read', 'connect:*:*'])(
    'the connect scope %s is well-formed',
    (scope) => expect(isConnectScope(scope)).toBe(true),
  );
  it.each([
    'connect',
    'connect:',
    'connect:bookings',
    'bookings:write',
    'connect:Bookings:write',
    'connect:a:b:c',
    'connect:1a:read',
    `connect:${'a'.repeat(200)}:read`,
  ])('the connect scope %s is malformed', (scope) => expect(isConnectScope(scope)).toBe(false));

  it.each([
    ['connect:*', 'connect:bookings:write', true],
    ['connect:bookings:*', 'connect:bookings:write', true],
    ['connect:bookings:*', 'connect:flights:write', false],
    ['connect:*:write', 'connect:flights:write', true],
    ['connect:*:write', 'connect:flights:read', false],
    ['connect:*:write', 'connect:*', false],
    ['connect:bookings:write', 'connect:bookings:*', false],
    ['connect:book:write', 'connect:bookings:write', false],
  ])('the connect scope %s covers %s: %s', (granted, required, covered) =>
    expect(covers([granted], required)).toBe(covered),
  );

  it.each([
    ['connect:*', true],
    ['connect:*:*', true],
    ['connect:flights:write', true],
    ['connect:flights:*', true],
    ['connect:flights:read', false],
    ['connect:bookings:writer', false],
    ['connect:bookings', false],
    ['vault:write', false],
  ])('the connect scope %s meets *:write: %s', (granted, met) => expect(covers([granted], '*:write')).toBe(met));

  it('the coverage of connect scopes is transitive', () => {
    const segment = fc.constantFrom('*', 'bookings', 'flights');
    const action = fc.constantFrom('*', 'read', 'write', 'delete');
    const scope = fc.oneof(
      fc.constant('connect:*'),
      fc.tuple(segment, action).map(([a, b]) => `connect:${a}:${b}`),
    );
    fc.assert(fc.property(scope, scope, scope, (a, b, c) => !covers([a], b) || !covers([b], c) || covers([a], c)));
  });
});

describe('realtime scopes', () => {
  it.each([
    ['realtime:subscribe', 'realtime:subscribe:bookings.1', true],
    ['realtime:subscribe:bookings.*', 'realtime:subscribe:bookings.1', true],
    ['realtime:subscribe:bookings.*', 'realtime:subscribe:bookings.1.paid', true],
    ['realtime:subscribe:bookings.*', 'realtime:subscribe:bookings', false],
    ['realtime:subscribe:bookings.*', 'realtime:subscribe:bookings-2.1', false],
    ['realtime:subscribe:bookings.*', 'realtime:subscribe:Bookings.1', false],
    ['realtime:subscribe:bookings.*', 'realtime:publish:bookings.1', false],
    ['realtime:subscribe:bookings.*', 'realtime:subscribe', false],
    ['realtime:subscribe:bookings', 'realtime:subscribe:bookings', true],
    ['realtime:subscribe:bookings', 'realtime:subscribe:bookings.1', false],
    ['realtime:subscribe:a:b.*', 'realtime:subscribe:a:b.c', true],
    ['realtime:subscribe:*', 'realtime:subscribe:bookings', false],
    ['realtime:*', 'realtime:subscribe:bookings', false],
    ['connect:*', 'realtime:subscribe:bookings', false],
  ])('%s covers %s: %s', (granted, required, covered) => expect(covers([granted], required)).toBe(covered));

  it('realtime scopes that are narrowed can be handed on only narrowed as much or more', () => {
    const wanted = [
      'realtime:publish',
      'realtime:publish:partners.*',
      'realtime:publish:partners.north.*',
      'realtime:publish:partners.north',
      'realtime:publish:part.*',
      'realtime:subscribe:partners.*',
    ];
    expect(excessScopes(['realtime:publish:partners.*'], wanted)).toEqual([
      'realtime:publish',
      'realtime:publish:part.*',
      'realtime:subscribe:partners.*',
    ]);
    expect(excessScopes(['realtime:publish:partners.north'], wanted)).toEqual(
      wanted.filter((scope) => scope !== 'realtime:publish:partners.north'),
    );
    expect(excessScopes(['realtime:publish'], wanted)).toEqual(['realtime:subscribe:partners.*']);
  });

  it('realtime scopes are required for the channel from a caller with narrowed scopes, and as a whole from any other caller', () => {
    const [scope, channel] = ['realtime:subscribe', 'bookings.1'];
    expect(scopeForChannel(['realtime:subscribe:trips.*'], scope, channel)).toBe('realtime:subscribe:bookings.1');
    expect(scopeForChannel(['realtime:subscribe:trips.*', scope], scope, channel)).toBe(scope);
    expect(scopeForChannel(['realtime:publish:trips.*'], scope, channel)).toBe(scope);
    expect(scopeForChannel(['realtime:subscribe:trips.*'], scope, '"\r\n')).toBe(scope);
  });
});

describe('staff scopes', () => {
  it('the staff scope * includes all others', () =>
    expect(STAFF_SCOPES.filter((scope) => !covers(['*'], scope))).toEqual([]));

  it('a module wildcard covers read, write and delete, but never the special scopes', () => {
    expect(excessScopes(['finance:*'], ['finance:read', 'finance:write', 'finance:delete', 'finance:*'])).toEqual([]);
    expect(
      excessScopes(
        ['finance:*', 'bookings:*', 'action-ledger:*'],
        [
          'finance:approve',
          'finance:void',
          'finance:numbering',
          'finance:close',
          'finance:refund',
          'bookings:override',
          'action-ledger:reverse',
        ],
      ),
    ).toEqual([
      'finance:approve',
      'finance:void',
      'finance:numbering',
      'finance:close',
      'finance:refund',
      'bookings:override',
      'action-ledger:reverse',
    ]);
  });

  it('staff scopes are not covered by platform scopes, nor vice versa', () => {
    expect(covers(['connect:*'], 'finance:read')).toBe(false);
    expect(covers(['finance:*'], 'vault:write')).toBe(false);
  });
});
