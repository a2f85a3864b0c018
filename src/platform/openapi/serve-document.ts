import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { NestExpressApplication } from '@nestjs/platform-express';
import type { Express } from 'express';
import { buildDocument, type DocumentContent } from './document.js';
import { PreparedFile } from './prepared-file.js';

const REVALIDATED = 'no-cache';
/** The path of an asset contains the version of Swagger UI, so its content never changes. */
const UNCHANGING = 'public, max-age=31536000, immutable';

/**
 * Serves `/openapi.json` and Swagger UI at `/docs`, to which `/` leads. The document is built on the first request and serialized once:
 * building it for each request would block all the others.
 */
export function serveDocument(app: NestExpressApplication, content: () => DocumentContent): void {
  const server: Express = app.getHttpAdapter().getInstance();
  let document: PreparedFile | null = null;
  server.get('/openapi.json', (request, response) => {
    document ??= new PreparedFile(Buffer.from(JSON.stringify(buildDocument(app, content()))), 'json', REVALIDATED);
    return document.send(request, response);
  });

  // The address that a browser is given first.
  server.get('/', (_request, response) => response.redirect('/docs'));

  const files = swaggerUiFiles();
  for (const [path, file] of Object.entries(files)) {
    server.get(path, (request, response) => file.send(request, response));
  }
}

/** The page and what it loads, by path. */
function swaggerUiFiles(): Record<string, PreparedFile> {
  const assets = dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'));
  const { version } = JSON.parse(readFileSync(join(assets, 'package.json'), 'utf8')) as { version: string };
  const folder = `/docs/${version}`;
  const asset = (name: string, type: string) => new PreparedFile(readFileSync(join(assets, name)), type, UNCHANGING);
  const init = readFileSync(new URL('./swagger-ui.js', import.meta.url));
  return {
    '/docs': new PreparedFile(Buffer.from(page(folder)), 'html', REVALIDATED),
    '/docs/init.js': new PreparedFile(init, 'js', REVALIDATED),
    [`${folder}/swagger-ui.css`]: asset('swagger-ui.css', 'css'),
    [`${folder}/swagger-ui-bundle.js`]: asset('swagger-ui-bundle.js', 'js'),
    [`${folder}/favicon-32x32.png`]: asset('favicon-32x32.png', 'png'),
  };
}

function page(folder: string): string {
  return `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Travel Operations Platform</title>
<link rel="icon" type="image/png" href="${folder}/favicon-32x32.png">
<link rel="stylesheet" href="${folder}/swagger-ui.css">
</head>
<body>
<div id="swagger-ui"></div>
<script src="${folder}/swagger-ui-bundle.js"></script>
<script src="/docs/init.js"></script>
</body>
</html>
`;
}
