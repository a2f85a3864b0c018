import { errorShapeOf } from '../http/surface.js';
import type { Route } from '../http/routes.js';
import { errorExample, errorReference } from './error-schemas.js';
import type { Refusals } from './errors.js';
import type { OperationObject, ResponseObject, ResponsesObject } from './types.js';

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
export function completeOperation(operation: OperationObject, route: Route): void {
  const { access } = route;
  operation.security = access.isPublic ? [] : [{ bearer: [] }];
  if (access.scope) {
    Object.assign(operation, { 'x-required-scope': access.scope });
    operation.description = [operation.description, `Scope: \`${access.scope}\`.`].filter(Boolean).join(' ');
  }
  if (route.mutation?.action) Object.assign(operation, { 'x-ledger-action': route.mutation.action });

  const successes = Object.entries(operation.responses as Record<string, ResponseObject>);
  for (const [status, response] of successes) {
    response.description ||= status === '201' ? 'Created' : 'Done';
    response.headers = { ...requestIdHeader, ...successHeaders(route, status), ...response.headers };
  }
  if (isSingleResource(route)) operation.responses['304'] ??= { description: 'Not changed', headers: requestIdHeader };
  Object.assign(operation.responses, errorResponses(operation, route));
}

/** Reading one thing of the staff or connect surface may be conditional: it has an ETag. */
function isSingleResource({ method, path, surface }: Route): boolean {
  return method === 'GET' && (surface === 'staff' || surface === 'connect') && /:\w+$/.test(path);
}

function successHeaders(route: Route, status: string): ResponseObject['headers'] {
  const text = (description: string, maxLength: number) => ({ description, schema: { type: 'string', maxLength } });
  return {
    ...(status === '201' ? { Location: text('Where the new thing is read', 500) } : {}),
    ...(isSingleResource(route) || route.mutation?.action ? { ETag: text('The version, for If-Match', 100) } : {}),
    ...(route.mutation?.action ? { 'Idempotent-Replayed': text('`true` on the answer of an earlier request', 4) } : {}),
  };
}

function errorResponses(operation: OperationObject, route: Route): ResponsesObject {
  const { refusals } = route;
  const shape = errorShapeOf(route.path.replace(/:\w+/g, 'x'));
  const hasBody = operation.requestBody !== undefined || ['POST', 'PUT', 'PATCH', 'DELETE'].includes(route.method);
  const headers = (operation.parameters ?? []).flatMap((parameter) => ('name' in parameter ? [parameter.name] : []));
  const statuses = [
    400,
    ...(route.access.isPublic && shape !== 'oauth' && refusals[403] === undefined ? [] : [401, 403]),
    404,
    ...(headers.includes('Idempotency-Key') ? [409, 422] : []),
    ...(headers.includes('If-Match') ? [412] : []),
    ...(hasBody ? [413, 415] : []),
    ...[429, 500, 503],
    ...Object.keys(refusals).map(Number),
  ];
  const entries = [...new Set(statuses)].sort().map((status): [string, ResponseObject] => {
    const codes = refusals[status as keyof Refusals] ?? [];
    const also = codes.length > 0 ? `: ${codes.join(', ')}` : '';
    return [
      String(status),
      {
        description: `${MEANINGS[status] ?? 'Refused'}${also}`,
        headers: requestIdHeader,
        content: {
          'application/json': { schema: errorReference(shape), example: errorExample(shape, status, codes[0]) },
        },
      },
    ];
  });
  return Object.fromEntries(entries);
}
