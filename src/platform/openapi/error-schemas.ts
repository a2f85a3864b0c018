import { AppError, MAX_ISSUES, MAX_MESSAGE, MAX_PATH } from '../errors/app-error.js';
import { errorBody, type ErrorShape } from '../errors/error-bodies.js';
import { ISSUE_CODES } from '../errors/issue-codes.js';
import { codeInBody } from './error-codes.js';

const text = (maxLength: number, description: string) => ({ type: 'string', maxLength, description });
const retryAfterMs = {
  type: 'integer',
  minimum: 1,
  maximum: 86_400_000,
  description: 'Milliseconds after which a retry is useful; sent with 429 and 503',
};
const requestId = { ...text(128, 'The value of X-Request-Id'), minLength: 8 };
const explanation = text(2000, 'Explanation in English; the text may change');
const code = text(100, 'Stable error code for programs');

/** The invalid members of a request: the list `issues`, and their messages by member in `fields`. */
export const invalidMembers = (maxItems: number) => ({
  issues: {
    type: 'array',
    maxItems,
    description: 'The invalid members of the request',
    items: {
      type: 'object',
      required: ['path', 'message', 'code'],
      properties: {
        path: text(MAX_PATH, 'Where the member is, for example `lines.0.quantity`'),
        message: text(MAX_MESSAGE, 'Fault of the member, in English; the text may change'),
        code: { description: 'The violated rule', allOf: [{ $ref: '#/components/schemas/IssueCode' }] },
        params: {
          type: 'object',
          description: 'Values for a translated message besides the name of the member; the members depend on the code',
          additionalProperties: {
            anyOf: [
              { type: 'integer', minimum: -Number.MAX_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER },
              text(MAX_MESSAGE, 'An expected type or format, or a regular expression'),
              { type: 'array', maxItems: 1000, items: { type: 'string', maxLength: 100 } },
            ],
          },
        },
      },
    },
  },
  fields: {
    type: 'object',
    description: 'The messages of the issues by path',
    additionalProperties: { type: 'array', maxItems, items: { type: 'string', maxLength: MAX_MESSAGE } },
  },
});

const issueCodes = Object.entries(ISSUE_CODES);

/** The error bodies, one schema per shape, and the codes of issues. */
export const errorSchemas = {
  IssueCode: {
    type: 'string',
    enum: issueCodes.map(([name]) => name),
    'x-extensible': true,
    description: [
      'The violated rule, for programs. Later releases may add values.',
      ...issueCodes.map(([name, meaning]) => `- \`${name}\`: ${meaning}.`),
    ].join('\n'),
  },
  TradeError: {
    type: 'object',
    required: ['error', 'requestId'],
    description: 'An error of the storefront, staff and connect surfaces',
    properties: {
      error: explanation,
      code: text(100, 'Stable error code for programs; absent for an unexpected error'),
      requestId,
      details: {
        type: 'object',
        description: 'Details of the error; the members depend on the code',
        additionalProperties: true,
        properties: { ...invalidMembers(MAX_ISSUES), retryAfterMs },
      },
    },
    additionalProperties: false,
  },
  PlainError: {
    type: 'object',
    required: ['error'],
    description: 'An error of the vault and realtime surfaces',
    properties: { error: explanation, retryAfterMs },
    additionalProperties: false,
  },
  DataError: {
    type: 'object',
    required: ['code', 'message'],
    description: 'An error of the data surface',
    properties: { code, message: explanation, retryAfterMs },
    additionalProperties: false,
  },
  OAuthError: {
    type: 'object',
    required: ['error', 'error_description', 'requestId'],
    description: 'An error of the OAuth endpoints, in the form of RFC 6749',
    properties: {
      error: text(100, 'The code of RFC 6749, section 5.2'),
      error_description: explanation,
      code,
      requestId,
      retryAfterMs,
    },
    additionalProperties: false,
  },
};

/** The document omits the operations of OCTO, which the standard documents. */
type DocumentedShape = Exclude<ErrorShape, 'octo'>;

const NAMES: Record<DocumentedShape, keyof typeof errorSchemas> = {
  trade: 'TradeError',
  plain: 'PlainError',
  data: 'DataError',
  oauth: 'OAuthError',
};

/** The schema of an error of this shape with one of these codes. */
export function errorSchema(shape: DocumentedShape, status: number, codes: readonly string[]): Record<string, unknown> {
  const reference = { $ref: `#/components/schemas/${NAMES[shape]}` };
  const told = [...new Set(codes.flatMap((code) => codeInBody(shape, status, code) ?? []))];
  if (told.length === 0) return reference;
  const known = { type: 'object', required: ['code'], properties: { code: { type: 'string', enum: told } } };
  return { allOf: [reference, known] };
}

/** An example error of this shape, made by the function that makes the responses. */
export function errorExample(
  shape: DocumentedShape,
  status: number,
  code: string | undefined,
): Record<string, unknown> {
  const waits = status === 429 || status === 503 ? { retryAfterMs: 1200 } : {};
  const error = code === undefined ? null : new AppError(status, code, 'Explanation in English', waits);
  return errorBody(shape, error, '01a1fbba-d2cc-7cc4-85a9-bb713a84ccfc');
}
