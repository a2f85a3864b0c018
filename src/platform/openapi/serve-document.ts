import type { NestExpressApplication } from '@nestjs/platform-express';
import { type OpenAPIObject, SwaggerModule } from '@nestjs/swagger';
import { buildDocument } from './document.js';

/** Serves `/openapi.json` and Swagger UI at `/docs`. The document is made on the first request and kept. */
export function serveDocument(app: NestExpressApplication): void {
  let document: OpenAPIObject | null = null;
  SwaggerModule.setup('docs', app, () => (document ??= buildDocument(app)), {
    jsonDocumentUrl: 'openapi.json',
    raw: ['json'],
    customSiteTitle: 'Travel Operations Platform',
    swaggerOptions: {
      persistAuthorization: true,
      docExpansion: 'list',
      filter: true,
      displayRequestDuration: true,
      validatorUrl: null,
    },
  });
}
