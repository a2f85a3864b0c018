import { NestFactory } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { apiDocumentContent } from '../document/api-document.js';
import { type AppDependencies, AppModule } from '../app.module.js';
import { domainEvents } from './domain-events.js';
import { Database } from '../platform/database/database.js';
import { passInFront } from '../platform/http/pipeline.js';
import { ServiceAdapter } from '../platform/http/service-adapter.js';
import { NestLog } from '../platform/observability/log.js';
import { traceStatements } from '../platform/observability/tracer.js';
import { NO_TELEMETRY } from '../platform/observability/telemetry.js';
import { serveDocument } from '../platform/openapi/serve-document.js';
import { Outbox } from '../platform/outbox/outbox.js';

/** Creates the application as it is served, both in production and in tests. The caller listens and closes. */
export async function createApp(surroundings: AppDependencies): Promise<NestExpressApplication> {
  const { env, log, telemetry = NO_TELEMETRY } = surroundings;
  const { tracer } = telemetry;
  const adapter = new ServiceAdapter(log);
  const app = await NestFactory.create<NestExpressApplication>(AppModule.forRoot(surroundings), adapter, {
    bodyParser: false,
    logger: new NestLog(log),
    abortOnError: false,
  });
  app.get(Outbox).declare(domainEvents);
  if (tracer) app.get(Database).traceBy(traceStatements(tracer));
  app.set('etag', false);
  app.disable('x-powered-by');
  app.set('trust proxy', [...env.trustedProxies]);
  const serveApiDocument = () => serveDocument(app, apiDocumentContent, { logsIn: !env.production });
  passInFront(app, { adapter, env, log, tracer, serveDocument: serveApiDocument });
  return app;
}
