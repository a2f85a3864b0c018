import { applyDecorators } from '@nestjs/common';
import { ApiHeader, ApiResponse } from '@nestjs/swagger';
import type { Request } from 'express';
import { MAX_POSITION_LENGTH } from './stream-position.js';

/** Reads the header of a client that reconnects; undefined if it is empty. */
export function lastEventIdOf({ headers }: Request): string | undefined {
  const id = headers['last-event-id'];
  return typeof id === 'string' && id !== '' ? id : undefined;
}

/** Documents the contents of the stream. */
export function ApiMessageStream(): MethodDecorator {
  return applyDecorators(
    ApiHeader({
      name: 'Last-Event-ID',
      required: false,
      description: 'ID of the last event that the client has seen; it takes precedence over `sinceId`',
      schema: { type: 'string', maxLength: MAX_POSITION_LENGTH },
    }),
    ApiResponse({
      status: 200,
      description:
        'An endless stream. `event: message` has the ID of the message and the message as JSON, as in the history; ' +
        '`event: gap` reports that messages which the client has not seen are no longer kept. The stream is closed if the ' +
        'client reads too slowly or its credential ends; it resumes with the ID of its last message.',
      content: {
        'text/event-stream': {
          schema: { type: 'string', description: 'Events as text; the example is a stream up to its first message.' },
        },
      },
    }),
  );
}
