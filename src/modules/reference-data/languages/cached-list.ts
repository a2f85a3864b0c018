import { applyDecorators, type Type } from '@nestjs/common';
import { ApiHeader, ApiResponse, type ApiResponseOptions } from '@nestjs/swagger';

type Headers = NonNullable<ApiResponseOptions['headers']>;

const headers: Headers = {
  ETag: {
    description: 'Changes with the content of the response',
    required: true,
    schema: { type: 'string', maxLength: 100 },
  },
  'Cache-Control': {
    description: 'The client may cache the response for five minutes, shared caches may not',
    required: true,
    schema: { type: 'string', enum: ['private, max-age=300'] },
  },
};

const Link: Headers[string] = {
  description: '`rel="next"` while there are more pages',
  schema: { type: 'string', maxLength: 1000 },
};

/** Documents the cache headers of a response, and status 304 for a matching ETag. */
export function CachedList(page: Type<object>): MethodDecorator {
  return applyDecorators(
    ApiHeader({
      name: 'If-None-Match',
      required: false,
      description: 'ETags of cached responses; 304 if one of them is still current',
      schema: { type: 'string', maxLength: 1000 },
    }),
    ApiResponse({ status: 200, type: page, description: 'The requested languages', headers: { ...headers, Link } }),
    ApiResponse({ status: 304, description: 'The cached response is still current', headers }),
  );
}
