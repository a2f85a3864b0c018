import { describe, expect, it } from '@jest/globals';
import { AppError } from '../errors/app-error.js';
import { assertNoBody } from './no-body.js';

describe('a route without a body', () => {
  it('a route without a body accepts none at all and an empty one', () => {
    expect(() => assertNoBody(undefined)).not.toThrow();
    expect(() => assertNoBody({})).not.toThrow();
  });

  it('a route without a body rejects members, naming each', () => {
    const unknownMembers = errorOf({ status: 'paid', force: true });
    expect(unknownMembers).toMatchObject({ status: 400, code: 'invalid_request' });
    expect(unknownMembers?.details?.['fields']).toEqual({
      status: ['status is not recognized'],
      force: ['force is not recognized'],
    });
  });

  it.each([[[]], ['text'], [null], [0]])('a route without a body rejects %j', (body) => {
    expect(errorOf(body)).toMatchObject({ status: 400, code: 'invalid_request' });
  });
});

function errorOf(body: unknown): AppError | null {
  try {
    assertNoBody(body);
    return null;
  } catch (error) {
    return error instanceof AppError ? error : null;
  }
}
