import { applyDecorators } from '@nestjs/common';
import { ApiExtraModels, ApiOkResponse, getSchemaPath } from '@nestjs/swagger';
import { MAX_MESSAGES, MessageResponse } from './message.dto.js';

/** Documents the response, a list of messages without an envelope, and its header. */
export function ApiMessageHistory(): MethodDecorator {
  return applyDecorators(
    ApiExtraModels(MessageResponse),
    ApiOkResponse({
      description: 'Oldest first',
      schema: { type: 'array', maxItems: MAX_MESSAGES, items: { $ref: getSchemaPath(MessageResponse) } },
      headers: {
        'X-Realtime-Complete': {
          description: '`false` if messages after `sinceId` are no longer kept, so the reader has missed some',
          required: true,
          schema: { type: 'string', enum: ['true', 'false'] },
        },
      },
    }),
  );
}
