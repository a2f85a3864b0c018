import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { Request } from 'express';

const MAX_CAPABILITIES = 50;

/** What a request of the standard says apart from its path and body. */
export interface OctoHeaders {
  /** Without `octo/`, lower case; also unknown ones. */
  capabilities: readonly string[];
  environment: 'live' | 'test';
  /** Language tags, the most wanted first. */
  languages: readonly string[];
}

/** Reads the capabilities (from the header or the parameter `_capabilities`), the environment and the languages. */
export const WithOctoHeaders = createParamDecorator((_: unknown, context: ExecutionContext): OctoHeaders => {
  const request = context.switchToHttp().getRequest<Request>();
  const { headers, query } = request;
  const given = [headers['octo-capabilities'], query['_capabilities']].filter((one) => typeof one === 'string');
  const capabilities = given
    .flatMap((list) => list.split(',', MAX_CAPABILITIES))
    .map((id) =>
      id
        .trim()
        .toLowerCase()
        .replace(/^octo\//, ''),
    );
  const isTest = String(headers['octo-env'] ?? '').toLowerCase() === 'test';
  return { capabilities, environment: isTest ? 'test' : 'live', languages: request.acceptsLanguages() };
});
