import { gzipSync } from 'node:zlib';
import type { Placed } from '../../contract/served-document.js';
import { draftOf } from '../../fuzz/draft.js';
import { exampleBody, exampleParameters } from '../../fuzz/example.js';
import { isObject, type Json, Raw, textOf, withMember } from '../../fuzz/json.js';
import type { Document } from '../../fuzz/schema.js';
import { type Encoding, withText } from './body-shapes.js';
import type { RequestCase } from './cost-meter.js';
import { arrayOf, filled } from './texts.js';

/** Requests that blocked a service of an earlier commit for seconds, as they were observed. */
export function observedAttacks(operations: readonly Placed[], document: Document): RequestCase[] {
  const at = (name: string): Placed => {
    const found = operations.find(({ method, path }) => `${method} ${path}` === name);
    if (!found) throw new Error(`${name} is not in the document`);
    return found;
  };
  const member = (name: string, place: string, [value, encoding]: [Json, Encoding]): RequestCase => {
    const operation = at(name);
    return {
      operation: operation.operationId,
      shape: `observed attack: ${place}, ${encoding}`,
      draft: (unique) => {
        const example = exampleBody(operation, document, unique) ?? {};
        const body = isObject(example) ? withMember(example, place, value) : example;
        return withText(draftOf(operation, exampleParameters(operation), undefined), textOf(body), encoding);
      },
    };
  };
  const zeros = new Raw(`1.${'0'.repeat(60_000)}1e5`);
  const search = 'POST /v1/public/catalog/search';
  const objects = arrayOf(20_000, () => '{}');
  const scopes = arrayOf(48_000, (index) => `"connect:a${index}:r"`);
  const cases = [
    ...(['plain', 'gzip'] as const).flatMap((encoding) => [
      member(search, 'limit', [zeros, encoding]),
      member(search, 'facets', [objects, encoding]),
      member(search, 'filters', [objects, encoding]),
      member('POST /v1/admin/identity/api-tokens', 'scopes', [scopes, encoding]),
      member('POST /connect/v1/operators/{operatorId}/grants', 'scopes', [scopes, encoding]),
      member('POST /connect/v1/operators/{operatorId}/oauth-clients', 'scopes', [scopes, encoding]),
      member('POST /v1/admin/finance/invoices', 'lines', [objects, encoding]),
      member('POST /v1/admin/finance/supplier-invoices', 'lines', [objects, encoding]),
      member('POST /v1/admin/finance/supplier-invoices', 'totalCents', [zeros, encoding]),
    ]),
    member(search, 'query', [filled('\ufdfa', 6_000), 'plain']),
  ];
  return [...cases, ...cases.map(withoutCredential), ...unknownRoutes(at(search), zeros)];
}

/** Paths below the health checks were not counted by any limit. */
function unknownRoutes(operation: Placed, zeros: Json): RequestCase[] {
  const bodies = [
    ['a literal of zeros', textOf({ a: zeros })],
    ['62 kB of gzip', `{"a":"${'x'.repeat(1_000_000)}"}`],
    ['a gzip bomb', `{"a":"${'x'.repeat(60_000_000)}"}`],
  ] as const;
  return bodies.map(([name, text]) => {
    const bytes = gzipSync(text);
    return {
      operation: '/health/x',
      shape: `observed attack: ${name}`,
      draft: () => {
        const draft = draftOf(operation, {}, undefined);
        draft.headers.push(['Content-Encoding', 'gzip']);
        return Object.assign(draft, { target: '/health/x', bearer: 'none', bytes });
      },
    };
  });
}

/** The request without a credential. */
export function withoutCredential(request: RequestCase): RequestCase {
  return { ...request, draft: (unique) => Object.assign(request.draft(unique), { bearer: 'none' }) };
}
