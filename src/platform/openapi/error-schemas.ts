import { AppError, MAX_ISSUES, MAX_MESSAGE, MAX_PATH } from '../errors/app-error.js';
import { errorBody, type ErrorShape } from '../errors/error-bodies.js';
import { codeInBody } from './error-codes.js';

const text = (maxLength: number) => ({ type: 'string', maxLength });
const milliseconds = { type: 'integer', minimum: 1, maximum: 86_400_000 };
const requestId = { ...text(128), minLength: 8, description: 'The value of X-Request-Id' };

const issue = {
  type: 'object',
  required: ['path', 'message', 'code'],
  properties: { path: text(MAX_PATH), message: text(MAX_MESSAGE), code: text(100) },
};

/** The error bodies, one schema per shape. */
export const errorSchemas = {
  TradeError: {
    type: 'object',
    required: ['error', 'requestId'],
    properties: {
      error: { ...text(2000), description: 'Explanation in English; the text may change' },
      code: { ...text(100), description: 'Stable error code for programs; absent for an unexpected error' },
      requestId,
      details: {
        type: 'object',
        additionalProperties: true,
        properties: {
          issues: { type: 'array', maxItems: MAX_ISSUES, items: issue },
          fields: {
            type: 'object',
            additionalProperties: { type: 'array', maxItems: MAX_ISSUES, items: text(MAX_MESSAGE) },
          },
          retryAfterMs: milliseconds,
        },
      },
    },
    additionalProperties: false,
  },
  PlainError: {
    type: 'object',
    required: ['error'],
    properties: { error: text(2000), retryAfterMs: milliseconds },
    additionalProperties: false,
  },
  DataError: {
    type: 'object',
    required: ['code', 'message'],
    properties: { code: text(100), message: text(2000), retryAfterMs: milliseconds },
    additionalProperties: false,
  },
  OAuthError: {
    type: 'object',
    required: ['error', 'error_description', 'requestId'],
    properties: {
      error: { ...text(100), description: 'The code of RFC 6749, section 5.2' },
      error_description: text(2000),
      code: text(100),
      requestId,
      retryAfterMs: milliseconds,
    },
    additionalProperties: false,
  },
};

const NAMES: Record<ErrorShape, keyof typeof errorSchemas> = {
  trade: 'TradeError',
  plain: 'PlainError',
  data: 'DataError',
  oauth: 'OAuthError',
};

/** The schema of an error of this shape with one of these codes. */
export function errorSchema(shape: ErrorShape, status: number, codes: readonly string[]): Record<string, unknown> {
  const reference = { $ref: `#/components/schemas/${NAMES[shape]}` };
  const told = [...new Set(codes.flatMap((code) => codeInBody(shape, status, code) ?? []))];
  if (told.length === 0) return reference;
  const known = { type: 'object', required: ['code'], properties: { code: { type: 'string', enum: told } } };
  return { allOf: [reference, known] };
}

/** An error as this shape words it, made by the very function that answers it. */
export function errorExample(shape: ErrorShape, status: number, code: string | undefined): Record<string, unknown> {
  const waits = status === 429 || status === 503 ? { retryAfterMs: 1200 } : {};
  const error = code === undefined ? null : new AppError(status, code, 'Explanation in English', waits);
  return errorBody(shape, error, '01a1fbba-d2cc-7cc4-85a9-bb713a84ccfc');
}
