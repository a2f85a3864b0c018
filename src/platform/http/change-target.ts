import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { Request } from 'express';
import { notFound } from '../errors/app-error.js';
import { isId } from '../ids/id.js';
import { documentIfMatch, type ExpectedVersions, expectedVersionsOf } from './if-match.js';
import { documentPathId } from './path-id.js';

/** Path parameter -> the prefix of its ids, and the number of the demo row that the API document shows. */
type Ids<Name extends string> = Record<Name, readonly [prefix: string, demo: number]>;

/** The ids in the path of a resource, and the versions of it that `If-Match` accepts. */
export type Target<Name extends string> = Record<Name, string> & { expected: ExpectedVersions };

const fromRequest = createParamDecorator((ids: Ids<string>, context: ExecutionContext): Target<string> => {
  const request = context.switchToHttp().getRequest<Request>();
  const named = Object.entries(ids).map(([name, [prefix]]) => {
    const id = request.params[name];
    if (typeof id !== 'string' || !isId(prefix, id)) throw notFound();
    return [name, id] as const;
  });
  return Object.assign(Object.fromEntries(named), { expected: expectedVersionsOf(request) });
});

/**
 * Several `PathId`s and the `IfMatch` of a route in one parameter, of the type `Target`; for changes of a resource below
 * another one.
 */
export function ChangeTarget<Name extends string>(ids: Ids<Name>): ParameterDecorator {
  return (target, key, index) => {
    fromRequest(ids)(target, key, index);
    for (const [name, [prefix, demo]] of Object.entries<readonly [string, number]>(ids)) {
      documentPathId(target, key, { prefix, name, demo });
    }
    documentIfMatch(target, key);
  };
}
