import type { INestApplication } from '@nestjs/common';
import { DocumentBuilder, type OpenAPIObject, SwaggerModule } from '@nestjs/swagger';
import { Env } from '../config/env.js';
import { shareNamedValues } from '../http/named-values.js';
import { applyDefaultDescriptions } from '../http/property-description.js';
import { type Route, Routes } from '../http/routes.js';
import { surfaceOf } from '../context/surface.js';
import { shareComponents } from './components.js';
import { stateDefaults } from './defaults.js';
import { errorSchemas } from './error-schemas.js';
import { exemplifyBody, exemplifyResponses, type ResponseExamples } from './examples.js';
import { nameOwnEnums } from './name-enums.js';
import { completeOperation } from './operations.js';
import { toOpenApi31 } from './surface-document.js';
import type { ApiTag } from '../http/api-group.js';
import type { OperationObject, ReferenceObject, SchemaObject, Schemas } from './types.js';

const METHODS = ['get', 'post', 'put', 'patch', 'delete'] as const;

/** The parts of the document besides routes and their classes. */
export interface DocumentContent {
  /** The front page, in Markdown. */
  introduction: string;
  tags: readonly ApiTag[];
  examples: ResponseExamples;
}

/**
 * Builds the API document from the routes and their classes. Everything that follows from a route's declarations (security,
 * error statuses, headers) is added here, so that no controller repeats it.
 */
export function buildDocument(app: INestApplication, { introduction, tags, examples }: DocumentContent): OpenAPIObject {
  const { all } = app.get(Routes);
  const config = new DocumentBuilder()
    .setTitle('Travel Operations Platform')
    .setDescription(introduction)
    .setVersion('1.0.0')
    .setOpenAPIVersion('3.0.3')
    .addServer('/', 'The service that serves this document')
    .addBearerAuth(bearer('Staff surface: a session token (`vss_...`) or an API token (`vsk_...`)'), 'staffToken')
    .addBearerAuth(
      bearer(
        'Connect, vault, realtime and data surfaces: a platform API key (`tpk_...`); connect also an access token (`oat_...`)',
      ),
      'platformKey',
    )
    .addBearerAuth(bearer('Realtime surface: the token of a subscription to channels (`rts_...`)'), 'subscriptionToken')
    .addBasicAuth({ type: 'http', scheme: 'basic', description: 'OAuth client ID and secret' }, 'oauthClient')
    .addOAuth2(
      {
        type: 'oauth2',
        description: 'Connect surface: an access token for the client ID and secret of an OAuth client',
        flows: { clientCredentials: { tokenUrl: '/connect/v1/oauth/token', scopes: connectScopes(all) } },
      },
      'oauth2',
    )
    .build();
  const document = SwaggerModule.createDocument(app, config, {
    autoTagControllers: false,
    operationIdFactory: (controller, method) =>
      `${lowerFirst(controller.replace(/Controller$/, '').replace(/^OAuth/, 'Oauth'))}_${method}`,
  });
  // The identifier, new in OpenAPI 3.1, replaces the link to a text.
  Object.assign(document.info, { license: { name: 'Proprietary', identifier: 'LicenseRef-Proprietary' } });
  document.tags = [...tags];
  applyDefaultDescriptions(document);
  const schemas = (document.components ??= {}).schemas ?? {};
  shareNamedValues(document, schemas);
  // Copies, because the steps below change the schemas of this document.
  const errors = structuredClone(errorSchemas) as Record<string, SchemaObject>;
  document.components.schemas = { ...schemas, ...errors };

  for (const { errorBodies } of all) {
    for (const { name, schema } of Object.values(errorBodies)) {
      document.components.schemas[name] = structuredClone(schema);
    }
  }

  const routes = new Map(all.map((route) => [`${route.method} ${toTemplate(route.path)}`, route]));
  const { surfaces } = app.get(Env);
  for (const [path, item] of Object.entries(document.paths)) {
    // Routes of surfaces that other processes serve are omitted.
    if (!surfaces.includes(surfaceOf(path))) delete document.paths[path];
    for (const method of METHODS) {
      const operation = item[method];
      const route = routes.get(`${method.toUpperCase()} ${path}`);
      if (!operation || !route) continue;
      completeOperation(operation, route, document.components.schemas);
      exemplifyBody(operation, route, document.components.schemas);
      exemplifyResponses(operation, `${route.method} ${path}`, examples);
      for (const schema of inputSchemas(operation)) closeSchema(schema, document.components.schemas);
    }
  }
  stateDefaults(document);
  nameOwnEnums(document, document.components.schemas);
  describeEnvelopes(document.components.schemas);
  allowAnyJson(document.components.schemas);
  shareComponents(document);
  toOpenApi31(document);
  return document;
}

function bearer(description: string) {
  return { type: 'http', scheme: 'bearer', bearerFormat: 'opaque', description } as const;
}

/** Scopes required by connect operations. `*` stands for any area. */
function connectScopes(routes: readonly Route[]): Record<string, string> {
  const required = routes.flatMap(({ surface, access }) =>
    surface === 'connect' && access.scope ? [access.scope] : [],
  );
  return Object.fromEntries([...new Set(required)].sort().map((scope) => [scope, meaningOf(scope)]));
}

function meaningOf(scope: string): string {
  const [action = '', area = ''] = scope.split(':').reverse();
  return area === '*' ? `Permission to ${action} in any area of connect` : `Permission to ${action} ${area}`;
}

/**
 * `@AnyJson` needs some keyword, or @nestjs/swagger writes `object`; a schema without keywords allows
 * any value.
 */
function allowAnyJson(schemas: Schemas): void {
  for (const schema of Object.values(schemas)) {
    for (const member of Object.values('$ref' in schema ? {} : (schema.properties ?? {}))) {
      if ('$ref' in member || JSON.stringify(member.anyOf) !== '[{}]') continue;
      delete member.anyOf;
      delete member.nullable;
    }
  }
}

/** Functions make the envelopes, so no comment describes them. */
function describeEnvelopes(schemas: Schemas): void {
  for (const schema of Object.values(schemas)) {
    if ('$ref' in schema || schema.description !== undefined) continue;
    const { data } = schema.properties ?? {};
    if (!data) continue;
    const list = 'items' in data ? data.items : undefined;
    const item = nameIn(list ?? data);
    if (item === null) continue;
    schema.description = list ? `A list of ${item} in \`data\`.` : `One ${item} in \`data\`.`;
  }
}

function nameIn(schema: SchemaObject | ReferenceObject): string | null {
  const reference = '$ref' in schema ? schema : schema.allOf?.[0];
  return reference && '$ref' in reference ? (reference.$ref.split('/').pop() ?? null) : null;
}

/** `/v1/admin/trips/:envelopeId` -> `/v1/admin/trips/{envelopeId}`. */
function toTemplate(path: string): string {
  return path.replace(/:(\w+)/g, '{$1}');
}

function inputSchemas(operation: OperationObject): (SchemaObject | ReferenceObject)[] {
  const { requestBody } = operation;
  if (!requestBody || '$ref' in requestBody) return [];
  return Object.values(requestBody.content).flatMap(({ schema }) => (schema ? [schema] : []));
}

/** Inputs are closed: unknown members are rejected, and the document states this on every level. */
function closeSchema(
  schema: SchemaObject | ReferenceObject,
  schemas: Record<string, SchemaObject | ReferenceObject>,
): void {
  const target = '$ref' in schema ? schemas[schema.$ref.split('/').pop() ?? ''] : schema;
  if (!target || '$ref' in target) return;
  if (target.properties) target.additionalProperties ??= false;
  const members = [
    ...Object.values(target.properties ?? {}),
    ...(target.items ? [target.items] : []),
    ...(target.allOf ?? []),
  ];
  for (const member of members) closeSchema(member, schemas);
}

function lowerFirst(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1);
}
