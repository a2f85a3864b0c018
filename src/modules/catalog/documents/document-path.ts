import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { ApiParam } from '@nestjs/swagger';
import type { Request } from 'express';
import { type AppError, invalidField, notFound } from '../../../platform/errors/app-error.js';
import { documentIfMatch, type ExpectedVersions, expectedVersionsOf } from '../../../platform/http/if-match.js';
import { documentedValues } from '../../../platform/http/named-values.js';
import { isVertical, unknownVertical, type Vertical, VERTICALS } from '../slices/verticals.js';

export const DOCUMENT_ID = /^[A-Za-z0-9._:-]{1,128}$/;

/** The document that a path names, and the versions that `If-Match` expects. */
export interface DocumentTarget {
  readonly vertical: Vertical;
  readonly id: string;
  readonly expected: ExpectedVersions;
}

interface TargetRule {
  /** Whether a missing document is created; a malformed path is then 400 instead of 404. */
  readonly creates?: boolean;
  readonly changes?: boolean;
  /** The id of the demo document in the example of the API document. */
  readonly example: string;
}

const fromRequest = createParamDecorator((creates: boolean, context: ExecutionContext): DocumentTarget => {
  const request = context.switchToHttp().getRequest<Request>();
  const { vertical, id } = request.params;
  if (!isVertical(vertical)) throw creates ? unknownVertical(String(vertical)) : notFound();
  if (typeof id !== 'string' || !DOCUMENT_ID.test(id)) throw creates ? invalidId() : notFound();
  return { vertical, id, expected: expectedVersionsOf(request) };
});

function invalidId(): AppError {
  return invalidField('id', 'id must be 1 to 128 characters of A-Z a-z 0-9 . _ : -', 'wrong_format');
}

/** The parameters `:vertical/:id` of the path and, for a change, `If-Match`. */
export function TargetDocument({ creates = false, changes = creates, example }: TargetRule): ParameterDecorator {
  return (target, key, index) => {
    fromRequest(creates)(target, key, index);
    const descriptor = key === undefined ? undefined : Object.getOwnPropertyDescriptor(target, key);
    if (key === undefined || !descriptor) return;
    const vertical = { ...documentedValues(VERTICALS), example: 'products' };
    ApiParam({ name: 'vertical', description: 'Type of product that the document describes.', schema: vertical })(
      target,
      key,
      descriptor,
    );
    const id = { type: 'string', minLength: 1, maxLength: 128, pattern: DOCUMENT_ID.source, example };
    ApiParam({ name: 'id', description: 'ID of the document, chosen by the client.', schema: id })(
      target,
      key,
      descriptor,
    );
    if (changes) documentIfMatch(target, key);
  };
}
