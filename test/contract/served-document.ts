import type { TestApp } from '../setup/app.js';

export interface Schema {
  $ref?: string;
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
  in: 'path' | 'query' | 'header';
  example?: unknown;
  required?: boolean;
  schema: Schema;
}

export interface Operation {
  operationId: string;
  tags?: string[];
  /** What the ledger calls a call of it; absent where it changes nothing. */
  'x-ledger-action'?: string;
  /** Absent where the route is public, or any credential of its surface will do. */
  'x-required-scope'?: string;
  summary?: string;
  security?: Record<string, string[]>[];
  parameters?: Parameter[];
  requestBody?: { content: Record<string, { schema?: Schema; example?: unknown; examples?: unknown }> };
  responses: Record<string, { description: string; content?: Record<string, { schema?: Schema }> }>;
}

export interface ServedDocument {
  tags: { name: string; description: string }[];
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Schema> };
}

/** One operation with the place it stands at. */
export interface Placed extends Operation {
  method: string;
  path: string;
}

export async function readDocument(app: TestApp): Promise<ServedDocument> {
  return (await app.get<ServedDocument>('/openapi.json')).body;
}

export function operationsOf(document: ServedDocument): Placed[] {
  return Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({ ...operation, method: method.toUpperCase(), path })),
  );
}
