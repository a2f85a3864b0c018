import { readFileSync } from 'node:fs';
import { PreparedFile } from './prepared-file.js';

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

/** The page of Scalar and what it loads. */
export const REFERENCE_PATHS = Object.keys(FILES) as ReferencePath[];

/** One of these files, to be read when a browser asks for it first: few services are asked, and Scalar takes 5 MB. */
export function referenceFile(path: ReferencePath, cacheControl: string): PreparedFile {
  const { type, read } = FILES[path];
  return new PreparedFile(read(), type, cacheControl);
}
