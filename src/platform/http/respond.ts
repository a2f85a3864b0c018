import type { Type } from '@nestjs/common';
import { type Plain, plain } from '../database/columns.js';

/** The members of a response that a row has under the same name, with a value of the same JSON type. */
type Copied<Response, Row> = {
  [Name in keyof Response & keyof Row]: Plain<Row[Name]> extends Response[Name] ? Name : never;
}[keyof Response & keyof Row];

/** The members of a response that its row lacks. The others may be given as well. */
type Computed<Response, Row> = Omit<Response, Copied<Response, Row>> & Partial<Response>;

/** The computed members; optional if there are none. */
type Rest<Response, Row> =
  object extends Computed<Response, Row> ? [computed?: Computed<Response, Row>] : [computed: Computed<Response, Row>];

/** Where @nestjs/swagger keeps the names of decorated properties, and its plugin those of all properties. */
const DECORATED = 'swagger/apiModelPropertiesArray';
const BY_BUILD = '_OPENAPI_METADATA_FACTORY';

const members = new WeakMap<object, readonly string[]>();

/**
 * Builds the response for a row. Each member that the class declares is the computed value or, without one, the row's value of
 * that name. Instants become ISO 8601 texts. The compiler rejects a response with a member that has neither. Nothing but the
 * declared members is copied, so a new column is not published before its response declares it.
 */
export function respond<Response extends object, Row extends object>(
  response: Type<Response>,
  row: Row,
  ...[computed]: Rest<Response, Row>
): Response {
  const given: Record<string, unknown> = { ...computed };
  const answer: Record<string, unknown> = {};
  for (const name of membersOf(response)) {
    const value: unknown = name in given ? given[name] : plain(Reflect.get(row, name));
    if (value !== undefined) answer[name] = value;
  }
  return answer as Response;
}

/** Returns the members of a class and its base classes that a decorator or the build documents. */
export function membersOf(response: Type): readonly string[] {
  const known = members.get(response);
  if (known) return known;
  const decorated = Reflect.getMetadata(DECORATED, response.prototype as object) as readonly string[] | undefined;
  const names = [...(decorated ?? []).map((name) => name.replace(/^:/, '')), ...documentedByBuild(response)];
  members.set(response, [...new Set(names)]);
  return [...new Set(names)];
}

function documentedByBuild(response: Type): string[] {
  const { [BY_BUILD]: factory } = response as { [BY_BUILD]?: () => object };
  const own = Object.hasOwn(response, BY_BUILD) && factory ? Object.keys(factory()) : [];
  const parent: unknown = Object.getPrototypeOf(response);
  const isBase = typeof parent !== 'function' || parent === Function.prototype;
  return isBase ? own : [...own, ...documentedByBuild(parent as Type)];
}
