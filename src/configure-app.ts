import { NestFactory } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { AppModule, type Surroundings } from './app.module.js';
import { bodyParsers } from './platform/http/body-parsers.js';
import { requestContext } from './platform/http/context.middleware.js';
import { crossOrigin, securityHeaders } from './platform/http/security-headers.js';
import { servedSurfaces } from './platform/http/served-surfaces.js';
import { limitAddresses } from './platform/limits/rate-limit.guard.js';
import { RateLimits } from './platform/limits/rate-limits.js';
import { NestLog } from './platform/observability/nest-log.js';
import { requestLog } from './platform/observability/request-log.js';
import { serveDocument } from './platform/openapi/serve-document.js';

/** The application as it is served, in production and in tests alike. The caller listens and closes. */
export async function createApp(surroundings: Surroundings): Promise<NestExpressApplication> {
  const { env, log } = surroundings;
  const app = await NestFactory.create<NestExpressApplication>(AppModule.forRoot(surroundings), {
    bodyParser: false,
    logger: new NestLog(log),
    abortOnError: false,
  });
  app.set('etag', false);
  app.disable('x-powered-by');
  app.set('trust proxy', [...env.trustedProxies]);

  // Before everything that may refuse: whatever the answer is, it carries the request id.
  app.use(requestContext, requestLog(log), securityHeaders(), limitAddresses(app.get(RateLimits)));
  app.use(servedSurfaces(env.surfaces), ...bodyParsers());
  if (env.corsOrigins.length > 0) app.enableCors(crossOrigin(env.corsOrigins));
  serveDocument(app);
  return app;
}
