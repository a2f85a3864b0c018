import { readFileSync } from 'node:fs';
import { PreparedFile } from './prepared-file.js';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { NestExpressApplication } from '@nestjs/platform-express';
import type { OpenAPIObject } from '@nestjs/swagger';
import type { Express, Request } from 'express';
import { SURFACES } from '../config/table.js';
import type { Surface } from '../context/surface.js';
import { invalidField } from '../errors/app-error.js';
import { buildDocument, type DocumentContent } from './document.js';
import { surfaceDocument } from './surface-document.js';

/**
 * The build copies the file to the same place in `dist`: of the package and the 250 others that it needs, 290 MB together, the service
 * uses these 5 MB, so that production installs none of them.
 */
const SCALAR = new URL('../../../node_modules/@scalar/api-reference/dist/browser/standalone.js', import.meta.url);
const INIT = new URL('./scalar.js', import.meta.url);

const PAGE = `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Travel Operations Platform</title>
<link rel="icon" href="data:,">
</head>
<body>
<div id="reference"></div>
<script src="/reference/init.js"></script>
<script src="/reference/scalar.js"></script>
</body>
</html>
`;

const FILES = {
  '/reference': { type: 'html', read: () => Buffer.from(PAGE) },
  '/reference/init.js': { type: 'js', read: () => readFileSync(INIT) },
  '/reference/scalar.js': { type: 'js', read: () => readFileSync(SCALAR) },
};
type ReferencePath = keyof typeof FILES;

/** The page of Scalar and its resources. */
const REFERENCE_PATHS = Object.keys(FILES) as ReferencePath[];

/** Reads the file when a browser first requests it: Scalar takes 5 MB, and few services are asked for it. */
function referenceFile(path: ReferencePath, cacheControl: string): PreparedFile {
  const { type, read } = FILES[path];
  return new PreparedFile(read(), type, cacheControl);
}

const REVALIDATED = 'no-cache';
/** The path of an asset contains the version of Swagger UI, so its content never changes. */
const UNCHANGING = 'public, max-age=31536000, immutable';

/**
 * Serves `/openapi.json`, Swagger UI at `/docs` (`/` redirects to it), and Scalar at `/reference`. The document is built on the
 * first request and serialized once for each surface: building it for each request would block all the others. With `logsIn`
 * Swagger UI has a form that logs in staff.
 */
export function serveDocument(
  app: NestExpressApplication,
  content: () => DocumentContent,
  { logsIn }: { logsIn: boolean },
): void {
  const server: Express = app.getHttpAdapter().getInstance();
  let document: OpenAPIObject | null = null;
  const parts = new Map<Surface | undefined, PreparedFile>();
  server.get('/openapi.json', (request, response) => {
    const surface = requestedSurface(request);
    document ??= buildDocument(app, content());
    const part = surface === undefined ? document : surfaceDocument(document, surface);
    const file = parts.get(surface) ?? new PreparedFile(Buffer.from(JSON.stringify(part)), 'json', REVALIDATED);
    parts.set(surface, file);
    return file.send(request, response);
  });

  // The address that a browser is sent to first.
  server.get('/', (_request, response) => response.redirect('/docs'));

  const files = swaggerUiFiles(logsIn);
  for (const [path, file] of Object.entries(files)) {
    server.get(path, (request, response) => file.send(request, response));
  }
  const references = new Map<string, PreparedFile>();
  for (const path of REFERENCE_PATHS) {
    server.get(path, (request, response) => {
      const file = references.get(path) ?? referenceFile(path, REVALIDATED);
      references.set(path, file);
      return file.send(request, response);
    });
  }
}

/** Throws 400 for a value that is not the name of a surface. */
function requestedSurface({ query }: Request): Surface | undefined {
  const { surface } = query;
  if (surface === undefined) return undefined;
  const known = SURFACES.find((name) => name === surface);
  if (!known) {
    const message = `surface must be one of ${SURFACES.join(', ')}`;
    throw invalidField('surface', message, 'unknown_value', { allowed: SURFACES });
  }
  return known;
}

/** The page and its resources, by path. */
function swaggerUiFiles(logsIn: boolean): Record<string, PreparedFile> {
  const assets = dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'));
  const { version } = JSON.parse(readFileSync(join(assets, 'package.json'), 'utf8')) as { version: string };
  const folder = `/docs/${version}`;
  const asset = (name: string, type: string) => new PreparedFile(readFileSync(join(assets, name)), type, UNCHANGING);
  const init = readFileSync(new URL('./swagger-ui.js', import.meta.url));
  return {
    '/docs': new PreparedFile(Buffer.from(page(folder, logsIn)), 'html', REVALIDATED),
    '/docs/init.js': new PreparedFile(init, 'js', REVALIDATED),
    [`${folder}/swagger-ui.css`]: asset('swagger-ui.css', 'css'),
    [`${folder}/swagger-ui-bundle.js`]: asset('swagger-ui-bundle.js', 'js'),
    [`${folder}/favicon-32x32.png`]: asset('favicon-32x32.png', 'png'),
  };
}

const LOG_IN = `<form id="log-in" class="swagger-ui">
<label>E-mail <input name="email" type="email" autocomplete="username" required></label>
<label>Password <input name="password" type="password" autocomplete="current-password" required></label>
<button class="btn authorize" type="submit">Log in as staff</button>
<output></output>
</form>
`;

function page(folder: string, logsIn: boolean): string {
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
${logsIn ? LOG_IN : ''}<div id="swagger-ui"></div>
<script src="${folder}/swagger-ui-bundle.js"></script>
<script src="/docs/init.js"></script>
</body>
</html>
`;
}
