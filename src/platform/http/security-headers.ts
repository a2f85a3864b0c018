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
