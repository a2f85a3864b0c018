import { createHash } from 'node:crypto';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { type OpenAPIObject, SwaggerModule } from '@nestjs/swagger';
import type { Express } from 'express';
import { type ApiTag, buildDocument } from './document.js';

const DOCUMENT_PATH = '/openapi.json';

interface Written {
  bytes: Buffer;
  etag: string;
}

/**
 * Serves `/openapi.json` and Swagger UI at `/docs`. The document is made on the first request, and made into bytes once:
 * it is some megabytes, anybody may ask for it, and to write it anew for each would hold up everybody else.
 */
export function serveDocument(app: NestExpressApplication, tags: readonly ApiTag[]): void {
  let document: OpenAPIObject | null = null;
  let written: Written | null = null;
  const made = () => (document ??= buildDocument(app, tags));
  const server: Express = app.getHttpAdapter().getInstance();
  server.get(DOCUMENT_PATH, (_request, response) => {
    const { bytes, etag } = (written ??= writtenOut(made()));
    // Express makes it a 304 where the reader has this one.
    response.set({ ETag: etag, 'Cache-Control': 'no-cache' }).type('application/json').send(bytes);
  });
  SwaggerModule.setup('docs', app, made, {
    raw: false,
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

function writtenOut(document: OpenAPIObject): Written {
  const bytes = Buffer.from(JSON.stringify(document));
  return { bytes, etag: `"${createHash('sha256').update(bytes).digest('base64url')}"` };
}
