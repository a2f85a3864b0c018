import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { ApiHeader } from '@nestjs/swagger';
import type { Request } from 'express';
import { AppError, invalidField } from '../errors/app-error.js';

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

/** Rejects a change of another version of the resource with 412. */
export function assertVersion(expected: ExpectedVersions, resource: { version: number }): void {
  if (expected === null || expected.includes(resource.version)) return;
  throw new AppError(412, 'precondition_failed', 'The resource has changed since it was read', {
    details: { currentVersion: resource.version },
  });
}
