import { closeSync, fstatSync, openSync, readFileSync } from 'node:fs';

const MAX_BYTES = 65_536;

/** Mode and content of the same open file, so that it cannot be exchanged between the two. Throws for unusable files. */
export function readSmallFile(path: string, maxBytes = MAX_BYTES): { content: string; mode: number } {
  const file = openSync(path, 'r');
  try {
    const stat = fstatSync(file);
    if (!stat.isFile()) throw new Error('it is not a file');
    if (stat.size > maxBytes) throw new Error('it is too large');
    return { content: readFileSync(file, 'utf8'), mode: stat.mode };
  } finally {
    closeSync(file);
  }
}
