import type { Scalar } from './columns.js';

const FIELD_TYPES = ['text', 'integer', 'number', 'boolean', 'day', 'instant', 'moment', 'texts', 'days'] as const;
/** A `day` is `YYYY-MM-DD`, an `instant` has an offset, and a `moment` is either. */
type FieldType = (typeof FIELD_TYPES)[number];

export interface Field {
  readonly type: FieldType;
  /** The weight of an occurrence of a term in this field; 0 if the field is not searched. */
  readonly weight: number;
  readonly filterable: boolean;
  readonly facetable: boolean;
  /** If false, the field is never part of a result. */
  readonly visible: boolean;
}

/** The fields of the documents of an index, by name. Other members of a document are ignored. */
export type Schema = ReadonlyMap<string, Field>;

/**
 * Parses a list of fields such as `name: text x3; countries: texts C x2; nights: integer F`. `F` is filterable, `C` is
 * filterable and facetable (counted), and `x2` is the weight in a search. All fields of the list are visible.
 */
export function parseSchema(list: string): Schema {
  const lines = list.split(';').map((line) => line.trim());
  return new Map(lines.filter(Boolean).map(parseField));
}

function parseField(line: string): [name: string, field: Field] {
  const [name = '', definition = ''] = line.split(': ');
  const [typeName = '', ...flags] = definition.split(' ');
  const type = FIELD_TYPES.find((one) => one === typeName);
  if (type === undefined) throw new Error(`Unknown field type '${typeName}'`);
  const facetable = flags.includes('C');
  const weight = Number(flags.find((flag) => flag.startsWith('x'))?.slice(1) ?? 0);
  return [name, { type, weight, filterable: facetable || flags.includes('F'), facetable, visible: true }];
}

/** Returns the values of a field that have the type of the field. */
export function scalarsOf(field: Field, value: unknown): Scalar[] {
  const values: unknown[] = Array.isArray(value) ? value : [value];
  switch (field.type) {
    case 'integer':
    case 'number':
      return values.filter((one) => typeof one === 'number');
    case 'boolean':
      return values.filter((one) => typeof one === 'boolean');
    case 'text':
    case 'day':
    case 'instant':
    case 'moment':
    case 'texts':
    case 'days':
      return values.filter((one) => typeof one === 'string');
  }
}
