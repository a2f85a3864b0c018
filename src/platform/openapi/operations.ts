import { errorShapeOf } from '../http/surface.js';
import type { Route } from '../http/routes.js';
import { errorCodesOf } from './error-codes.js';
import { errorExample, errorSchema } from './error-schemas.js';
import type {
  OperationObject,
  ReferenceObject,
  ResponseObject,
  ResponsesObject,
  SchemaObject,
  Schemas,
} from './types.js';

const MEANINGS: Record<number, string> = {
  400: 'What was sent is not understood',
  401: 'No valid credential',
  403: 'The credential lacks the scope',
  404: 'Not found',
  409: 'The state of things forbids it',
  410: 'It is gone',
  412: 'The resource has changed since it was read',
  413: 'The body is too large',
  415: 'The body is not JSON in UTF-8',
  422: 'It does not add up, or the Idempotency-Key belongs to another request',
  429: 'Too many requests',
  500: 'Unexpected; the request id identifies it',
  503: 'Something that the service depends on is away',
};

const requestIdHeader = {
  'X-Request-Id': {
    description: 'Identifies the request; echoed if the client sent a harmless one',
    required: true,
    schema: { type: 'string', minLength: 8, maxLength: 128 },
  },
};

/** Completes an operation with what follows from how its route is declared: security, headers, every error status. */
export function completeOperation(operation: OperationObject, route: Route, schemas: Schemas): void {
  const { access, mutation } = route;
  operation.security = securityOf(route);
  const right = access.isPublic
    ? 'Open to everybody.'
    : access.scope
      ? `Scope: \`${access.scope}\`.`
      : 'Any credential of the surface.';
  operation.description = [operation.description, right].filter(Boolean).join(' ');
  if (access.scope) Object.assign(operation, { 'x-required-scope': access.scope });
  if (mutation?.action) Object.assign(operation, { 'x-ledger-action': mutation.action });

  const successes = Object.entries(operation.responses as Record<string, ResponseObject>);
  for (const [status, response] of successes) {
    response.description ||= status === '201' ? 'Created' : 'Done';
    const versioned = isVersioned(response, schemas);
    response.headers = { ...requestIdHeader, ...successHeaders(route, { status, versioned }), ...response.headers };
    if (versioned && route.method === 'GET') {
      operation.responses['304'] ??= { description: 'Not changed', headers: requestIdHeader };
    }
  }
  Object.assign(operation.responses, errorResponses(operation, route));
}

/** Staff may send their token in either header. */
function securityOf({ access, surface }: Route): OperationObject['security'] {
  if (access.isPublic) return [];
  return surface === 'staff' ? [{ bearer: [] }, { apiKey: [] }] : [{ bearer: [] }];
}

/** Whether the answer is one resource with a version, bare or in `data`: then it has an ETag. */
function isVersioned(response: ResponseObject, schemas: Schemas): boolean {
  const body = resolve(response.content?.['application/json']?.schema, schemas);
  const data = resolve(body?.properties?.['data'], schemas);
  return (data ?? body)?.properties?.['version'] !== undefined;
}

function resolve(schema: SchemaObject | ReferenceObject | undefined, schemas: Schemas): SchemaObject | null {
  if (!schema) return null;
  if (!('$ref' in schema)) return schema;
  return resolve(schemas[schema.$ref.split('/').pop() ?? ''], schemas);
}

function successHeaders(
  { access, mutation, surface }: Route,
  { status, versioned }: { status: string; versioned: boolean },
): ResponseObject['headers'] {
  const text = (description: string, maxLength: number) => ({ description, schema: { type: 'string', maxLength } });
  const hasLocation = status === '201' && (surface === 'staff' || surface === 'connect');
  return {
    ...(hasLocation ? { Location: text('Where the new thing is read', 500) } : {}),
    ...(versioned ? { ETag: text('The version, for If-Match', 100) } : {}),
    ...(mutation?.action ? { 'Idempotent-Replayed': text('`true` on the answer of an earlier request', 4) } : {}),
    ...(access.isPublic
      ? {}
      : {
          RateLimit: text('What is left, and seconds until all of it is back', 100),
          'RateLimit-Policy': text('The limit and its window in seconds', 100),
        }),
  };
}

function errorResponses(operation: OperationObject, route: Route): ResponsesObject {
  const { errorBodies } = route;
  const shape = errorShapeOf(route.path.replace(/:\w+/g, 'x'));
  const headers = (operation.parameters ?? []).flatMap((parameter) => ('name' in parameter ? [parameter.name] : []));
  const accepted = {
    body: operation.requestBody !== undefined || ['POST', 'PUT', 'PATCH', 'DELETE'].includes(route.method),
    idempotencyKey: headers.includes('Idempotency-Key'),
    ifMatch: headers.includes('If-Match'),
  };
  const entries = errorCodesOf(route, shape, accepted).map(({ status, own, codes }): [string, ResponseObject] => {
    const body = errorBodies[status];
    const schema = body ? { $ref: `#/components/schemas/${body.name}` } : errorSchema(shape, status, codes);
    const also = own.length > 0 ? `: ${own.join(', ')}` : '';
    return [
      String(status),
      {
        description: `${MEANINGS[status] ?? 'Refused'}${also}`,
        headers: requestIdHeader,
        content: { 'application/json': { schema, example: errorExample(shape, status, codes[0]) } },
      },
    ];
  });
  return Object.fromEntries(entries);
}
