import type { Route } from '../http/routes.js';
import type { OperationObject, ReferenceObject, ResponseObject, SchemaObject } from './types.js';

type Schemas = Record<string, SchemaObject | ReferenceObject>;

/**
 * Recorded responses by operation: `GET /v1/admin/bookings/{bookingId}`. The name of a response that is not JSON ends in its
 * media type: `GET /v1/admin/action-ledger/entries/export text/csv`.
 */
export type ResponseExamples = Readonly<Record<string, unknown>>;

/**
 * Builds an example for each request body from its members' examples. Members without one are omitted: an invented
 * value would be rejected, and "Try it out" must succeed at once.
 */
export function exemplifyBody(operation: OperationObject, route: Route, schemas: Schemas): void {
  const { requestBody } = operation;
  if (!requestBody || '$ref' in requestBody) return;
  for (const [type, media] of Object.entries(requestBody.content)) {
    // The bytes of a file have no example in JSON.
    if (type.startsWith('image/')) continue;
    if (media.example === undefined && media.examples === undefined && media.schema) {
      media.example = route.bodyExample ?? exampleOf(media.schema, schemas) ?? {};
    }
  }
}

/** Shows the recorded responses of this operation at its responses. */
export function exemplifyResponses(operation: OperationObject, name: string, examples: ResponseExamples): void {
  const successes = Object.entries(operation.responses as Record<string, ResponseObject>).filter(([status]) =>
    status.startsWith('2'),
  );
  for (const [, { content = {} }] of successes) {
    for (const [type, media] of Object.entries(content)) {
      const example = examples[type.endsWith('json') ? name : `${name} ${type}`];
      if (example !== undefined) media.example ??= example;
    }
  }
}

function exampleOf(schema: SchemaObject | ReferenceObject, schemas: Schemas): unknown {
  const target = resolve(schema, schemas);
  if (!target) return undefined;
  const examples: unknown = target.examples;
  if (target.example !== undefined) return target.example;
  if (Array.isArray(examples)) return examples[0];
  if (target.type === 'array' && target.items) {
    const item = exampleOf(target.items, schemas);
    return item === undefined ? undefined : [item];
  }
  if (target.allOf?.[0]) return exampleOf(target.allOf[0], schemas);
  if (!target.properties) return undefined;
  const members = Object.entries(target.properties).map(
    ([name, member]) => [name, exampleOf(member, schemas)] as const,
  );
  const given = members.filter(([, example]) => example !== undefined);
  return given.length > 0 ? Object.fromEntries(given) : undefined;
}

function resolve(schema: SchemaObject | ReferenceObject, schemas: Schemas): SchemaObject | null {
  if (!('$ref' in schema)) return schema;
  const target = schemas[schema.$ref.split('/').pop() ?? ''];
  return target ? resolve(target, schemas) : null;
}
