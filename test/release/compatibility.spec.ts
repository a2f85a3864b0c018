import { describe, expect, it } from '@jest/globals';
import { breakingChanges } from '../../scripts/release/compatibility.js';
import { answering, at, content, documentOf, type Json, member, object, taking } from './api-documents.js';

describe('the compatibility of operations', () => {
  const responses = { 200: { content: content({ type: 'string' }) } };

  it.each<[string, Json, Json, string[]]>([
    [
      'another operationId',
      { operationId: 'a_b' },
      { operationId: 'a_c' },
      [': the operationId a_b became a_c, which renames the call in generated clients'],
    ],
    ['a scope', {}, { 'x-required-scope': 'a:read' }, [': the scope a:read is now required']],
    [
      'another scope',
      { 'x-required-scope': 'a:read' },
      { 'x-required-scope': 'a:write' },
      [': the scope a:write is required instead of a:read'],
    ],
    ['no scope any more', { 'x-required-scope': 'a:read' }, {}, []],
    ['a credential', { security: [] }, { security: [{ bearer: [] }] }, [': a credential is now required']],
    ['no credential any more', { security: [{ bearer: [] }] }, { security: [{ bearer: [] }, {}] }, []],
    [
      'another credential',
      { security: [{ bearer: [] }, { apiKey: [] }] },
      { security: [{ bearer: [] }] },
      [': the credential apiKey is no longer accepted'],
    ],
    [
      'another OAuth scope',
      { security: [{ oauth2: ['a'] }] },
      { security: [{ oauth2: ['b'] }] },
      [': the credential oauth2 a is no longer accepted'],
    ],
    ['one more credential', { security: [{ bearer: [] }] }, { security: [{ bearer: [] }, { apiKey: [] }] }, []],
    ['a removed status', { responses }, {}, [', response 200: the status was removed']],
    ['a removed status of an error', { responses: { 409: {} } }, {}, []],
    ['a new status of success', {}, { responses: { 202: {} } }, [', response 202: a status of success was added']],
    ['a new status of an error, and 304', {}, { responses: { 304: {}, 409: {} } }, []],
    [
      'a removed content type of a response',
      { responses },
      { responses: { 200: { content: { 'text/csv': {} } } } },
      [', response 200: the content type application/json was removed'],
    ],
    [
      'a removed content type of a request',
      { requestBody: { content: content({}) } },
      { requestBody: { content: { 'text/csv': {} } } },
      [', request body: the content type application/json was removed'],
    ],
    ['a removed request body', { requestBody: { content: content({}) } }, {}, [', request body: it was removed']],
    [
      'a required request body',
      { requestBody: { content: {} } },
      { requestBody: { content: {}, required: true } },
      [', request body: it is now required'],
    ],
    ['a new optional request body', {}, { requestBody: { content: content({}) } }, []],
    [
      'a removed header of a response',
      { responses: { 200: { headers: { ETag: {} } } } },
      { responses: { 200: {} } },
      [', response 200: the header ETag was removed'],
    ],
    [
      'an optional header of a response',
      { responses: { 200: { headers: { ETag: { required: true } } } } },
      { responses: { 200: { headers: { ETag: {} } } } },
      [', response 200: the header ETag may now be absent'],
    ],
    [
      'another type of a header of a response',
      { responses: { 200: { headers: { Age: { schema: { type: 'integer' } } } } } },
      { responses: { 200: { headers: { Age: { schema: { type: 'string' } } } } } },
      [', response 200, header Age: $: the type integer became string'],
    ],
    ['texts, tags and a deprecation', { summary: 'A', tags: ['a'] }, { summary: 'B', tags: [], deprecated: true }, []],
  ])('%s', (...[, before, after, expected]) => {
    const found = breakingChanges(documentOf(before), documentOf(after));
    expect(found).toEqual(expected.map((sentence) => `POST /tours${sentence}`));
  });

  it('a removed operation and a removed path are reported with their sunset; new ones are compatible', () => {
    const before = {
      paths: {
        '/a': { get: { deprecated: true, 'x-sunset': '2028-01-31' }, put: { deprecated: true } },
        '/b': { get: {} },
      },
    };
    const after = { paths: { '/a': { post: {} }, '/c': { get: {} } } };
    expect(breakingChanges(before, after)).toEqual([
      'GET /a: the operation was removed (its sunset is 2028-01-31)',
      'PUT /a: the operation was removed (it is deprecated, without a sunset)',
      'GET /b: the operation was removed (it is not deprecated)',
    ]);
  });

  it('the credentials of the whole document apply to operations without their own', () => {
    const before = { ...documentOf({}), security: [] };
    const after = { ...documentOf({}), security: [{ bearer: [] }] };
    expect(breakingChanges(before, after)).toEqual(['POST /tours: a credential is now required']);
  });

  it('a changed security scheme is reported', () => {
    const scheme = (name: string) =>
      documentOf({}, { securitySchemes: { key: { type: 'apiKey', in: 'header', name } } });
    expect(breakingChanges(scheme('x-api-key'), scheme('x-key'))).toEqual([
      'The security scheme key was removed or changed',
    ]);
  });
});

describe('the compatibility of OAuth and of addresses', () => {
  const flow = { tokenUrl: '/token', scopes: { 'a:read': 'Read', 'b:read': 'Read' } };
  const oauth = (flows: Json) => documentOf({}, { securitySchemes: { oauth2: { type: 'oauth2', flows } } });

  it.each<[string, Json, string]>([
    ['a removed flow', { password: flow }, 'the flow clientCredentials was removed'],
    ['another token URL', { clientCredentials: { ...flow, tokenUrl: '/t' } }, 'tokenUrl /token became /t'],
    ['a removed scope', { clientCredentials: { ...flow, scopes: { 'a:read': 'A' } } }, 'the scope b:read was removed'],
  ])('%s', (...[, flows, change]) => {
    expect(breakingChanges(oauth({ clientCredentials: flow }), oauth(flows))).toEqual([
      `The security scheme oauth2: ${change}`,
    ]);
  });

  it('a removed server is reported', () => {
    const served = (...urls: string[]) => ({ ...documentOf({}), servers: urls.map((url) => ({ url })) });
    expect(breakingChanges(served('/'), served('/', '/eu'))).toEqual([]);
    expect(breakingChanges(documentOf({}), served('/api'))).toEqual(['The server / was removed']);
  });
});

describe('the compatibility of parameters', () => {
  const limit = { in: 'query', name: 'limit', schema: { type: 'integer', maximum: 100 } };
  const found = (before: Json[], after: Json[]) =>
    breakingChanges(documentOf({ parameters: before }), documentOf({ parameters: after }));

  it.each<[string, Json[], Json[], string[]]>([
    ['a removed parameter', [limit], [], [': the query parameter limit was removed']],
    ['a new optional parameter', [], [limit], []],
    [
      'a new required parameter',
      [],
      [{ ...limit, required: true }],
      [': the query parameter limit was added and is required'],
    ],
    ['a required parameter', [limit], [{ ...limit, required: true }], [', query parameter limit: it is now required']],
    ['an optional parameter', [{ ...limit, required: true }], [limit], []],
    [
      'a narrower parameter',
      [limit],
      [{ ...limit, schema: { type: 'integer', maximum: 50 } }],
      [', query parameter limit: $: maximum 100 became 50'],
    ],
    [
      'another form of lists',
      [limit],
      [{ ...limit, explode: false }],
      [', query parameter limit: explode changed, so that lists are written differently'],
    ],
    [
      'another case of a header',
      [{ ...limit, in: 'header', name: 'If-Match' }],
      [{ ...limit, in: 'header', name: 'if-match' }],
      [],
    ],
  ])('%s', (...[, before, after, expected]) => {
    expect(found(before, after)).toEqual(expected.map((sentence) => `POST /tours${sentence}`));
  });

  it('a parameter of the components and of the path is compared, and reported at its first operation only', () => {
    const item = (maximum: number) => ({
      paths: Object.fromEntries(
        ['/a', '/b'].map((path) => [path, { parameters: [{ $ref: '#/components/parameters/Limit' }], get: {} }]),
      ),
      components: { parameters: { Limit: { ...limit, schema: { type: 'integer', maximum } } } },
    });
    expect(breakingChanges(item(100), item(50))).toEqual(['GET /a, query parameter limit: $: maximum 100 became 50']);
  });
});

describe('references of the compared documents', () => {
  const reference = (name: string) => ({ $ref: `#/components/schemas/${name}` });
  const schemas = (Tour: Json) => ({ schemas: { Tour, Old: Tour } });

  it('a referenced schema is compared by its content, not by its name, and in each direction', () => {
    const [before, after] = [schemas({ maxLength: 2, enum: ['a'] }), schemas({ maxLength: 1, enum: ['a', 'b'] })];
    expect(breakingChanges(taking(reference('Tour'), before), taking(reference('Old'), after))).toEqual(
      at('request body', '$: maxLength 2 became 1'),
    );
    expect(breakingChanges(answering(reference('Tour'), before), answering(reference('Tour'), after))).toEqual(
      at('response 200', '$: the value b was added'),
    );
  });

  it('a reference is the same as one in allOf with a description, and as its schema', () => {
    const components = schemas(member({ type: 'string' }));
    const wrapped = { allOf: [reference('Tour')], description: 'The tour' };
    expect(breakingChanges(taking(reference('Tour'), components), taking(wrapped, components))).toEqual([]);
    expect(breakingChanges(taking(wrapped, components), taking(member({ type: 'string' }), {}))).toEqual([]);
  });

  it('the parts of allOf are compared together', () => {
    const parts = (more: Json) => ({ allOf: [member({ maxLength: 2 }), object({ day: {} }, more)] });
    expect(breakingChanges(taking(parts({})), taking(parts({ required: ['day'] })))).toEqual(
      at('request body', '$: the property day is now required'),
    );
  });

  it('a schema that contains itself is compared once', () => {
    const tree = (maxLength: number) => ({
      schemas: { Tour: object({ name: { maxLength }, parts: { type: 'array', items: reference('Tour') } }) },
    });
    expect(breakingChanges(taking(reference('Tour'), tree(2)), taking(reference('Tour'), tree(1)))).toEqual(
      at('request body', '$.name: maxLength 2 became 1'),
    );
  });

  it('a response of the components is compared', () => {
    const components = (schema: Json) => ({ responses: { Tour: { content: content(schema) } } });
    const operation = { responses: { 200: { $ref: '#/components/responses/Tour' } } };
    expect(
      breakingChanges(documentOf(operation, components(member({}))), documentOf(operation, components(object({})))),
    ).toEqual(at('response 200', '$: the property name was removed'));
  });

  it('a reference without a target is an error', () => {
    expect(() => breakingChanges(taking(reference('Lost')), taking({}))).toThrow(
      'The API document has no #/components/schemas/Lost',
    );
  });
});
