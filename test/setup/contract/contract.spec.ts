import { describe, expect, it } from '@jest/globals';
import { Contract } from './contract.js';
import type { Exchange, OpenApiDocument } from './document.js';

const REQUEST_ID = 'request-0001';
const json = (schema: unknown) => ({ content: { 'application/json': { schema } } });
const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` });

const document: OpenApiDocument = {
  openapi: '3.0.0',
  paths: {
    '/v1/admin/finance/things': {
      post: {
        responses: {
          201: { ...json(ref('ThingAnswer')), headers: { Location: { required: true, schema: { type: 'string' } } } },
        },
      },
    },
    '/v1/admin/finance/things/{id}': {
      get: {
        responses: {
          200: { ...json(ref('ThingAnswer')), headers: { ETag: { schema: { type: 'string', pattern: '^"\\d+"$' } } } },
          304: {},
          404: { $ref: '#/components/responses/NotFound' },
          500: json(ref('Problem')),
        },
      },
      delete: { responses: { 200: json(ref('Both')) } },
    },
    '/v1/admin/finance/things/current': {
      get: { responses: { 200: json({ type: 'object', required: ['current'] }) } },
    },
    '/v1/admin/finance/files/{id}': { get: { responses: { 302: { headers: { Location: { required: true } } } } } },
    '/vault/v1/{vaultSlug}/encrypt': { post: { responses: { 429: json(ref('VaultProblem')) } } },
  },
  components: {
    schemas: {
      Thing: {
        type: 'object',
        required: ['id', 'cents', 'note', 'parent', 'free', 'status'],
        properties: {
          id: { type: 'string', maxLength: 10 },
          cents: { type: 'integer', format: 'int64', minimum: 0, exclusiveMinimum: true },
          note: { type: 'string', nullable: true },
          parent: { nullable: true, allOf: [ref('Parent')] },
          free: { type: 'object', additionalProperties: true },
          status: { type: 'string', enum: ['draft', 'paid'] },
          day: { type: 'string', format: 'date' },
        },
      },
      Parent: { type: 'object', required: ['id'], properties: { id: { type: 'string' } } },
      Success: { type: 'object', required: ['success'], properties: { success: { type: 'boolean' } } },
      Both: { allOf: [ref('Parent'), ref('Success')] },
      ThingAnswer: { type: 'object', required: ['data'], properties: { data: ref('Thing') } },
      Problem: {
        type: 'object',
        required: ['error', 'requestId'],
        properties: { error: { type: 'string' }, code: { type: 'string' }, requestId: { type: 'string' } },
        additionalProperties: false,
      },
      VaultProblem: {
        type: 'object',
        required: ['error'],
        properties: { error: { type: 'string' }, retryAfterMs: { type: 'integer' }, requestId: { type: 'string' } },
      },
    },
    responses: {
      NotFound: json({
        allOf: [
          ref('Problem'),
          { type: 'object', required: ['code'], properties: { code: { type: 'string', enum: ['not_found'] } } },
        ],
      }),
    },
  },
};

const contract = new Contract(document);
const thing = { id: 'a', cents: 1, note: null, parent: null, free: { any: 1 }, status: 'draft' };
const notFound = { error: 'No such thing', code: 'not_found', requestId: REQUEST_ID };

function answer(
  over: Partial<Omit<Exchange, 'headers'>> & { body?: unknown; headers?: Record<string, string | undefined> },
) {
  const { headers, body = { data: thing }, ...rest } = over;
  const sent = { 'x-request-id': REQUEST_ID, 'content-type': 'application/json; charset=utf-8', ...headers };
  const present = Object.entries(sent).filter((header): header is [string, string] => header[1] !== undefined);
  const exchange = { method: 'GET', path: '/v1/admin/finance/things/a', status: 200, text: JSON.stringify(body) };
  return () => contract.check({ ...exchange, headers: Object.fromEntries(present), ...rest });
}

describe('a documented response', () => {
  it.each([
    ['a documented body', {}],
    ['null if the schema is nullable', { body: { data: { ...thing, note: null, parent: null } } }],
    ['a nullable reference that is there', { body: { data: { ...thing, parent: { id: 'p' } } } }],
    ['the same route in other letters and with a slash', { path: '/V1/Admin/finance/things/a/' }],
    ['the more specific route', { path: '/v1/admin/finance/things/current', body: { current: 1 } }],
    ['all parts of a composition', { method: 'DELETE', body: { id: 'p', success: true } }],
    ['not modified, without a body', { status: 304, text: '' }],
    ['HEAD, without a body', { method: 'HEAD', text: '' }],
    ['a shared error response', { status: 404, body: notFound }],
    ['an unexpected failure without a code', { status: 500, body: { error: 'Failed', requestId: REQUEST_ID } }],
    ['a redirect', { path: '/v1/admin/finance/files/a', status: 302, text: '', headers: { location: '/x' } }],
    ['an unknown route with the error body of its surface', { path: '/foo', status: 404, body: notFound }],
    ['an unknown data route', { path: '/data/foo', status: 404, body: { code: 'NOT_FOUND', message: 'Nothing here' } }],
    ['an unknown vault route', { path: '/vault/v1', status: 404, body: { error: 'Nothing here' } }],
    [
      'a rejected token request, in the format of RFC 6749',
      { path: '/connect/v1/oauth/token', status: 400, body: { ...notFound, error_description: 'Wrong grant_type' } },
    ],
    ['the documentation pages', { path: '/docs/', text: '<html>', headers: { 'content-type': 'text/html' } }],
  ])('the contract accepts %s', (_name, over) => {
    expect(answer(over)).not.toThrow();
  });
});

describe('an undocumented response', () => {
  it.each([
    ['a member of another type', { body: { data: { ...thing, cents: '1' } } }, /data\/cents must be integer/],
    ['a missing member', { body: { data: { ...thing, note: undefined } } }, /required property 'note'/],
    ['a member that the schema does not name', { body: { data: { ...thing, secret: 1 } } }, /unevaluated.*secret/],
    ['an unnamed member of a nullable reference', { body: { data: { ...thing, parent: { id: 'p', x: 1 } } } }, /"x"/],
    ['an unnamed member of a composition', { method: 'DELETE', body: { id: 'p', success: true, x: 1 } }, /"x"/],
    ['half of a composition', { method: 'DELETE', body: { id: 'p' } }, /required property 'success'/],
    ['null if it is not allowed', { body: { data: { ...thing, id: null } } }, /data\/id must be string/],
    ['a value outside the list', { body: { data: { ...thing, status: 'void' } } }, /allowed values/],
    ['a value on an exclusive bound', { body: { data: { ...thing, cents: 0 } } }, /must be > 0/],
    ['a text that is too long', { body: { data: { ...thing, id: 'x'.repeat(11) } } }, /more than 10 characters/],
    ['a day that does not exist', { body: { data: { ...thing, day: '2026-02-30' } } }, /format "date"/],
    ['a status that is not documented', { status: 202 }, /status is not documented, only 200, 304, 404, 500/],
    ['another content type', { headers: { 'content-type': 'text/html' } }, /content type is text\/html/],
    ['a body that is not JSON', { text: '{' }, /not JSON/],
    ['a body although none is documented', { status: 304 }, /none is documented/],
    ['a malformed documented header', { headers: { etag: 'W/"1"' } }, /header ETag: 'W\/"1"' must match pattern/],
    [
      'a missing required header',
      { method: 'POST', path: '/v1/admin/finance/things', status: 201 },
      /Location is missing/,
    ],
    ['no request id', { headers: { 'x-request-id': undefined } }, /X-Request-Id is missing/],
    ['a route that is not documented', { path: '/v1/admin/finance/others' }, /no such operation is documented/],
    ['another request id in the body', { status: 404, body: { ...notFound, requestId: 'other-0001' } }, /other-0001/],
    ['an error without code', { status: 404, body: { ...notFound, code: undefined } }, /required property 'code'/],
    [
      'a code that the route does not declare',
      { status: 404, body: { ...notFound, code: 'gone' } },
      /code must be .*allowed/,
    ],
    ['a 500 with a code', { status: 500, body: notFound }, /additional properties/],
    [
      'an unknown route with the body of another surface',
      { path: '/data/foo', status: 404, body: notFound },
      /'message'/,
    ],
    [
      'a vault error with a request id',
      {
        method: 'POST',
        path: '/vault/v1/primary/encrypt',
        status: 429,
        body: { error: 'Wait', requestId: REQUEST_ID },
      },
      /requestId/,
    ],
    [
      'a connect error with the members of RFC 6749',
      { path: '/connect/v1/foo', status: 404, body: { ...notFound, error_description: 'No such thing' } },
      /error_description/,
    ],
    ['an error page', { path: '/foo', status: 404, text: 'Cannot GET /foo' }, /not JSON: Cannot GET/],
  ])('the contract rejects %s', (_name, over, message) => {
    expect(answer(over)).toThrow(message);
  });

  it('the contract reports all faults of a response at once', () => {
    const wrong = answer({ headers: { 'x-request-id': undefined }, body: { data: { ...thing, id: 1, cents: 'x' } } });
    expect(wrong).toThrow(/X-Request-Id[^]*data\/id[^]*data\/cents/);
  });
});
