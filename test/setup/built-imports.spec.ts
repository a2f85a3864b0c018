import { describe, expect, it } from '@jest/globals';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';

const ROOT = resolve(import.meta.dirname, '../..');
const FOLDERS = ['bench', 'chaos', 'scripts', 'test'];
/** A static or awaited import of the build, with its names. */
const IMPORT =
  /(?:import|const)\s*\{(?<names>[^}]*)\}\s*(?:from|=\s*await\s+import\()\s*'(?<path>[./]*dist\/[^']+)\.js'/g;

interface BuiltImport {
  /** The importing file, and its imports. */
  place: string;
  source: string;
  name: string;
}

/** TypeScript does not check these imports: the files are JavaScript, and the build may be missing. */
function builtImports(): BuiltImport[] {
  return FOLDERS.flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' }).map((file) => join(folder, file)),
  )
    .filter((file) => /\.(c?js|ts)$/.test(file) && !file.includes('node_modules'))
    .flatMap((file) =>
      [...readFileSync(join(ROOT, file), 'utf8').matchAll(IMPORT)].flatMap(({ groups = {} }) => {
        const built = relative(ROOT, resolve(ROOT, file, '..', groups['path'] ?? ''));
        const source = built.replace(/^dist\//, '') + '.ts';
        const names = (groups['names'] ?? '').split(',').map((name) => name.trim().split(/\s+as\s+|:/)[0] ?? '');
        return names.filter(Boolean).map((name) => ({ place: `${file}: ${name}`, source, name }));
      }),
    );
}

function exportsName(source: string, name: string): boolean {
  if (!existsSync(join(ROOT, source))) return false;
  const text = readFileSync(join(ROOT, source), 'utf8');
  const declared = new RegExp(`^export (?:abstract |async )?(?:class|function\\*?|const|let) ${name}\\b`, 'm');
  const named = new RegExp(`^export \\{[^}]*\\b${name}\\b[^}]*\\}`, 'm');
  return declared.test(text) || named.test(text);
}

describe('imports of the build', () => {
  it('what benches, scripts and tests import from the build is exported by its source', () => {
    const imports = builtImports();
    expect(imports.length).toBeGreaterThan(20);
    expect(imports.filter(({ source, name }) => !exportsName(source, name)).map(({ place }) => place)).toEqual([]);
  });
});
