const NAME = 'x-values-name';
const names = new WeakMap<readonly string[], string>();
/** Names of lists that may get more values. */
const extensibleNames = new Set<string>();
const EXTENSIBLE = { 'x-extensible': true, description: 'Later releases may add values.' };

interface Values {
  type?: string;
  enum?: string[];
  nullable?: boolean;
  [NAME]?: string;
  schema?: Values;
  allOf?: object[];
  $ref?: string;
}

/** A list of values that the API document contains once, as a schema of this name, for all properties that have it. */
export function named<const List extends readonly string[]>(name: string, values: List): List {
  names.set(values, name);
  return values;
}

/**
 * A named list that may get more values in any release; the document marks it with `x-extensible`. Use it for names and
 * reports, such as kinds and codes; never for states, because clients decide by them.
 */
export function extensible<const List extends readonly string[]>(name: string, values: List): List {
  extensibleNames.add(name);
  return named(name, values);
}

/** The schema of one of these values. It contains the name until the document is finished. */
export function documentedValues(values: readonly string[]): { type: 'string'; enum: string[] } {
  const name = names.get(values);
  return { type: 'string', enum: [...values], ...(name === undefined ? {} : { [NAME]: name }) };
}

/**
 * Replaces named lists in a finished document by references to schemas, which it adds to `schemas`. The `enumName` of
 * @nestjs/swagger would give the schema the description of the first property that has it.
 */
export function shareNamedValues(node: unknown, schemas: Record<string, object>): void {
  if (typeof node !== 'object' || node === null) return;
  for (const member of Object.values(node)) shareNamedValues(member, schemas);
  const found = node as Values;
  const { [NAME]: name } = found;
  if (name === undefined) return;
  delete found[NAME];
  // A query parameter has its schema as a member.
  const { schema = found } = found;
  const list = { type: 'string', enum: schema.enum, ...(extensibleNames.has(name) && EXTENSIBLE) };
  const other = (schemas[name] ??= list);
  if (JSON.stringify(other) !== JSON.stringify(list)) throw new Error(`Two schemas have the name ${name}`);
  delete schema.type;
  delete schema.enum;
  const reference = { $ref: `#/components/schemas/${name}` };
  if (Object.keys(schema).length === 0) Object.assign(schema, reference);
  else schema.allOf = [reference];
}
