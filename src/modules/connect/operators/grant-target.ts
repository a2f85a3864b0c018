import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { Request } from 'express';
import { notFound } from '../../../platform/errors/app-error.js';
import { documentIfMatch, type ExpectedVersions, expectedVersionsOf } from '../../../platform/http/if-match.js';
import { documentPath } from '../../../platform/http/path-id.js';
import { GIVEN_ID } from './operator.entity.js';

/** The grant to change and the versions that If-Match expects. */
export interface GrantTarget {
  grantId: string;
  expected: ExpectedVersions;
}

const fromRequest = createParamDecorator((_: unknown, context: ExecutionContext): GrantTarget => {
  const request = context.switchToHttp().getRequest<Request>();
  const grantId = request.params['grantId'];
  if (typeof grantId !== 'string' || !GIVEN_ID.test(grantId)) throw notFound({ resource: 'grant' });
  return { grantId, expected: expectedVersionsOf(request) };
});

/** Reads the grant in the path and `If-Match` into one parameter; `example` is the ID of a demo grant. */
export function ChangedGrant(example: string): ParameterDecorator {
  return (target, key, index) => {
    fromRequest()(target, key, index);
    documentPath(target, key, {
      name: 'grantId',
      description: 'ID of the grant.',
      maxLength: 64,
      pattern: GIVEN_ID,
      example,
    });
    documentIfMatch(target, key);
  };
}
