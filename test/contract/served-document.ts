import type { TestApp } from '../setup/app.js';
import { dereference } from '../setup/contract/document.js';

interface Reference {
  $ref: string;
}

export interface Schema {
  $ref?: string;
  description?: string;
  type?: string;
  format?: string;
  enum?: unknown[];
  pattern?: string;
  nullable?: boolean;
  readOnly?: boolean;
  minLength?: number;
  maxLength?: number;
  minItems?: number;
  maxItems?: number;
  uniqueItems?: boolean;
  minimum?: number;
  maximum?: number;
  items?: Schema;
  allOf?: Schema[];
  oneOf?: Schema[];
  anyOf?: Schema[];
  required?: string[];
  properties?: Record<string, Schema>;
  additionalProperties?: boolean | Schema;
  example?: unknown;
}

export interface Parameter {
  name: string;
  description?: string;
  in: 'path' | 'query' | 'header';
  example?: unknown;
  required?: boolean;
  deprecated?: boolean;
  style?: string;
  explode?: boolean;
  schema: Schema;
}

export interface Operation {
  operationId: string;
  tags?: string[];
  /** The ledger action of a call; absent if it changes nothing. */
  'x-ledger-action'?: string;
  /** Absent if the route is public, or accepts any credential of its surface. */
  'x-required-scope'?: string;
  summary?: string;
  description?: string;
  security?: Record<string, string[]>[];
  parameters?: Parameter[];
  requestBody?: { content: Record<string, { schema?: Schema; example?: unknown; examples?: unknown }> };
  responses: Record<
    string,
    { description: string; headers?: Record<string, object>; content?: Record<string, { schema?: Schema }> }
  >;
}

export interface ServedDocument {
  tags: { name: string; description: string }[];
  paths: Record<string, Record<string, Operation>>;
  components: {
    schemas: Record<string, Schema>;
    parameters?: Record<string, Parameter>;
    responses?: Record<string, Operation['responses'][string]>;
  };
}

/** One operation with its place in the document. */
export interface Placed extends Operation {
  method: string;
  path: string;
}

export async function readDocument(app: TestApp): Promise<ServedDocument> {
  return resolved((await app.get<ServedDocument>('/openapi.json')).body);
}

/**
 * Returns the document with inlined parameters and responses, so that an operation is complete, and with `nullable` instead of
 * a type `null`, so that a schema has one type.
 */
export function resolved(document: ServedDocument): ServedDocument {
  separateNull(document);
  const { parameters, responses } = document.components;
  for (const item of Object.values(document.paths)) {
    for (const operation of Object.values(item)) {
      operation.parameters = operation.parameters?.map((found) =>
        dereference<Parameter & Partial<Reference>>(found, parameters),
      );
      for (const [status, found] of Object.entries(operation.responses))
        operation.responses[status] = dereference<Operation['responses'][string] & Partial<Reference>>(
          found,
          responses,
        );
      if (isPublic(operation)) operation.security = [];
    }
  }
  return document;
}

function separateNull(node: unknown): void {
  if (typeof node !== 'object' || node === null) return;
  for (const [name, member] of Object.entries(node)) if (!/^examples?$/.test(name)) separateNull(member);
  const schema = node as { type?: string | string[]; enum?: unknown[]; anyOf?: Schema[] } & Omit<Schema, 'type'>;
  const { type, anyOf } = schema;
  if (Array.isArray(type) && type.every((one) => typeof one === 'string') && type.includes('null')) {
    const [first, ...others] = type.filter((one) => one !== 'null');
    if (first === undefined || others.length > 0) return;
    Object.assign(schema, { type: first, nullable: true });
    if (schema.enum) schema.enum = schema.enum.filter((value) => value !== null);
  } else if (Array.isArray(anyOf) && anyOf.length === 2 && anyOf[1]?.type === 'null' && anyOf[0]) {
    Object.assign(schema, { allOf: [anyOf[0]], nullable: true });
    delete schema.anyOf;
  }
}

/** OAuth clients authenticate themselves at the OAuth endpoints; no API key or token is required there. */
function isPublic({ security = [] }: Operation): boolean {
  return security.some((needed) => Object.keys(needed).length === 0);
}

export function operationsOf(document: ServedDocument): Placed[] {
  return Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({ ...operation, method: method.toUpperCase(), path })),
  );
}
