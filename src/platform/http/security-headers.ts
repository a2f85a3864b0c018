import type { CorsOptions } from '@nestjs/common/interfaces/external/cors-options.interface.js';
import type { RequestHandler } from 'express';
import helmet from 'helmet';

/** Answers of the API never render as a page; Swagger UI is one, and gets a policy that lets its own files run. */
export function securityHeaders(): RequestHandler {
  const api = helmet({
    contentSecurityPolicy: {
      useDefaults: false,
      directives: { 'default-src': ["'none'"], 'frame-ancestors': ["'none'"] },
    },
    referrerPolicy: { policy: 'no-referrer' },
  });
  const docs = helmet({
    contentSecurityPolicy: {
      useDefaults: false,
      directives: {
        'default-src': ["'self'"],
        'img-src': ["'self'", 'data:'],
        'script-src': ["'self'", "'unsafe-inline'"],
        'style-src': ["'self'", "'unsafe-inline'"],
        'frame-ancestors': ["'none'"],
      },
    },
    referrerPolicy: { policy: 'no-referrer' },
  });
  return (request, response, next) => {
    const page = /^\/docs(\/|$)/i.test(request.path) ? docs : api;
    page(request, response, next);
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
];

/** The back-office web app may call from these origins and read what our headers say; nobody else may. */
export function crossOrigin(origins: readonly string[]): CorsOptions {
  return {
    origin: [...origins],
    methods: ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'],
    allowedHeaders: [...READ_FROM_REQUESTS],
    exposedHeaders: [...TOLD_BY_ANSWERS],
    maxAge: 600,
  };
}
