import { requiresFreshProof } from '../auth/access.js';
import { settings } from '../config/table.js';
import { errorShapeOf } from '../context/surface.js';
import type { Deprecation } from '../http/deprecation.js';
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
  400: 'Invalid request',
  401: 'Missing or invalid credential',
  403: 'The credential lacks a required scope',
  404: 'Not found',
  409: 'Conflict with the current state of the resource',
  410: 'No longer available',
  412: 'The resource has changed since it was read',
  413: 'The request body is too large',
  415: 'The request body is not of a supported media type in UTF-8',
  422: 'The request is well-formed but breaks a rule, or reuses an Idempotency-Key for a different request',
  429: 'Too many requests; see Retry-After',
  500: 'Unexpected error; report the request ID',
  503: 'A service that is required for the request is unavailable',
};

const requestIdHeader = {
  'X-Request-Id': {
    description:
      'Identifies the request. A valid `X-Request-Id` of the request is returned, otherwise a generated one.',
    required: true,
    schema: { type: 'string', minLength: 8, maxLength: 128 },
  },
};

/** Completes an operation from the declarations of its route: security, headers, every error status. */
export function completeOperation(operation: OperationObject, route: Route, schemas: Schemas): void {
  const { access, mutation } = route;
  operation.security = securityOf(route);
  operation.description = [operation.description, requirementOf(route)].filter(Boolean).join('\n\n');
  if (access.scope) Object.assign(operation, { 'x-required-scope': access.scope });
  if (mutation?.action) Object.assign(operation, { 'x-ledger-action': mutation.action });
  if (route.deprecation) deprecate(operation, route.deprecation);

  const isList = addCsv(operation);

  const successes = Object.entries(operation.responses as Record<string, ResponseObject>);
  for (const [status, response] of successes) {
    response.description ||= status === '201' ? 'Created' : 'Success';
    // A PATCH with If-Match returns the new version even if the specification has no member for it.
    const isChange = route.method === 'PATCH' && parametersOf(operation).includes('If-Match');
    const versioned = isChange || (hasETags(route, status) && isVersioned(response, schemas));
    const isReplayed = parametersOf(operation).includes('Idempotency-Key');
    response.headers = {
      ...requestIdHeader,
      ...successHeaders(route, { status, versioned, isReplayed }),
      ...response.headers,
    };
    if (versioned && route.method === 'GET' && !route.isComputedNow) {
      operation.responses['304'] ??= {
        description: 'Not modified since the version in If-None-Match',
        headers: requestIdHeader,
      };
    }
  }
  Object.assign(operation.responses, errorResponses(operation, route, isList));
}

const CSV: SchemaObject = {
  type: 'string',
  format: 'binary',
  description: 'All rows as RFC 4180 in UTF-8 with a header line; the example shows its first two lines.',
};

/** Adds the file that a list with the parameters of `PageQuery` also answers with. Returns whether the operation is such a list. */
function addCsv(operation: OperationObject): boolean {
  const content = (operation.responses['200'] as ResponseObject | undefined)?.content;
  if (!content || 'text/csv' in content || !parametersOf(operation).includes('columns')) return false;
  content['text/csv'] = { schema: { ...CSV } };
  return true;
}

/** `x-sunset` is for tools, such as the compatibility check of a release. */
function deprecate(operation: OperationObject, { since, sunset, successor, documentation }: Deprecation): void {
  const sentences = [
    `**Deprecated** since ${since}.`,
    sunset === undefined ? '' : `It may be removed from ${sunset} on.`,
    successor === undefined ? '' : `Use \`${successor.replace(/:(\w+)/g, '{$1}')}\` instead.`,
    documentation === undefined ? '' : `See ${documentation}`,
  ];
  operation.deprecated = true;
  operation.description = [sentences.filter(Boolean).join(' '), operation.description].filter(Boolean).join('\n\n');
  if (sunset !== undefined) Object.assign(operation, { 'x-sunset': sunset });
}

/** One scheme for each kind of credential. OAuth clients authenticate themselves at the OAuth endpoints. */
function securityOf(route: Route): OperationObject['security'] {
  const { access, surface } = route;
  if (isOAuthEndpoint(route)) return [{ oauthClient: [] }, {}];
  if (access.isPublic) return [];
  if (access.kind === 'rts') return [{ subscriptionToken: [] }];
  if (surface === 'staff') return [{ staffToken: [] }];
  const key = { platformKey: [] };
  return surface === 'connect' ? [key, { oauth2: access.scope ? [access.scope] : [] }] : [key];
}

function requirementOf(route: Route): string {
  const { access } = route;
  if (isOAuthEndpoint(route)) {
    return 'The client authenticates with HTTP Basic, or with `client_id` and `client_secret` in the body, but not with both.';
  }
  if (access.sharedSecret !== null) {
    const name = settings[access.sharedSecret].name;
    return `Required: the secret of the setting \`${name}\`, sent as Authorization: Bearer; without the setting the operation does not exist.`;
  }
  if (access.isPublic) return 'No credential required.';
  if (access.scope === null) return 'Required scope: none; any credential of this surface.';
  const narrowed =
    access.narrowedBy === null ? '' : `, which can be narrowed to channels: \`${access.scope}:bookings.*\``;
  const proof = requiresFreshProof(access, route.method)
    ? ' With `REQUIRE_MFA=true`, a session also needs a second factor that was proved during the last 15 minutes.'
    : '';
  return `Required scope: \`${access.scope}\`${narrowed}.${proof}`;
}

function isOAuthEndpoint({ path }: Route): boolean {
  return errorShapeOf(path) === 'oauth';
}

function parametersOf({ parameters = [] }: OperationObject): string[] {
  return parameters.flatMap((parameter) => ('name' in parameter ? [parameter.name] : []));
}

/** The version of a vault key is a separate number, and a rendition that is only accepted (202) has no ETag yet. */
function hasETags({ surface }: Route, status: string): boolean {
  return (surface === 'staff' || surface === 'connect') && status !== '202';
}

/** Returns whether the response is one resource with a version, bare or in `data`; then it has an ETag. */
function isVersioned(response: ResponseObject, schemas: Schemas): boolean {
  const body = resolve(response.content?.['application/json']?.schema, schemas);
  const data = resolve(body?.properties?.['data'], schemas);
  // The version of a policy is a resource itself, which `version` also names.
  return resolve((data ?? body)?.properties?.['version'], schemas)?.type === 'integer';
}

function resolve(schema: SchemaObject | ReferenceObject | undefined, schemas: Schemas): SchemaObject | null {
  if (!schema) return null;
  // A reference with its own description is wrapped in `allOf`.
  if (!('$ref' in schema)) return schema.allOf?.length === 1 ? resolve(schema.allOf[0], schemas) : schema;
  return resolve(schemas[schema.$ref.split('/').pop() ?? ''], schemas);
}

function successHeaders(
  { access, mutation, surface, deprecation }: Route,
  { status, versioned, isReplayed }: { status: string; versioned: boolean; isReplayed: boolean },
): ResponseObject['headers'] {
  const text = (description: string, maxLength: number) => ({ description, schema: { type: 'string', maxLength } });
  // A 202 of a route that records nothing in the ledger names no resource: a path would reveal whether an account exists.
  const makesResource = status === '201' || (status === '202' && mutation?.action !== null);
  const hasLocation = makesResource && (surface === 'staff' || surface === 'connect');
  return {
    ...(hasLocation ? { Location: text('The path of the new resource', 500) } : {}),
    ...(versioned ? { ETag: text('The version of the resource, for If-Match', 100) } : {}),
    ...(isReplayed
      ? {
          'Idempotent-Replayed': text(
            '`true` if this is the stored response to an earlier request with the same Idempotency-Key',
            4,
          ),
        }
      : {}),
    ...(access.isPublic
      ? {}
      : {
          RateLimit: text('Requests left, and seconds until the limit is reset', 100),
          'RateLimit-Policy': text('The limit and its window in seconds', 100),
        }),
    ...(deprecation
      ? { Deprecation: text('`@` and the time of the deprecation, in seconds since 1970 (RFC 9745)', 30) }
      : {}),
    ...(deprecation?.sunset
      ? { Sunset: text('The time from which on the operation may be removed (RFC 8594)', 40) }
      : {}),
  };
}

function errorResponses(operation: OperationObject, route: Route, isList: boolean): ResponsesObject {
  const { errorBodies, errorPages } = route;
  const shape = errorShapeOf(route.path.replace(/:\w+/g, 'x'));
  if (shape === 'octo') throw new Error(`${route.path} belongs to the standard, which documents it`);
  const headers = parametersOf(operation);
  const accepted = {
    body: operation.requestBody !== undefined || ['POST', 'PUT', 'PATCH', 'DELETE'].includes(route.method),
    idempotencyKey: headers.includes('Idempotency-Key'),
    ifMatch: headers.includes('If-Match'),
    isList,
  };
  const entries = errorCodesOf(route, shape, accepted).map(({ status, own, codes }): [string, ResponseObject] => {
    const body = errorBodies[status];
    const schema = body ? { $ref: `#/components/schemas/${body.name}` } : errorSchema(shape, status, codes);
    const also = own.length > 0 ? `: ${own.join(', ')}` : '';
    return [
      String(status),
      {
        description: `${MEANINGS[status] ?? 'Error'}${also}`,
        headers: requestIdHeader,
        content: {
          'application/json': { schema, example: errorExample(shape, status, codes[0]) },
          ...(errorPages.includes(status) ? { 'text/html': { schema: { type: 'string' } } } : {}),
        },
      },
    ];
  });
  return Object.fromEntries(entries);
}
