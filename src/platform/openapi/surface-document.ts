import type { OpenAPIObject } from '@nestjs/swagger';
import { type Surface, surfaceOf } from '../context/surface.js';

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

const COMPONENT = /^#\/components\/([^/]+)\/(.+)$/;

/** The part of the document that describes one surface: its operations, their tags, and the components that they refer to. */
export function surfaceDocument(document: OpenAPIObject, surface: Surface): OpenAPIObject {
  const paths = Object.fromEntries(Object.entries(document.paths).filter(([path]) => surfaceOf(path) === surface));
  const operations = Object.values(paths).flatMap((item) => Object.values(item as Record<string, Node>));
  const tags = new Set(operations.flatMap(({ tags: named }) => named as string[] | undefined).filter(Boolean));
  const schemes = new Set(operations.flatMap(({ security }) => (security as Node[]).flatMap(Object.keys)));
  const components = referencedFrom(paths, document.components as Record<string, Node>);
  const securitySchemes = pick(document.components?.securitySchemes ?? {}, (name) => schemes.has(name));
  return {
    ...document,
    tags: (document.tags ?? []).filter(({ name }) => tags.has(name)),
    paths,
    components: { ...components, securitySchemes },
  };
}

/** Returns the components that the node references, directly or through other components, in their order. */
function referencedFrom(node: unknown, components: Record<string, Node>): Record<string, Node> {
  const found = new Set<string>();
  const open: unknown[] = [node];
  while (open.length > 0) {
    const next = open.pop();
    if (typeof next !== 'object' || next === null) continue;
    open.push(...(Object.values(next) as unknown[]));
    const { $ref: reference } = next as { $ref?: unknown };
    const [, section, name] = typeof reference === 'string' ? (COMPONENT.exec(reference) ?? []) : [];
    if (section === undefined || name === undefined || found.has(`${section}/${name}`)) continue;
    found.add(`${section}/${name}`);
    open.push(components[section]?.[name]);
  }
  const sections = Object.entries(components).map(
    ([section, parts]) => [section, pick(parts, (name) => found.has(`${section}/${name}`))] as const,
  );
  return Object.fromEntries(sections.filter(([, parts]) => Object.keys(parts).length > 0));
}

function pick<T>(parts: Record<string, T>, isWanted: (name: string) => boolean): Record<string, T> {
  return Object.fromEntries(Object.entries(parts).filter(([name]) => isWanted(name)));
}
