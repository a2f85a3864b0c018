import type { Provider } from '@nestjs/common';
import { APP_FILTER, APP_GUARD, APP_INTERCEPTOR, APP_PIPE } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import type { Express } from 'express';
import type { Logger } from 'pino';
import { Admission } from '../admission/admission.js';
import { ConnectionLimits } from '../admission/connection-limits.js';
import { ListCsvInterceptor } from '../admission/list-csv.interceptor.js';
import { OperatorLimitGuard, RateLimitGuard } from '../admission/rate-limits.js';
import { RequestBodies } from '../admission/request-bodies.js';
import { RequestSharesInterceptor } from '../admission/request-shares.js';
import { Traffic } from '../admission/traffic.js';
import { ScopesGuard } from '../auth/access.js';
import { BearerGuard } from '../auth/bearer.guard.js';
import type { Env } from '../config/env.js';
import type { Tracer } from '../observability/tracer.js';
import { ErrorFilter } from './error.filter.js';
import {
  chain,
  requestContext,
  requestLog,
  requireWellFormed,
  respondToOptions,
  servedSurfaces,
  traceRequests,
} from './middleware.js';
import { RequestIdInterceptor } from './response-headers.js';
import { RouteTable } from './route-table.js';
import { allowedOrigins, crossOrigin, securityHeaders } from './security-headers.js';
import type { ServiceAdapter } from './service-adapter.js';
import { KnownQueryGuard, RequestPipe } from './validation.pipe.js';

/*
 * The steps of a request from its connection to its handler. The two lists of this file are the complete order: `passInFront`
 * in front of the router, `PASSED_BY_ROUTES` behind it.
 */

interface Surroundings {
  readonly adapter: ServiceAdapter;
  readonly env: Env;
  readonly log: Logger;
  readonly tracer: Tracer | null;
  /** Serves the API document, if this process does. */
  readonly serveDocument: () => void;
}

/** Steps before the router. Cheap rejections come first, and nothing is read of a request that is rejected anyway. */
export function passInFront(app: NestExpressApplication, surroundings: Surroundings): void {
  const { adapter, env, log, tracer, serveDocument } = surroundings;
  const origins = allowedOrigins(env);
  const cors = origins.length > 0;
  const traffic = app.get(Traffic);

  // Connections are limited per address and in total; then (in `ServiceAdapter`) a connection passes one request at a time.
  app.get(ConnectionLimits).apply(app.getHttpServer(), proxyTest(app));
  // An overloaded process rejects before Express runs.
  adapter.admitBy(app.get(Admission));
  // The rate limit of the address; its rejections must cost next to nothing.
  app.use(app.get(Admission).limitAddress);
  // Every response from here on carries the request id, and is traced, counted, logged and protected.
  app.use(
    chain(
      requestContext,
      ...(tracer ? [traceRequests(tracer)] : []),
      traffic.follow,
      requestLog(log),
      securityHeaders(),
    ),
  );
  if (cors) app.enableCors(crossOrigin(origins));
  app.use(
    chain(
      // Rejects malformed paths, then paths of surfaces that this process does not serve.
      requireWellFormed,
      servedSurfaces(env.surfaces),
      respondToOptions(app.get(RouteTable), { cors }),
      // Reads the body up to the size that the caller may send; a large body is read only after its credential was verified.
      app.get(RequestBodies).read,
      traffic.received,
    ),
  );
  if (env.docs) serveDocument();
  app.use(adapter.route);
}

/** Steps after the router, in this order; routes can add interceptors such as that of `@Mutates()`. */
export const PASSED_BY_ROUTES: Provider[] = [
  // Authentication, the caller's rate limit, its scopes, the limit of the operator that it acts for, the query.
  { provide: APP_GUARD, useExisting: BearerGuard },
  { provide: APP_GUARD, useClass: RateLimitGuard },
  { provide: APP_GUARD, useClass: ScopesGuard },
  { provide: APP_GUARD, useClass: OperatorLimitGuard },
  { provide: APP_GUARD, useClass: KnownQueryGuard },
  // The first interceptor is the outermost: a request that waits for its turn has done nothing yet.
  { provide: APP_INTERCEPTOR, useClass: RequestSharesInterceptor },
  { provide: APP_INTERCEPTOR, useClass: RequestIdInterceptor },
  { provide: APP_INTERCEPTOR, useClass: ListCsvInterceptor },
  // Parameters and bodies are validated last.
  { provide: APP_PIPE, useClass: RequestPipe },
  { provide: APP_FILTER, useClass: ErrorFilter },
];

/** Express's own reading of the trusted proxies. */
function proxyTest(app: NestExpressApplication): (address: string) => boolean {
  const express: Express = app.getHttpAdapter().getInstance();
  return express.get('trust proxy fn') as (address: string) => boolean;
}
