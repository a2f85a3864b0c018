import { documentedValues } from '../../../platform/http/named-values.js';
import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { ApiParam } from '@nestjs/swagger';
import type { Request } from 'express';
import { AppError, invalidField, notFound } from '../../../platform/errors/app-error.js';
import { documentIfMatch, type ExpectedVersions, expectedVersionsOf } from '../../../platform/http/if-match.js';
import { isVertical, type Vertical, VERTICALS } from '../fields/registry.js';

export const DOCUMENT_ID = /^[A-Za-z0-9._:-]{1,128}$/;

/** What a name that is no vertical is answered with; extras are sold with a product, never by themselves. */
export function unknownVertical(vertical: string): AppError {
  const known = `one of ${VERTICALS.join(', ')}`;
  const isExtras = vertical === 'extras';
  const message = isExtras
    ? 'extras cannot be searched on their own; search their product'
    : `vertical must be ${known}`;
  const { details } = invalidField('vertical', message, 'isIn');
  const reason = { reason: 'not_independently_sellable', vertical: 'extras', ownedBy: 'products' };
  return new AppError(400, 'invalid_request', message, { details: { ...details, ...(isExtras ? reason : {}) } });
}

/** The document that a path names, and the versions that a change of it is meant for. */
export interface DocumentTarget {
  readonly vertical: Vertical;
  readonly id: string;
  readonly expected: ExpectedVersions;
}

interface TargetRule {
  /** Whether the document is made where it is missing: then a name that cannot be is 400 and not 404. */
  readonly makes?: boolean;
  readonly changes?: boolean;
  /** The id of the demo document that the API document shows. */
  readonly example: string;
}

const fromRequest = createParamDecorator((makes: boolean, context: ExecutionContext): DocumentTarget => {
  const request = context.switchToHttp().getRequest<Request>();
  const { vertical, id } = request.params;
  if (!isVertical(vertical)) throw makes ? unknownVertical(String(vertical)) : notFound();
  if (typeof id !== 'string' || !DOCUMENT_ID.test(id)) throw makes ? badId() : notFound();
  return { vertical, id, expected: expectedVersionsOf(request) };
});

function badId(): AppError {
  return invalidField('id', 'id must be 1 to 128 of the characters A-Z a-z 0-9 . _ : -', 'matches');
}

/** `:vertical/:id` of the path, and with `If-Match` where something is changed. */
export function TargetDocument({ makes = false, changes = makes, example }: TargetRule): ParameterDecorator {
  return (target, key, index) => {
    fromRequest(makes)(target, key, index);
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
