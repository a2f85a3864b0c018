import type { Placed, Schema, ServedDocument } from '../contract/served-document.js';

export type { Schema };

/** The schemas of one document, with references followed. */
export class Document {
  constructor(private readonly served: ServedDocument) {}

  /** Resolves a reference, even one that an `allOf` wraps to add a description. */
  resolve(schema: Schema): Schema {
    const [only, ...others] = schema.allOf ?? [];
    if (only && others.length === 0) return { ...this.resolve(only), ...schema };
    if (schema.$ref === undefined) return schema;
    const found = this.served.components.schemas[schema.$ref.split('/').pop() ?? ''];
    if (!found) throw new Error(`${schema.$ref} is not in the document`);
    return found;
  }

  /** The JSON body of an operation, and the document's example of it. */
  bodyOf({ requestBody }: Placed): { schema: Schema; example: unknown } | null {
    const media = requestBody?.content['application/json'];
    return media?.schema === undefined ? null : { schema: this.resolve(media.schema), example: media.example };
  }
}

/** An object without declared members, whose content the caller determines. */
export function isFree({ type, properties, additionalProperties }: Schema): boolean {
  return type === 'object' && properties === undefined && additionalProperties === true;
}

/** Any JSON value at all: a list of all types, or a schema without a condition. */
export function isAnything({ type, anyOf, allOf, oneOf, $ref, enum: allowed }: Schema): boolean {
  return type === undefined && (anyOf !== undefined || [allOf, oneOf, $ref, allowed].every((one) => one === undefined));
}
