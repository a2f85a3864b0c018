import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { transform } from '@swc/core';

/*
 * Hooks for `module.register`: the fuzzer is one with the tests, and the tests are TypeScript. Types are only stripped
 * here; `npm run check` is what checks them.
 */

/** Sources name each other by what they are compiled to, `./random.js`. */
export async function resolve(specifier, context, nextResolve) {
  const isOurs = /^\.{1,2}\//.test(specifier) && specifier.endsWith('.js') && context.parentURL?.endsWith('.ts');
  const source = isOurs ? new URL(specifier.replace(/\.js$/, '.ts'), context.parentURL) : null;
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
