import type { OpenAPIObject } from '@nestjs/swagger';
import type { OperationObject, ReferenceObject, SchemaObject, Schemas } from './types.js';

/** `50 by default`, `False by default`, "`hybrid` by default", "(`raw`, the default)", "`guaranteed` (default)". */
const STATED = /(?:^|[\s(;,])(?:`([^`]+)`|(\d+|true|false))(?: by default|, the default| \((?:the )?default\))/i;

/**
 * Adds `default` to the members of requests whose description names one, so that it is written once. An update has no defaults:
 * an absent member does not change.
 */
export function stateDefaults(document: OpenAPIObject): void {
  const schemas = document.components?.schemas ?? {};
  const seen = new Set<SchemaObject>();
  for (const item of Object.values(document.paths)) {
    for (const [method, operation] of Object.entries(item as Record<string, OperationObject>)) {
      for (const parameter of operation.parameters ?? []) {
        if ('name' in parameter && parameter.schema) state(parameter.schema, parameter.description, schemas);
      }
      const { requestBody } = operation;
      if (!requestBody || '$ref' in requestBody) continue;
      for (const { schema } of Object.values(requestBody.content)) {
        visit(schema, { schemas, seen, isUpdate: method === 'patch' });
      }
    }
  }
}

interface Visit {
  schemas: Schemas;
  seen: Set<SchemaObject>;
  /** The members of this schema belong to an update, except members of nested objects. */
  isUpdate: boolean;
}

function visit(schema: SchemaObject | ReferenceObject | undefined, { schemas, seen, isUpdate }: Visit): void {
  const target = resolved(schema, schemas);
  if (!target || seen.has(target)) return;
  seen.add(target);
  for (const member of Object.values(target.properties ?? {})) {
    if (!isUpdate && !('$ref' in member)) state(member, member.description, schemas);
    visit(member, { schemas, seen, isUpdate: false });
  }
  visit(target.items, { schemas, seen, isUpdate: false });
  for (const part of target.allOf ?? []) visit(part, { schemas, seen, isUpdate: false });
}

function state(schema: SchemaObject | ReferenceObject, description: string | undefined, schemas: Schemas): void {
  const [, literal, word] = STATED.exec(description ?? '') ?? [];
  const text = literal ?? word;
  if (text === undefined || '$ref' in schema) return;
  const typed = resolved(schema.allOf?.[0] ?? schema, schemas);
  const value = valueOf(text, typed);
  if (value !== undefined) schema.default = value;
}

/**
 * Converts the value to the schema's type; undefined for a text that is none of its values, such as the name of another member.
 */
function valueOf(text: string, schema: SchemaObject | null): unknown {
  const type = [schema?.type ?? []].flat()[0];
  if (type === 'integer' || type === 'number') return /^-?\d+$/.test(text) ? Number(text) : undefined;
  if (type === 'boolean') return /^(true|false)$/i.test(text) ? /^true$/i.test(text) : undefined;
  if (type !== 'string') return undefined;
  return schema?.enum === undefined || schema.enum.includes(text) ? text : undefined;
}

function resolved(schema: SchemaObject | ReferenceObject | undefined, schemas: Schemas): SchemaObject | null {
  if (!schema) return null;
  return '$ref' in schema ? resolved(schemas[schema.$ref.split('/').pop() ?? ''], schemas) : schema;
}
