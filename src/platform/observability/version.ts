import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

let known: string | null = null;

/** The version of the package that contains this file. */
export function serviceVersion(): string {
  return (known ??= versionAbove(import.meta.dirname));
}

function versionAbove(folder: string): string {
  const file = join(folder, 'package.json');
  if (existsSync(file)) return (JSON.parse(readFileSync(file, 'utf8')) as { version?: string }).version ?? 'unknown';
  const parent = dirname(folder);
  return parent === folder ? 'unknown' : versionAbove(parent);
}
