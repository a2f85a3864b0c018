import type { Placed } from '../contract/served-document.js';
import { isObject, type Json } from './json.js';
import type { Document } from './schema.js';

/** The document's example of the body, with unique values. */
export function exampleBody(operation: Placed, document: Document, unique: string): Json | undefined {
  const body = document.bodyOf(operation);
  if (body === null) return undefined;
  const example = (body.example ?? {}) as Json;
  if (!isObject(example)) return example;
  const members = Object.entries(example).map(([name, value]): [string, Json] => {
    const { format, maxLength = 0, enum: allowed } = document.resolve(body.schema.properties?.[name] ?? {});
    if (typeof value !== 'string' || allowed) return [name, value];
    if (format === 'email') return [name, `${unique}.${value}`];
    const isName = /name|number|title/i.test(name) && value.length + unique.length < maxLength;
    return [name, isName ? `${value} ${unique}` : value];
  });
  return Object.fromEntries(members);
}

/** The path parameters of the document's example. */
export function exampleParameters({ parameters = [] }: Placed): Record<string, string> {
  const inPath = parameters.filter((parameter) => parameter.in === 'path');
  return Object.fromEntries(inPath.map(({ name, schema, example }) => [name, String(example ?? schema.example)]));
}
