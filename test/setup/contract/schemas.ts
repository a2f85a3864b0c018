import { Ajv2019 } from 'ajv/dist/2019.js';
import type { ValidateFunction } from 'ajv';
import addFormats from 'ajv-formats';
import type { OpenApiDocument } from './document.js';

type Schema = Record<string, unknown>;
/** `closed`: members that are not in the schema are rejected. `open`: a part of a composition, closed by the whole. */
type Mode = 'closed' | 'open';

const SINGLE = ['items', 'not'];
const LISTS = ['allOf', 'anyOf', 'oneOf'];
const KEPT = [
  ...['type', 'enum', 'const', 'format', 'pattern', 'minLength', 'maxLength', 'minimum', 'maximum', 'multipleOf'],
  ...['minItems', 'maxItems', 'uniqueItems', 'required', 'minProperties', 'maxProperties'],
];

/** Compiles the schemas of one OpenAPI 3.0 document; `$ref`s point to its shared schemas. */
export class Schemas {
  private readonly ajv = addFormats.default(new Ajv2019({ strict: false, allErrors: true, logger: false }));
  private readonly compiled = new Map<unknown, ValidateFunction>();

  constructor(document: OpenApiDocument) {
    for (const [name, schema] of Object.entries(document.components?.schemas ?? {})) {
      for (const mode of ['closed', 'open'] as const) this.ajv.addSchema(converted(schema, mode), idOf(name, mode));
    }
  }

  /** The faults of a value, one line each; empty if it is valid. */
  faults(schema: unknown, value: unknown): string[] {
    const validate = this.validatorOf(schema);
    if (validate(value)) return [];
    return (validate.errors ?? []).map(({ instancePath, message, params }) => {
      return `${instancePath || 'the body'} ${message ?? 'is wrong'} ${JSON.stringify(params)}`;
    });
  }

  private validatorOf(schema: unknown): ValidateFunction {
    const known = this.compiled.get(schema);
    if (known) return known;
    const validate = this.ajv.compile(converted(schema, 'closed'));
    this.compiled.set(schema, validate);
    return validate;
  }
}

function idOf(name: string, mode: Mode): string {
  return `contract:/${mode}/${encodeURIComponent(name)}`;
}

/** OpenAPI 3.0 to JSON Schema 2019-09: `nullable`, boolean exclusive bounds, references, and objects without extras. */
function converted(schema: unknown, mode: Mode): Schema {
  if (!isSchema(schema)) return {};
  if (typeof schema.$ref === 'string') {
    const name = schema.$ref.slice(schema.$ref.lastIndexOf('/') + 1);
    return { $ref: idOf(decodeURIComponent(name), mode) };
  }
  const { nullable, ...rest } = schema;
  return nullable === true ? { anyOf: [{ type: 'null' }, plain(rest, mode)] } : plain(rest, mode);
}

function plain(schema: Schema, mode: Mode): Schema {
  const own = isSchema(schema.properties);
  const parts = Array.isArray(schema.allOf) ? schema.allOf.length : 0;
  // Only the whole of a composition has all members, so its parts are open. A single part is the whole.
  const composed = own || parts > 1;
  const result: Schema = {};
  for (const keyword of KEPT) if (keyword in schema) result[keyword] = schema[keyword];
  for (const keyword of SINGLE) if (keyword in schema) result[keyword] = converted(schema[keyword], 'closed');
  for (const keyword of LISTS) {
    const list = schema[keyword];
    if (Array.isArray(list)) result[keyword] = list.map((part) => converted(part, composed ? 'open' : mode));
  }
  if (isSchema(schema.properties)) {
    const members = Object.entries(schema.properties);
    result.properties = Object.fromEntries(members.map(([name, member]) => [name, converted(member, 'closed')]));
  }
  bounds(schema, result);
  const extra = schema.additionalProperties;
  if (extra !== undefined) result.additionalProperties = isSchema(extra) ? converted(extra, 'closed') : extra;
  else if (composed && mode === 'closed') result.unevaluatedProperties = false;
  return result;
}

function bounds(schema: Schema, result: Schema): void {
  for (const [exclusive, inclusive] of [
    ['exclusiveMinimum', 'minimum'],
    ['exclusiveMaximum', 'maximum'],
  ] as const) {
    const value = schema[exclusive];
    if (value === true) {
      result[exclusive] = schema[inclusive];
      delete result[inclusive];
    } else if (typeof value === 'number') {
      result[exclusive] = value;
    }
  }
}

function isSchema(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
