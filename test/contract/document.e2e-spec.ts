import { beforeAll, describe, expect, it } from '@jest/globals';
import type { Router } from 'express';
import { readdirSync, readFileSync } from 'node:fs';
import { brotliCompressSync, constants } from 'node:zlib';
import { MAX_ARRAY_ELEMENTS, MAX_STRING_CHARACTERS } from '../../src/platform/validation/json-scan.js';
import { startApp, type TestApp } from '../setup/app.js';
import { operationsOf, type Placed, readDocument, type Schema, type ServedDocument } from './served-document.js';

/** The operations that the specification names and this version has, verbatim. */
const SPECIFIED = [
  'GET /v1/public/legal/contracts/{id}',
  'POST /v1/admin/finance/supplier-invoices',
  'POST /v1/admin/distribution/channels',
  'POST /connect/v1/oauth/token',
  'POST /connect/v1/operators/{operatorId}/oauth-clients',
  'DELETE /connect/v1/operators/{operatorId}/oauth-clients/{clientId}',
  'PATCH /connect/v1/connector-providers/{providerKey}',
  'POST /vault/v1/{vaultSlug}/encrypt',
  'GET /realtime/v1/channels/{channel}/messages',
  'GET /data/geo/v1/reference/languages',
];

const REVOKING = {
  400: 'OAuthClientInvalidRequest',
  401: 'OAuthClientUnauthorized',
  403: 'OAuthClientForbidden',
  404: 'OAuthClientNotFound',
  429: 'OAuthClientRateLimited',
};
/** The six surfaces and five error bodies of the specification, each with its own schema. */
const OWN_BODIES: Record<string, Record<string, string>> = {
  'POST /connect/v1/operators/{operatorId}/oauth-clients': { ...REVOKING, 409: 'OAuthClientConflict' },
  'DELETE /connect/v1/operators/{operatorId}/oauth-clients/{clientId}': REVOKING,
};

/** Their forms may have other fields. */
const PAGES = [
  '/v1/public/legal/contract-pages/{token}',
  '/v1/public/notifications/unsubscriptions/{token}',
  '/v1/public/operations/waiting-offers/{token}',
];

let app: TestApp;
let document: ServedDocument;
let operations: Placed[];

beforeAll(async () => {
  app = await startApp();
  document = await readDocument(app);
  operations = operationsOf(document);
});

/** Browsers and generators of clients accept Brotli, with which the service compresses the document. */
const AS_SERVED = { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } };

/** Parameters that select the format of a response, not its rows. */
const NO_FILTERS = ['sort', 'format', 'basis', 'groupBy'];

/** `<resource>_<verb>` is the method name in client libraries. */
const OPERATION_ID = new RegExp(
  `^[a-z][A-Za-z]+_(${[
    'list|get|create|update|put|replace|delete|remove|add|record|request|preview|resolve|download|export|follow|publish|search',
    'assign|check|reveal|approve|void|reopen|issue|dispatch|withdraw|deliver|redraw|recalculate|correct|confirm|cancel|reinstate|complete|fail|reverse|settle|close',
    'file|retire|archive|merge|release|reclaim|allocate|deallocate|guarantee|open|book|reserve|price|abandon|retry|lift|simulate|compose',
    'encrypt|decrypt|rewrap|rotate|schedule|revoke|introspect|verify|reindex|end|reauthenticate|change|accept|resend|setUp|activate',
    'pay|write|copy|pause|resume|plan|execute|redeem|upload|sign|answer|send|replay',
  ].join('|')})[A-Za-z]*$`,
);

const nameOf = ({ method, path }: Placed) => `${method} ${path}`;

describe('the API document', () => {
  it('the API document contains the operations of the specification at their exact paths', () => {
    expect(operations.map(nameOf)).toEqual(expect.arrayContaining(SPECIFIED));
  });

  it('the API document contains exactly the routes of the router, except health, the document itself and those of the OCTO standard', () => {
    const { stack } = (app.nest.getHttpAdapter().getInstance() as { router: Router }).router;
    const routed = stack.flatMap(({ route }) =>
      route ? route.stack.map(({ method }) => `${method.toUpperCase()} ${route.path.replace(/:(\w+)/g, '{$1}')}`) : [],
    );
    const own = routed.filter((name) => !/ \/($|(health|metrics|docs|reference|openapi\.json|octo))/.test(name));
    expect([...new Set(own)].sort()).toEqual(operations.map(nameOf).sort());
  });

  it.each(['gzip', 'br', 'identity'])(
    'the API document is sent in %s with an ETag of its own, and 304 to a client that has it',
    async (encoding) => {
      const request = (more: object = {}) =>
        app.request('HEAD', '/openapi.json', { headers: { 'Accept-Encoding': encoding, ...more } });
      const { status, headers } = await request();
      const again = await request({ 'If-None-Match': headers['etag'] });
      const other = await request({ 'If-None-Match': '"another"' });
      expect(headers['etag']).toMatch(new RegExp(`^"[\\w-]{43}-${encoding}"$`));
      expect(headers['content-encoding'] ?? 'identity').toBe(encoding);
      for (const answer of [headers, again.headers]) expect(answer['vary']).toContain('Accept-Encoding');
      expect([status, again.status, again.text, other.status]).toEqual([200, 304, '', 200]);
    },
  );

  it('the API document is the same document in every encoding', async () => {
    const texts = ['gzip', 'br', 'identity'].map(async (encoding) => {
      const answer = await fetch(new URL('/openapi.json', app.url), { headers: { 'Accept-Encoding': encoding } });
      return answer.text();
    });
    const [gzip, br, identity] = await Promise.all(texts);
    expect([gzip, br]).toEqual([identity, identity]);
  });

  it('the API document repeats no error, header or parameter inline', async () => {
    const { paths } = (await app.get<ServedDocument>('/openapi.json')).body;
    const inline = Object.values(paths).flatMap((item) =>
      Object.values(item).flatMap(({ parameters = [], responses }) => [
        ...parameters,
        ...Object.values(responses).flatMap(({ headers = {} }) => Object.values(headers)),
        ...Object.entries(responses).flatMap(([status, response]) => (Number(status) >= 300 ? [response] : [])),
      ]),
    );
    const texts = inline.filter((part) => !('$ref' in part)).map((part) => JSON.stringify(part));
    expect(texts.filter((text, index) => texts.indexOf(text) !== index)).toEqual([]);
  });

  it('the API document states for each DELETE whether it returns a resource in `data`, a bare one of connect, or `success`', () => {
    const deletions = operations.filter(({ method }) => method === 'DELETE');
    const wrong = deletions.filter(({ path, description = '', responses }) => {
      const name = responses['200']?.content?.['application/json']?.schema?.$ref?.split('/').pop() ?? '';
      if (name === 'Deleted') return !description.includes('Returns only `success`');
      const resource = path.startsWith('/connect/') ? 'id' : 'data';
      const members = Object.keys(document.components.schemas[name]?.properties ?? {});
      return !members.includes(resource) || !/\breturns (it|the|its)\b/i.test(description);
    });
    expect(wrong.map(nameOf)).toEqual([]);
    expect(deletions.length).toBeGreaterThan(10);
  });

  it('the API document names no shared parameter with a number', () => {
    const names = Object.keys(document.components.parameters ?? {});
    expect(names.filter((name) => /\d$/.test(name))).toEqual([]);
  });

  it('the API document states a list of values that several properties or parameters have as one schema', () => {
    const places = new Map<string, string[]>();
    const look = (schema: Schema, place: string) => {
      const { enum: values = [], items, properties = {}, allOf = [] } = schema;
      const key = JSON.stringify(values.toSorted());
      if (values.length > 1) places.set(key, [...(places.get(key) ?? []), place]);
      for (const part of [...(items ? [items] : []), ...allOf]) look(part, place);
      for (const [name, member] of Object.entries(properties)) look(member, `${place}.${name}`);
    };
    for (const [name, schema] of Object.entries(document.components.schemas)) look(schema, name);
    for (const operation of operations) {
      for (const { name, schema } of operation.parameters ?? []) look(schema, `${nameOf(operation)} ${name}`);
    }
    const repeated = [...places.values()].filter((found) => found.length > 1);
    // Lists with the same values but different meanings have different names.
    const inline = repeated.filter((found) => found.some((place) => /[ .]/.test(place)));
    expect(inline).toEqual([]);
  });

  it('the API document names every list of values', () => {
    const inline: string[] = [];
    const look = (node: unknown, place: string) => {
      if (typeof node !== 'object' || node === null) return;
      const isNamed = /^\.components\.schemas\.[^.]+$/.test(place);
      if ('enum' in node && Array.isArray(node.enum) && node.enum.length > 1 && !isNamed) inline.push(place);
      for (const [name, member] of Object.entries(node))
        if (!/^examples?$/.test(name)) look(member, `${place}.${name}`);
    };
    const { headers: _, ...components } = { headers: {}, ...document.components };
    look({ paths: document.paths, components }, '');
    expect(inline).toEqual([]);
  });

  it('the API document states the default of a request member that its description names', () => {
    const { CreateChannel, CreateTaxCode, UpdateTaxCode } = document.components.schemas;
    expect([CreateChannel?.properties?.['kind'], CreateTaxCode?.properties?.['active']]).toMatchObject([
      { default: 'reseller' },
      { default: true },
    ]);
    expect(UpdateTaxCode?.properties?.['active']).not.toHaveProperty('default');
    const limits = operations.flatMap(({ parameters = [] }) => parameters.filter(({ name }) => name === 'limit'));
    expect(limits.filter(({ schema }) => !('default' in schema))).toEqual([]);
    const sorts = operations.flatMap(({ operationId, parameters = [] }) =>
      parameters.filter(({ name, schema }) => name === 'sort' && !('default' in schema)).map(() => operationId),
    );
    expect(sorts).toEqual([]);
  });

  it('a staff list takes several values, separated by commas, for each filter by a list of values', () => {
    const valuesOf = (schema: Schema): unknown[] =>
      resolved(schema).enum ?? (schema.allOf ?? []).flatMap((part) => resolved(part).enum ?? []);
    const lists = operations.filter(({ method, path, responses }) => {
      const answer = resolved(responses['200']?.content?.['application/json']?.schema ?? {}).properties ?? {};
      return method === 'GET' && path.startsWith('/v1/admin/') && resolved(answer['data'] ?? {}).type === 'array';
    });
    const filters = lists.flatMap((operation) =>
      (operation.parameters ?? [])
        .filter(({ in: place, name }) => place === 'query' && !NO_FILTERS.includes(name))
        .map((parameter) => ({ ...parameter, place: `${nameOf(operation)} ${parameter.name}` })),
    );
    const single = filters.filter(({ schema }) => valuesOf(schema).length > 0);
    expect(single.map(({ place }) => place)).toEqual([]);
    const several = filters.filter(({ schema }) => schema.type === 'array');
    expect(several.length).toBeGreaterThan(40);
    const otherwise = several.filter(({ style, explode, schema }) => {
      const { length } = valuesOf(schema.items ?? {});
      return style !== 'form' || explode !== false || length === 0 || schema.maxItems !== length;
    });
    expect(otherwise.map(({ place }) => place)).toEqual([]);
  });

  it('the document of a surface has its operations, and every component that they need but no other', async () => {
    let count = 0;
    for (const surface of ['storefront', 'staff', 'connect', 'vault', 'realtime', 'data']) {
      const { body, headers } = await app.get<ServedDocument>(`/openapi.json?surface=${surface}`);
      count += Object.values(body.paths).flatMap((item) => Object.keys(item)).length;
      const text = JSON.stringify(body);
      const referenced = new Set([...text.matchAll(/"#\/components\/([^"]+)"/g)].map(([, name]) => name));
      const present = Object.entries(body.components)
        .filter(([section]) => section !== 'securitySchemes')
        .flatMap(([section, parts]) => Object.keys(parts).map((name) => `${section}/${name}`));
      expect([surface, present.sort()]).toEqual([surface, [...referenced].sort()]);
      expect(headers['content-type']).toMatch(/json/);
      expect(brotliCompressSync(text, AS_SERVED).length).toBeLessThan(226_000);
    }
    expect(count).toBe(operations.length);
    const unknown = await app.get<{ details: { issues: object[] } }>('/openapi.json?surface=shop');
    expect([unknown.status, unknown.body.details.issues]).toMatchObject([
      400,
      [{ path: 'surface', code: 'unknown_value' }],
    ]);
  });

  it('the API document gives every operation an own id, a summary of one line and its security', () => {
    const ids = operations.map(({ operationId }) => operationId);
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids.filter((id) => !OPERATION_ID.test(id))).toEqual([]);
    const resources = [...new Set(ids.map((id) => id.split('_', 1)[0] ?? ''))];
    expect(new Set(resources.map((name) => name.toLowerCase())).size).toBe(resources.length);
    const poor = operations.filter(({ summary, security }) => !summary || /\n/.test(summary) || security === undefined);
    expect(poor.map(nameOf)).toEqual([]);
  });

  it('the API document gives every operation exactly one tag of at most 45, each described and in use', () => {
    const known = document.tags.map(({ name }) => name);
    const used = operations.map(({ tags }) => tags?.join() ?? '');
    expect([...new Set(used)].sort()).toEqual([...known].sort());
    expect(new Set(known).size).toBe(known.length);
    expect(known.length).toBeLessThanOrEqual(45);
    expect(document.tags.filter(({ description }) => description.length < 20)).toEqual([]);
  });

  it('the API document gives every path parameter and every request body an example', () => {
    const poor = operations.flatMap((operation) => {
      const parameters = (operation.parameters ?? []).filter((parameter) => parameter.in === 'path');
      const unexemplified = parameters.filter(({ example, schema }) => (example ?? schema.example) === undefined);
      const contents = Object.entries(operation.requestBody?.content ?? {});
      const bodies = contents.filter(([type]) => !type.startsWith('image/')).map(([, media]) => media);
      const bodiless = bodies.filter(({ example, examples }) => example === undefined && examples === undefined);
      return [
        ...unexemplified.map(({ name }) => `${nameOf(operation)} ${name}`),
        ...bodiless.map(() => nameOf(operation)),
      ];
    });
    expect(poor).toEqual([]);
  });

  it('the API document states every error status in the body of its surface', () => {
    const shapeOf = ({ path }: Placed) => {
      if (path.startsWith('/connect/v1/oauth/')) return 'OAuthError';
      if (path.startsWith('/vault/') || path.startsWith('/realtime/')) return 'PlainError';
      return path.startsWith('/data/') ? 'DataError' : 'TradeError';
    };
    const wrong = operations.flatMap((operation) => {
      const expected = `#/components/schemas/${shapeOf(operation)}`;
      const errors = Object.entries(operation.responses).filter(([status]) => Number(status) >= 400);
      const missing = ['400', '404', '429', '500', '503'].filter((status) => !(status in operation.responses));
      const other = errors.filter(([status, { content }]) => {
        const own = OWN_BODIES[nameOf(operation)]?.[status];
        const schema = content?.['application/json']?.schema;
        const reference = schema?.$ref ?? schema?.allOf?.[0]?.$ref;
        return reference !== (own ? `#/components/schemas/${own}` : expected);
      });
      return [...missing, ...other.map(([status]) => status)].map((status) => `${nameOf(operation)} ${status}`);
    });
    expect(wrong).toEqual([]);
  });

  it('the API document lists the codes of every error that has one, and only codes that the sources throw', () => {
    const sources = readdirSync('src', { recursive: true, encoding: 'utf8' })
      .filter((file) => /(?<!\.spec|\.controller)\.ts$/.test(file) && !file.includes('platform/openapi/'))
      .map((file) => readFileSync(`src/${file}`, 'utf8'))
      .join('\n');
    const wrong = operations.flatMap((operation) => {
      const isPlain = /^\/(vault|realtime)\//.test(operation.path);
      const errors = Object.entries(operation.responses).filter(([status]) => /^4|503/.test(status));
      return errors.flatMap(([status, { content }]) => {
        const schema = content?.['application/json']?.schema;
        const named = schema?.allOf?.[1]?.properties?.['code']?.$ref?.split('/').pop() ?? '';
        const codes = document.components.schemas[named]?.enum;
        if (!codes) return isPlain || OWN_BODIES[nameOf(operation)]?.[status] ? [] : [`${nameOf(operation)} ${status}`];
        const unknown = codes.filter((code) => !sources.includes(`'${String(code).toLowerCase()}'`));
        return unknown.map((code) => `${nameOf(operation)} ${status} ${String(code)}`);
      });
    });
    expect(wrong).toEqual([]);
  });

  it('the API document bounds every string, array and integer', () => {
    const unbounded: string[] = [];
    for (const [name, schema] of Object.entries(document.components.schemas)) findUnbounded(schema, name, unbounded);
    for (const operation of operations) {
      for (const { name, schema } of operation.parameters ?? []) {
        findUnbounded(schema, `${nameOf(operation)} ${name}`, unbounded);
      }
    }
    expect(unbounded).toEqual([]);
  });

  it('the API document allows nothing in a request body that exceeds a limit of the JSON scanner', () => {
    const schemas = Object.entries(bodySchemas()).flatMap(([name, schema]) => schemasIn(schema, name));
    const beyond = schemas.filter(
      ({ maxItems = 0, maxLength = 0 }) => maxItems > MAX_ARRAY_ELEMENTS || maxLength > MAX_STRING_CHARACTERS,
    );
    const unlimited = schemas.filter(
      ({ type, maxItems, maxLength, enum: values, allOf, format = '' }) =>
        (type === 'array' && maxItems === undefined) ||
        (type === 'string' && (maxLength ?? values ?? allOf) === undefined && !/^(date|binary)/.test(format)),
    );
    expect([...beyond, ...unlimited].map(({ place }) => place)).toEqual([]);
    expect(schemas.map(({ maxLength = 0 }) => maxLength)).toContain(MAX_STRING_CHARACTERS);
  });

  it('the API document allows a request body at most 2,000 objects with a class, because each is validated separately', () => {
    const counts = Object.entries(bodySchemas()).map(([name, schema]) => ({ name, objects: objectsIn(schema) }));
    // The body itself is one more.
    expect(counts.filter(({ objects }) => !(objects <= 2_001))).toEqual([]);
    expect(Math.max(...counts.map(({ objects }) => objects))).toBeGreaterThanOrEqual(501);
  });

  it('the API document closes every request body to unknown members, except the forms of pages and those in which RFC 6749 ignores them', () => {
    const isOpen = (path: string) => path.startsWith('/connect/v1/oauth/') || PAGES.includes(path);
    const closed = operations.filter(({ path }) => !isOpen(path));
    const open = closed.flatMap((operation) =>
      Object.values(operation.requestBody?.content ?? {}).flatMap(({ schema }) => {
        const target = schema?.$ref ? document.components.schemas[schema.$ref.split('/').pop() ?? ''] : schema;
        return target?.additionalProperties === false || target?.format === 'binary' ? [] : [nameOf(operation)];
      }),
    );
    expect(open).toEqual([]);
  });
});

/** The schemas of all request bodies, by operation. */
function bodySchemas(): Record<string, Schema> {
  const bodies = operations.flatMap((operation) =>
    Object.values(operation.requestBody?.content ?? {}).map(({ schema }) => [nameOf(operation), schema ?? {}] as const),
  );
  return Object.fromEntries(bodies);
}

function resolved({ $ref, ...schema }: Schema): Schema {
  return $ref === undefined ? schema : (document.components.schemas[$ref.split('/').pop() ?? ''] ?? {});
}

/** The schema and all schemas inside it, references included. */
function schemasIn(schema: Schema, place: string): (Schema & { place: string })[] {
  const { properties = {}, items, allOf = [], oneOf = [], anyOf = [], ...own } = resolved(schema);
  return [
    { ...own, ...(allOf.length > 0 ? { allOf } : {}), place },
    ...Object.entries(properties).flatMap(([name, member]) => schemasIn(member, `${place}.${name}`)),
    ...(items ? schemasIn(items, `${place}[]`) : []),
    ...[...allOf, ...oneOf, ...anyOf].flatMap((part) => schemasIn(part, place)),
  ];
}

/** Returns the maximum number of objects with members in a value of the schema. */
function objectsIn(schema: Schema): number {
  const { properties, items, maxItems = Infinity, allOf = [], oneOf = [], anyOf = [] } = resolved(schema);
  const members = Object.values(properties ?? {}).map(objectsIn);
  const parts = [...allOf, ...oneOf, ...anyOf].map(objectsIn);
  const elements = items ? objectsIn(items) : 0;
  const inList = elements === 0 ? 0 : elements * maxItems;
  return [properties ? 1 : 0, inList, ...members, ...parts].reduce((sum, count) => sum + count, 0);
}

function findUnbounded(schema: Schema, place: string, unbounded: string[]): void {
  const { type, enum: values, format } = schema;
  // A nullable list of values is a type beside a reference to the list.
  const isFixed = values !== undefined || schema.allOf !== undefined || ['date', 'date-time'].includes(format ?? '');
  if (type === 'string' && !isFixed && schema.maxLength === undefined) unbounded.push(place);
  if (type === 'array' && schema.maxItems === undefined) unbounded.push(place);
  // Only degrees have fractions: a fractional amount would have been rounded.
  if (type === 'number' && !/\.(latitude|longitude)$/.test(place)) unbounded.push(`${place} (number)`);
  if (['integer', 'number'].includes(type ?? '') && (schema.minimum === undefined || schema.maximum === undefined))
    unbounded.push(place);
  const members = Object.entries(schema.properties ?? {});
  for (const [name, member] of members) findUnbounded(member, `${place}.${name}`, unbounded);
  const parts = [...(schema.allOf ?? []), ...(schema.oneOf ?? []), ...(schema.anyOf ?? [])];
  for (const part of parts) findUnbounded(part, place, unbounded);
  if (schema.items) findUnbounded(schema.items, `${place}[]`, unbounded);
  if (typeof schema.additionalProperties === 'object')
    findUnbounded(schema.additionalProperties, `${place}.*`, unbounded);
}
