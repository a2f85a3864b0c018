import type { INestApplication } from '@nestjs/common';
import { DocumentBuilder, type OpenAPIObject, SwaggerModule } from '@nestjs/swagger';
import { Env } from '../config/env.js';
import { applyDefaultDescriptions } from '../http/property-description.js';
import { Routes } from '../http/routes.js';
import { surfaceOf } from '../http/surface.js';
import { errorSchemas } from './error-schemas.js';
import { exemplifyBody } from './examples.js';
import { completeOperation } from './operations.js';
import type { OperationObject, ReferenceObject, SchemaObject } from './types.js';

const METHODS = ['get', 'post', 'put', 'patch', 'delete'] as const;

/** A group of operations; controllers name theirs with `@ApiTags`. */
export interface ApiTag {
  name: string;
  description: string;
}

/**
 * The API document, made from the routes and their classes. What follows from a route's declarations (security, error
 * statuses, headers) is added here, so that no controller repeats it.
 */
export function buildDocument(app: INestApplication, tags: readonly ApiTag[]): OpenAPIObject {
  const config = new DocumentBuilder()
    .setTitle('Travel Operations Platform')
    .setDescription(
      'Storefront, staff, connect, vault, realtime and data surfaces of one travel operator. Every answer carries X-Request-Id. ' +
        'Beside the statuses of its own any operation may answer what is refused before it is known, in the body of its surface: ' +
        '408 (the request took too long to arrive), 417 (an unknown Expect) and 431 (headers beyond 16 KiB).',
    )
    .setVersion('1.0.0')
    .addBearerAuth(
      {
        type: 'http',
        scheme: 'bearer',
        bearerFormat: 'opaque',
        description: 'A staff token or session, a platform API key, or an OAuth access token',
      },
      'bearer',
    )
    .addApiKey({ type: 'apiKey', in: 'header', name: 'x-api-key', description: 'A staff token' }, 'apiKey')
    .build();
  const document = SwaggerModule.createDocument(app, config, {
    autoTagControllers: false,
    operationIdFactory: (controller, method) => `${lowerFirst(controller.replace(/Controller$/, ''))}_${method}`,
  });
  document.tags = [...tags];
  applyDefaultDescriptions(document);
  const schemas = (document.components ??= {}).schemas ?? {};
  document.components.schemas = { ...schemas, ...(errorSchemas as Record<string, SchemaObject>) };

  for (const { errorBodies } of app.get(Routes).all) {
    for (const { name, schema } of Object.values(errorBodies)) document.components.schemas[name] = schema;
  }

  const routes = new Map(app.get(Routes).all.map((route) => [`${route.method} ${toTemplate(route.path)}`, route]));
  const { surfaces } = app.get(Env);
  for (const [path, item] of Object.entries(document.paths)) {
    // What another process serves does not exist here.
    if (!surfaces.includes(surfaceOf(path))) delete document.paths[path];
    for (const method of METHODS) {
      const operation = item[method];
      const route = routes.get(`${method.toUpperCase()} ${path}`);
      if (!operation || !route) continue;
      completeOperation(operation, route, document.components.schemas);
      exemplifyBody(operation, route, document.components.schemas);
      for (const schema of inputSchemas(operation)) closeSchema(schema, document.components.schemas);
    }
  }
  return document;
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

/** Inputs are closed: an unknown member is refused, and the document says so, all the way down. */
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
