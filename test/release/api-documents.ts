export type Json = Record<string, unknown>;

const JSON_TYPE = 'application/json';
export const content = (schema: Json) => ({ [JSON_TYPE]: { schema } });

export function documentOf(operation: Json, components: Json = {}): Json {
  return { openapi: '3.0.3', paths: { '/tours': { post: { responses: {}, ...operation } } }, components };
}

/** A document whose only operation takes a body of this schema. */
export const taking = (schema: Json, components?: Json) =>
  documentOf({ requestBody: { content: content(schema) } }, components);
export const answering = (schema: Json, components?: Json, status = 200) =>
  documentOf({ responses: { [status]: { content: content(schema) } } }, components);

export const object = (properties: Json, more: Json = {}) => ({ type: 'object', properties, ...more });
export const member = (schema: Json) => object({ name: schema });

/** Findings at the operation of these documents. */
export const at = (place: string, ...sentences: string[]) =>
  sentences.map((sentence) => `POST /tours, ${place}: ${sentence}`);
