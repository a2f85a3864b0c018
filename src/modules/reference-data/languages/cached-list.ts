import { applyDecorators, type Type } from '@nestjs/common';
import { ApiHeader, ApiResponse, type ApiResponseOptions } from '@nestjs/swagger';

type Headers = NonNullable<ApiResponseOptions['headers']>;

const headers: Headers = {
  ETag: { description: 'Changes when the answer does', required: true, schema: { type: 'string', maxLength: 100 } },
  'Cache-Control': {
    description: 'Kept for five minutes, by the client alone',
    required: true,
    schema: { type: 'string', enum: ['private, max-age=300'] },
  },
};

const Link: Headers[string] = {
  description: '`rel="next"` while there are more pages',
  schema: { type: 'string', maxLength: 1000 },
};

/** States in the API document what a client's cache may do with such a page: 304 while the ETag holds. */
export function CachedList(page: Type<object>): MethodDecorator {
  return applyDecorators(
    ApiHeader({
      name: 'If-None-Match',
      required: false,
      description: 'ETags that the client holds; 304 if one of them still is the answer',
      schema: { type: 'string', maxLength: 1000 },
    }),
    ApiResponse({ status: 200, type: page, description: 'What was asked for', headers: { ...headers, Link } }),
    ApiResponse({ status: 304, description: 'What the client holds is still the answer', headers }),
  );
}
