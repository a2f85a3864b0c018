import type { CorsOptions } from '@nestjs/common/interfaces/external/cors-options.interface.js';
import type { RequestHandler } from 'express';
import helmet from 'helmet';
import type { Env } from '../config/env.js';
import { headersSetBy } from './middleware.js';

/** Directives to which `default-src` does not apply. */
const NOBODY_ELSE = { 'base-uri': ["'none'"], 'form-action': ["'none'"], 'frame-ancestors': ["'none'"] };
const BOTH = { referrerPolicy: { policy: 'no-referrer' }, frameguard: { action: 'deny' } } as const;

const OWN_FILES = {
  'default-src': ["'self'"],
  'img-src': ["'self'", 'data:'],
  'object-src': ["'none'"],
  ...NOBODY_ELSE,
};
/**
 * Scalar writes its style sheets into the page: its own, those of its messages, and its theme. A new version has others; the
 * browser's console names their hashes.
 */
const SCALAR_STYLES = [
  "'sha256-QpRH++jfSE25E/ku5JwG+oucjRD32SqdyuYxGFVNDSA='",
  "'sha256-l/2OpPg0d+2VLTLgwjf5mQo2CYwHDEqdj5TjbfEyVJI='",
  "'sha256-T13Uev3xCax2N28XaoAE8DOzQZKvPp7ZQVAi1iRREjo='",
];

/**
 * API responses are never displayed as a page; Swagger UI and Scalar are pages, and their policies permit their own files. Helmet
 * sets the same headers for each request, so they are computed once.
 */
export function securityHeaders(): RequestHandler {
  const api = headersSetBy(
    helmet({
      contentSecurityPolicy: { useDefaults: false, directives: { 'default-src': ["'none'"], ...NOBODY_ELSE } },
      ...BOTH,
    }),
  );
  const docs = headersSetBy(helmet({ contentSecurityPolicy: { useDefaults: false, directives: OWN_FILES }, ...BOTH }));
  const reference = headersSetBy(
    helmet({
      contentSecurityPolicy: {
        useDefaults: false,
        directives: {
          ...OWN_FILES,
          'style-src-elem': ["'self'", ...SCALAR_STYLES],
          // Each example of code has the number of its lines in an attribute.
          'style-src-attr': ["'unsafe-inline'"],
        },
      },
      ...BOTH,
    }),
  );
  const pages = new Map([
    ['docs', docs],
    ['reference', reference],
  ]);
  return (request, response, next) => {
    const [, folder = ''] = request.path.split('/', 2);
    const headers = pages.get(folder.toLowerCase()) ?? api;
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
  'traceparent',
  'X-API-Key',
  'X-Request-Id',
];

const TOLD_BY_ANSWERS = [
  'Content-Disposition',
  'Deprecation',
  'ETag',
  'Idempotent-Replayed',
  'Link',
  'Location',
  'RateLimit',
  'RateLimit-Policy',
  'Retry-After',
  'Sunset',
  'X-Realtime-Complete',
  'X-Request-Id',
  'X-Total-Count',
];

type AllowedOrigins = readonly (string | RegExp)[];

/** Pages that a developer serves locally, at any port. */
const LOCAL_PAGES = /^http:\/\/localhost(:\d{1,5})?$/;

/** The configured origins, and outside production the pages of the developer. */
export function allowedOrigins({ corsOrigins, production }: Pick<Env, 'corsOrigins' | 'production'>): AllowedOrigins {
  return production ? corsOrigins : [...corsOrigins, LOCAL_PAGES];
}

/** The CORS headers of a response that is written without Express; without them a browser does not show it to its page. */
export function crossOriginHeaders(origin: string | undefined, origins: AllowedOrigins): Record<string, string> {
  const isAllowed = origins.some((one) => (one instanceof RegExp ? one.test(origin ?? '') : one === origin));
  if (origin === undefined || !isAllowed) return {};
  return { 'Access-Control-Allow-Origin': origin, 'Access-Control-Expose-Headers': TOLD_BY_ANSWERS.join(',') };
}

/** The origins from which a browser may call the API and read its headers. */
export function crossOrigin(origins: AllowedOrigins): CorsOptions {
  return {
    origin: [...origins],
    methods: ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'],
    allowedHeaders: [...READ_FROM_REQUESTS],
    exposedHeaders: [...TOLD_BY_ANSWERS],
    maxAge: 600,
    // It would respond to every OPTIONS request, even if it is no preflight request.
    preflightContinue: true,
  };
}
