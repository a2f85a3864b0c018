import { NestFactory } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { apiDocumentContent } from '../document/api-document.js';
import type { Express } from 'express';
import { AppModule, type AppDependencies } from '../app.module.js';
import { domainEvents } from './domain-events.js';
import { Database } from '../platform/database/database.js';
import { requestContext } from '../platform/http/context.middleware.js';
import { chain } from '../platform/http/handler-chain.js';
import { respondToOptions } from '../platform/http/options.js';
import { RouteTable } from '../platform/http/route-table.js';
import { allowedOrigins, crossOrigin, securityHeaders } from '../platform/http/security-headers.js';
import { servedSurfaces } from '../platform/http/served-surfaces.js';
import { ServiceAdapter } from '../platform/traffic/service-adapter.js';
import { requireWellFormed } from '../platform/http/well-formed.middleware.js';
import { NestLog } from '../platform/observability/nest-log.js';
import { traceStatements } from '../platform/observability/statement-trace.js';
import { NO_TELEMETRY } from '../platform/observability/telemetry.js';
import { requestLog } from '../platform/http/request-log.js';
import { traceRequests } from '../platform/http/request-trace.js';
import { serveDocument } from '../platform/openapi/serve-document.js';
import { Outbox } from '../platform/outbox/outbox.js';
import { AddressLimit } from '../platform/traffic/address-limit.js';
import { Admission } from '../platform/traffic/admission.js';
import { ConnectionLimits } from '../platform/traffic/connection-limits.js';
import { RequestBodies } from '../platform/traffic/request-bodies.js';
import { Traffic } from '../platform/traffic/traffic.js';

/** The application as it is served, in production and in tests alike. The caller listens and closes. */
export async function createApp(surroundings: AppDependencies): Promise<NestExpressApplication> {
  const { env, log, telemetry = NO_TELEMETRY } = surroundings;
  const { tracer } = telemetry;
  const origins = allowedOrigins(env);
  const cors = origins.length > 0;
  const adapter = new ServiceAdapter(log);
  const app = await NestFactory.create<NestExpressApplication>(AppModule.forRoot(surroundings), adapter, {
    bodyParser: false,
    logger: new NestLog(log),
    abortOnError: false,
  });
  adapter.admitBy(app.get(Admission));
  app.get(Outbox).declare(domainEvents);
  if (tracer) app.get(Database).traceBy(traceStatements(tracer));
  app.set('etag', false);
  app.disable('x-powered-by');
  app.set('trust proxy', [...env.trustedProxies]);
  // Express's own reading of the list.
  const express: Express = app.getHttpAdapter().getInstance();
  const isProxy = express.get('trust proxy fn') as (address: string) => boolean;
  app.get(ConnectionLimits).apply(app.getHttpServer(), isProxy);

  // Before everything else, because its rejections must cost next to nothing.
  app.use(app.get(AddressLimit).apply);
  // So that every other response carries the request id, error responses included.
  const traffic = app.get(Traffic);
  const tracing = tracer ? [traceRequests(tracer)] : [];
  app.use(chain(requestContext, ...tracing, traffic.follow, requestLog(log), securityHeaders()));
  if (cors) app.enableCors(crossOrigin(origins));
  const rejecting = [requireWellFormed, servedSurfaces(env.surfaces)];
  const reading = [respondToOptions(app.get(RouteTable), { cors }), app.get(RequestBodies).read, traffic.received];
  app.use(chain(...rejecting, ...reading));
  if (env.docs) serveDocument(app, apiDocumentContent, { logsIn: !env.production });
  app.use(adapter.route);
  return app;
}
