#!/usr/bin/env node
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import { run } from './checks/run.js';
import { ROOT } from './checks/steps.js';
import { clientTypes } from './client/types.js';

/*
 * npm run client: writes the types of the released API document into the package of the typed client and builds the package, which
 * `npm pack` in its folder then packs.
 */
const FOLDER = join(ROOT, 'clients/typescript');
const DIST = join(FOLDER, 'dist');

rmSync(DIST, { recursive: true, force: true });
const document = JSON.parse(readFileSync(join(ROOT, 'releases/v1.json'), 'utf8'));
const types = await clientTypes(document);
writeFileSync(join(FOLDER, 'src/schema.d.ts'), types);
const compiler = [join(ROOT, 'node_modules/typescript/bin/tsc'), '-p', FOLDER, '--emitDeclarationOnly'];
const { ok } = await run({ name: 'types of the client', command: compiler }, { show: true });
writeFileSync(join(DIST, 'schema.d.ts'), types);
await build({
  entryPoints: [join(FOLDER, 'src/index.ts')],
  outfile: join(DIST, 'index.js'),
  bundle: true,
  format: 'esm',
  target: 'es2022',
  platform: 'neutral',
  minify: true,
  external: ['openapi-fetch'],
});
process.exitCode = ok ? 0 : 1;
