import type { CorsOptions } from '@nestjs/common/interfaces/external/cors-options.interface.js';
import type { RequestHandler } from 'express';
import helmet from 'helmet';
import { headersSetBy } from './handler-chain.js';

/** What `default-src` does not speak for. */
const NOBODY_ELSE = { 'base-uri': ["'none'"], 'form-action': ["'none'"], 'frame-ancestors': ["'none'"] };
const BOTH = { referrerPolicy: { policy: 'no-referrer' }, frameguard: { action: 'deny' } } as const;

/**
 * Answers of the API never render as a page; Swagger UI is one, and gets a policy that lets its own files run. What
 * helmet sets is the same for each, so it is asked once.
 */
export function securityHeaders(): RequestHandler {
  const api = headersSetBy(
    helmet({
      contentSecurityPolicy: { useDefaults: false, directives: { 'default-src': ["'none'"], ...NOBODY_ELSE } },
      ...BOTH,
    }),
  );
  const docs = headersSetBy(
    helmet({
      contentSecurityPolicy: {
        useDefaults: false,
        directives: {
          'default-src': ["'self'"],
          'img-src': ["'self'", 'data:'],
          'object-src': ["'none'"],
          ...NOBODY_ELSE,
        },
      },
      ...BOTH,
    }),
  );
  return (request, response, next) => {
    const headers = /^\/docs(\/|$)/i.test(request.path) ? docs : api;
    for (const [name, value] of headers) response.setHeader(name, value);
    next();
  };
}

const READ_FROM_REQUESTS = [
  'Authorization',
  'Content-Type',
  'Idempotency-Key',
  'If-Match',
  'If-None-Match',
  'Last-Event-ID',
  'X-API-Key',
  'X-Request-Id',
];

const TOLD_BY_ANSWERS = [
  'ETag',
  'Idempotent-Replayed',
  'Link',
  'Location',
  'RateLimit',
  'RateLimit-Policy',
  'Retry-After',
  'X-Realtime-Complete',
  'X-Request-Id',
  'X-Total-Count',
];

/** What `crossOrigin` gives to an answer, for one that is written without Express: a browser hides it from its page else. */
export function crossOriginHeaders(origin: string | undefined, origins: readonly string[]): Record<string, string> {
  if (origin === undefined || !origins.includes(origin)) return {};
  return { 'Access-Control-Allow-Origin': origin, 'Access-Control-Expose-Headers': TOLD_BY_ANSWERS.join(',') };
}

/** The origins from which a browser may call the API and read our headers. */
export function crossOrigin(origins: readonly string[]): CorsOptions {
  return {
    origin: [...origins],
    methods: ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'],
    allowedHeaders: [...READ_FROM_REQUESTS],
    exposedHeaders: [...TOLD_BY_ANSWERS],
    maxAge: 600,
  };
}
