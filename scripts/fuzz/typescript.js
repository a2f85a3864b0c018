import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { transform } from '@swc/core';

/*
 * Hooks for `module.register`, because the fuzzer belongs to the tests, which are TypeScript. They only strip types;
 * `npm run check` checks them.
 */

/** Sources import each other by the names of their compiled files, `./random.js`. */
export async function resolve(specifier, context, nextResolve) {
  const isSource = /^\.{1,2}\//.test(specifier) && specifier.endsWith('.js') && context.parentURL?.endsWith('.ts');
  const source = isSource ? new URL(specifier.replace(/\.js$/, '.ts'), context.parentURL) : null;
  if (source && existsSync(source)) return { url: source.href, shortCircuit: true };
  return nextResolve(specifier, context);
}

export async function load(url, context, nextLoad) {
  if (!url.startsWith('file:') || !url.endsWith('.ts')) return nextLoad(url, context);
  const file = fileURLToPath(url);
  const { code } = await transform(await readFile(file, 'utf8'), {
    filename: file,
    swcrc: false,
    module: { type: 'es6' },
    sourceMaps: 'inline',
    jsc: { target: 'es2022', parser: { syntax: 'typescript' } },
  });
  return { format: 'module', source: code, shortCircuit: true };
}
