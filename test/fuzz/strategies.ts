import { recordMutation, type Draft } from './draft.js';
import { faultInPath, faultInQuery } from './fault-in-address.js';
import { faultInBytes } from './fault-in-bytes.js';
import { faultyMember, hostileMember, otherShape, otherValues } from './fault-in-body.js';
import { faultInForm } from './fault-in-form.js';
import { faultInHeaders } from './fault-in-headers.js';
import { faultInHttp } from './fault-in-http.js';
import type { Random } from './random.js';
import type { Document } from './schema.js';

type Strategy = keyof ReturnType<typeof weightsOf>;

/** Changes the request in one way, sometimes in two; the random numbers alone determine the changes. */
export function change(draft: Draft, random: Random, document: Document): void {
  const weights = weightsOf(draft, document);
  apply(random.weighted(weights), { draft, random, document });
  if (!random.chance(0.12)) return;
  apply(random.weighted(weights), { draft, random, document });
  // One fault may hide or revert the other.
  draft.expected = 'any';
}

function weightsOf({ operation, parameters, query }: Draft, document: Document) {
  const inBody = document.bodyOf(operation) === null ? 0 : 1;
  const isWrite = ['POST', 'PUT', 'PATCH', 'DELETE'].includes(operation.method);
  const hasForm = operation.requestBody?.content['application/x-www-form-urlencoded'] !== undefined;
  const hasPath = Object.keys(parameters).length > 0;
  const hasQuery = operation.parameters?.some((parameter) => parameter.in === 'query') ?? false;
  return {
    none: query.length === 0 ? 2 : 0,
    otherValues: 20 * inBody,
    faultyMember: 20 * inBody,
    hostileMember: 25 * inBody,
    otherShape: isWrite ? 10 : 0,
    bytes: isWrite ? 8 : 0,
    form: hasForm ? 20 : 0,
    path: hasPath ? 10 : 3,
    query: hasQuery ? 30 : 3,
    headers: 9,
    http: 5,
  };
}

function apply(
  strategy: Strategy,
  { draft, random, document }: { draft: Draft; random: Random; document: Document },
): void {
  const body = document.bodyOf(draft.operation);
  const schema = body?.schema ?? {};
  const place = { draft, schema, random, document };
  switch (strategy) {
    case 'none':
      return recordMutation(draft, 'nothing changed');
    case 'otherValues':
      return otherValues(place);
    case 'faultyMember':
      return faultyMember(place);
    case 'hostileMember':
      return hostileMember(place);
    case 'otherShape':
      return otherShape(place);
    case 'bytes':
      return faultInBytes(draft, random);
    case 'form':
      return faultInForm(draft, random);
    case 'path':
      return faultInPath(draft, random);
    case 'query':
      return faultInQuery(draft, random, document);
    case 'headers':
      return faultInHeaders(draft, random);
    case 'http':
      return faultInHttp(draft, random);
  }
}
