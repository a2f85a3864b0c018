/** The parts of an OpenAPI 3.0 document that the contract reads. Schemas stay untyped; ajv checks them. */
export interface OpenApiDocument {
  openapi: string;
  paths: Record<string, PathItem>;
  components?: {
    schemas?: Record<string, unknown>;
    responses?: Record<string, ResponseObject>;
    headers?: Record<string, HeaderObject>;
  };
}

export type PathItem = Partial<Record<string, Operation>>;

export interface Operation {
  operationId?: string;
  responses: Partial<Record<string, ResponseObject>>;
}

export interface ResponseObject {
  $ref?: string;
  headers?: Record<string, HeaderObject>;
  content?: Partial<Record<string, { schema?: unknown }>>;
}

export interface HeaderObject {
  $ref?: string;
  required?: boolean;
  schema?: unknown;
}

/** A request of a test and its response, as compared with the document. */
export interface Exchange {
  method: string;
  /** Path of the request without its query. */
  path: string;
  status: number;
  /** Names in lower case. */
  headers: Readonly<Record<string, string>>;
  text: string;
}

/** Follows `$ref` to a shared response or header; a reference to nothing is a fault of the document. */
export function dereference<T extends { $ref?: string }>(found: T, shared: Record<string, T> | undefined): T {
  if (found.$ref === undefined) return found;
  const target = shared?.[found.$ref.slice(found.$ref.lastIndexOf('/') + 1)];
  if (!target) throw new Error(`the document refers to ${found.$ref}, which it does not hold`);
  return target;
}
