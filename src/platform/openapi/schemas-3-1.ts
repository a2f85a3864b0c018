type Node = Record<string, unknown>;

/**
 * Rewrites a finished document of OpenAPI 3.0 as one of 3.1, which uses JSON Schema 2020-12: `nullable` becomes a type
 * `null`, and a boolean exclusive bound becomes the bound.
 */
export function toOpenApi31(document: { openapi: string }): void {
  document.openapi = '3.1.0';
  rewrite(document);
}

function rewrite(node: unknown): void {
  if (typeof node !== 'object' || node === null) return;
  for (const [name, member] of Object.entries(node)) {
    // Examples are values, not schemas.
    if (name !== 'example' && name !== 'examples') rewrite(member);
  }
  const schema = node as Node;
  if (schema['nullable'] === true) acceptNull(schema);
  if (typeof schema['nullable'] === 'boolean') delete schema['nullable'];
  for (const [exclusive, inclusive] of [
    ['exclusiveMinimum', 'minimum'],
    ['exclusiveMaximum', 'maximum'],
  ] as const) {
    if (schema[exclusive] !== true) continue;
    schema[exclusive] = schema[inclusive];
    delete schema[inclusive];
  }
}

function acceptNull(schema: Node): void {
  const { allOf, type } = schema;
  if (Array.isArray(allOf)) {
    schema['anyOf'] = [...(allOf.length === 1 ? (allOf as unknown[]) : [{ allOf }]), { type: 'null' }];
    delete schema['allOf'];
    delete schema['type'];
  } else if (typeof type === 'string') {
    schema['type'] = [type, 'null'];
    if (Array.isArray(schema['enum'])) schema['enum'] = [...(schema['enum'] as unknown[]), null];
  }
}
