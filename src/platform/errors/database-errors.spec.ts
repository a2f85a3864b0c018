import { describe, expect, it } from '@jest/globals';
import { conflict } from './app-error.js';
import { databaseErrorOf, isUnmapped, appErrorOf, mapConstraint } from './database-errors.js';

describe('the error of a failed statement', () => {
  it.each([
    ['22021', 400, 'a NUL in text'],
    ['22P02', 400, 'a bad number'],
    ['54000', 400, 'an index row too large'],
    ['23502', 409, 'a null'],
    ['23503', 409, 'an unknown reference'],
    ['23505', 409, 'something twice'],
    ['23514', 409, 'a broken check'],
    ['40001', 503, 'a serialization failure'],
    ['40P01', 503, 'a deadlock'],
    ['53000', 503, 'too few resources'],
    ['53100', 503, 'a full disk'],
    ['53200', 503, 'too little memory'],
    ['53300', 503, 'too many connections'],
    ['53400', 503, 'a configured limit'],
    ['55P03', 503, 'a lock that is not released in time'],
    ['57014', 503, 'a statement that took too long'],
    ['57P01', 503, 'a server that shuts down'],
    ['57P03', 503, 'a server that starts up'],
    ['08006', 503, 'a broken connection'],
    ['25006', 503, 'a server that became a standby'],
    ['28P01', 503, 'a password that is no longer valid'],
  ])('the PostgreSQL error %s is %i: %s', (code, status) => {
    expect(appErrorOf({ code })?.status).toBe(status);
  });

  it.each([
    ['40001', 'overloaded', 'Too many requests at once'],
    ['40P01', 'overloaded', 'Too many requests at once'],
    ['53000', 'overloaded', 'Too many requests at once'],
    ['53100', 'service_unavailable', 'The service cannot store data at the moment'],
    ['53200', 'overloaded', 'Too many requests at once'],
    ['53300', 'overloaded', 'Too many requests at once'],
    ['53400', 'service_unavailable', 'The database could not complete the request within its limits'],
    ['55P03', 'overloaded', 'Too many requests at once'],
    ['57014', 'service_unavailable', 'The database could not complete the request within its limits'],
    ['57P01', 'service_unavailable', 'The database is unavailable'],
    ['08006', 'service_unavailable', 'The database is unavailable'],
    ['28P01', 'service_unavailable', 'The database is unavailable'],
  ])('the PostgreSQL error %s has the code %s, its message and a delay', (code, expected, message) => {
    const appError = appErrorOf({ code });
    expect([appError?.code, appError?.message, (appError?.retryAfterMs ?? 0) > 0]).toEqual([expected, message, true]);
  });

  it.each(['42601', '42P01', 'XX000', '25P02', '21000'])('the PostgreSQL error %s is an internal error', (code) => {
    expect(appErrorOf({ code })).toBeNull();
  });

  it.each([
    ['22021', true],
    ['23505', true],
    ['54001', true],
    ['42P01', true],
    ['XX000', true],
    ['40001', false],
    ['57014', false],
    ['08006', false],
  ])('the PostgreSQL error %s is unexpected: %s', (code, unforeseen) => {
    expect(isUnmapped({ code })).toBe(unforeseen);
  });

  it('a violated constraint gets the error of its rule and counts as expected', () => {
    mapConstraint('spec_known_constraint', () => conflict('name_taken', 'Taken'));
    const error = { code: '23505', constraint: 'spec_known_constraint' };
    expect([appErrorOf(error)?.code, isUnmapped(error)]).toEqual(['name_taken', false]);
  });

  it('a PostgreSQL error is found inside the error of TypeORM', () => {
    expect(databaseErrorOf({ driverError: { code: '23505', constraint: 'c' } })).toEqual({
      code: '23505',
      constraint: 'c',
    });
  });

  it.each(['EPIPE', 'ECONNREFUSED', 'not_found', 42, undefined])(
    'the error code %s is not treated as a PostgreSQL error',
    (code) => {
      expect(databaseErrorOf({ code })).toBeNull();
    },
  );
});
