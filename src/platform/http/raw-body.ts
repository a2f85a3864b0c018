import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { ApiBody, ApiConsumes } from '@nestjs/swagger';
import type { Request } from 'express';
import { invalidField } from '../errors/app-error.js';

const bytesOf = createParamDecorator((_: unknown, context: ExecutionContext): Buffer => {
  const { body } = context.switchToHttp().getRequest<Request>() as { body: unknown };
  if (Buffer.isBuffer(body) && body.length > 0) return body;
  throw invalidField('', 'The body must be the bytes of a file', 'not_a_file');
});

/** The body of a route that takes a file itself, not JSON. The path and its limit are also in `body-parsers.ts`. */
export function RawBody({ types, maxBytes }: { types: readonly string[]; maxBytes: number }): ParameterDecorator {
  return (target, key, index) => {
    bytesOf()(target, key, index);
    const descriptor = key === undefined ? undefined : Object.getOwnPropertyDescriptor(target, key);
    if (key === undefined || !descriptor) return;
    ApiConsumes(...types)(target, key, descriptor);
    const description = `The bytes of the file, at most ${maxBytes}.`;
    ApiBody({ required: true, schema: { type: 'string', format: 'binary', description } })(target, key, descriptor);
  };
}
