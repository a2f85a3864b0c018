import { describe, expect, it } from '@jest/globals';
import { AppError, invalidField } from './app-error.js';
import { errorBody, errorStatus } from './error-bodies.js';

const busy = new AppError(429, 'rate_limited', 'Too many', { retryAfterMs: 12.3, details: { limit: 60 } });
const invalid = invalidField('stages.0.offsetDays', 'must be an integer', 'wrong_type');

describe('an error', () => {
  it('an error of storefront, staff and connect has error, code, requestId and details', () => {
    expect(errorBody('trade', busy, 'request-1')).toEqual({
      error: 'Too many',
      code: 'rate_limited',
      requestId: 'request-1',
      details: { limit: 60, retryAfterMs: 13 },
    });
    expect(errorBody('trade', invalid, 'request-1')).toEqual({
      error: 'The request is invalid',
      code: 'invalid_request',
      requestId: 'request-1',
      details: {
        issues: [{ path: 'stages.0.offsetDays', message: 'must be an integer', code: 'wrong_type' }],
        fields: { 'stages.0.offsetDays': ['must be an integer'] },
      },
    });
  });

  it('an error of vault and realtime has error and retryAfterMs only', () => {
    expect(errorBody('plain', busy, 'request-1')).toEqual({ error: 'Too many', retryAfterMs: 13 });
    expect(errorBody('plain', invalid, 'request-1')).toEqual({ error: 'stages.0.offsetDays: must be an integer' });
  });

  it('an error of data has a code in upper case and a message', () => {
    expect(errorBody('data', busy, 'request-1')).toEqual({
      code: 'RATE_LIMITED',
      message: 'Too many',
      retryAfterMs: 13,
    });
  });

  it('an error of the token endpoint has the members of RFC 6749 in addition to the usual ones', () => {
    const rejected = new AppError(401, 'invalid_client', 'Client authentication failed');
    expect(errorBody('oauth', rejected, 'request-1')).toEqual({
      error: 'invalid_client',
      error_description: 'Client authentication failed',
      code: 'invalid_client',
      requestId: 'request-1',
    });
    expect(errorBody('oauth', busy, 'request-1')).toMatchObject({ error: 'temporarily_unavailable', retryAfterMs: 13 });
  });

  it('an error of OCTO has a code of the standard, the offending id and a status that the standard knows', () => {
    const unknown = new AppError(400, 'INVALID_UNIT_ID', 'Unknown', { details: { unitId: 'x', field: 'units' } });
    expect(errorBody('octo', unknown, 'request-1')).toEqual({
      error: 'INVALID_UNIT_ID',
      errorMessage: 'Unknown',
      requestId: 'request-1',
      unitId: 'x',
    });
    const message = 'stages.0.offsetDays: must be an integer';
    expect(errorBody('octo', invalid, 'r')).toEqual({ error: 'BAD_REQUEST', errorMessage: message, requestId: 'r' });
    expect(errorBody('octo', busy, 'r')).toMatchObject({ error: 'TOO_MANY_REQUESTS', retryAfterMs: 13 });
    expect(errorBody('octo', null, 'r')).toMatchObject({ error: 'INTERNAL_SERVER_ERROR', requestId: 'r' });
    const full = new AppError(409, 'capacity_exceeded', 'Not enough units available');
    expect(errorBody('octo', full, 'r')).toMatchObject({ error: 'UNPROCESSABLE_ENTITY' });
    expect([unknown, invalid, busy, full, null].map((error) => errorStatus('octo', error))).toEqual([
      ...[400, 400, 429, 400, 500],
    ]);
    expect(errorStatus('trade', full)).toBe(409);
  });

  it('an internal error has only the request id, and no code', () => {
    const text = 'An unexpected error occurred';
    expect(errorBody('trade', null, 'request-1')).toEqual({ error: text, requestId: 'request-1' });
    expect(errorBody('plain', null, 'request-1')).toEqual({ error: text });
    expect(errorBody('data', null, 'request-1')).toEqual({ code: 'INTERNAL', message: text });
  });
});
