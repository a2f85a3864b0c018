import { describe, expect, it } from '@jest/globals';
import { AppError } from '../errors/app-error.js';
import { assertNoBody } from './no-body.js';

describe('a route that takes no body', () => {
  it('takes none at all, and an empty one', () => {
    expect(() => assertNoBody(undefined)).not.toThrow();
    expect(() => assertNoBody({})).not.toThrow();
  });

  it('refuses members, naming each', () => {
    const refusal = refused({ status: 'paid', force: true });
    expect(refusal).toMatchObject({ status: 400, code: 'invalid_request' });
    expect(refusal?.details?.['fields']).toEqual({
      status: ['status is not recognized'],
      force: ['force is not recognized'],
    });
  });

  it.each([[[]], ['text'], [null], [0]])('refuses %j', (body) => {
    expect(refused(body)).toMatchObject({ status: 400, code: 'invalid_request' });
  });
});

function refused(body: unknown): AppError | null {
  try {
    assertNoBody(body);
    return null;
  } catch (error) {
    return error instanceof AppError ? error : null;
  }
}
