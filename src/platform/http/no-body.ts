import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { Request } from 'express';
import { invalidField, invalidRequest } from '../errors/app-error.js';

/** The body of a route without a body: absent, empty and `{}` are accepted. Members are rejected as unknown. */
export const NoBody = createParamDecorator((_: unknown, context: ExecutionContext): null => {
  assertNoBody(context.switchToHttp().getRequest<Request>().body);
  return null;
});

export function assertNoBody(body: unknown): void {
  if (body === undefined) return;
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    throw invalidField('', 'The body must be a JSON object, or absent', 'wrong_type');
  }
  const unknown = Object.keys(body);
  if (unknown.length === 0) return;
  throw invalidRequest(unknown.map((path) => ({ path, message: `${path} is not recognized`, code: 'unknown_member' })));
}
