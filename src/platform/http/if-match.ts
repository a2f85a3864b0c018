import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { ApiHeader } from '@nestjs/swagger';
import type { Request } from 'express';
import { AppError, invalidField, notFound } from '../errors/app-error.js';
import { isId } from '../ids/id.js';
import { documentPathId } from './path-id.js';

/** The versions that the caller accepts; null: any version. */
export type ExpectedVersions = readonly number[] | null;

const ENTITY_TAGS = /^\s*(?:W\/)?"[^"]{0,200}"(?:\s*,\s*(?:W\/)?"[^"]{0,200}")*\s*$/;
const OUR_TAG = /(?:^|[\s,])"(\d{1,15})"/g;

const fromHeader = createParamDecorator((_: unknown, context: ExecutionContext): ExpectedVersions => {
  return expectedVersionsOf(context.switchToHttp().getRequest<Request>());
});

/** The `If-Match` header. Weak tags and unknown tags match no version. */
export function IfMatch(): ParameterDecorator {
  return (target, key, index) => {
    fromHeader()(target, key, index);
    documentIfMatch(target, key);
  };
}

/** The versions in the request's `If-Match`. Throws 400 if it contains anything but entity tags. */
export function expectedVersionsOf({ headers }: Request): ExpectedVersions {
  const header = headers['if-match'];
  return header === undefined ? null : parseIfMatch(header);
}

export function documentIfMatch(target: object, key: string | symbol | undefined): void {
  const descriptor = key === undefined ? undefined : Object.getOwnPropertyDescriptor(target, key);
  if (key === undefined || !descriptor) return;
  ApiHeader({
    name: 'If-Match',
    required: false,
    description: 'ETag of the version to change; 412 if the resource has changed since',
    schema: { type: 'string', maxLength: 200 },
  })(target, key, descriptor);
}

function parseIfMatch(header: string): ExpectedVersions {
  if (header.trim() === '*') return null;
  if (!ENTITY_TAGS.test(header))
    throw invalidField('If-Match', 'must contain entity tags, such as "3"', 'wrong_format');
  return [...header.matchAll(OUR_TAG)].map(([, version]) => Number(version));
}

/** Rejects the change with 412 if the resource has another version. */
export function assertVersion(expected: ExpectedVersions, resource: { version: number }): void {
  if (expected === null || expected.includes(resource.version)) return;
  throw new AppError(412, 'precondition_failed', 'The resource has changed since it was read', {
    details: { currentVersion: resource.version },
  });
}

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
