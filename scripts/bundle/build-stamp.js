// @ts-check
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Returns whether there is a bundle of the build in `dist`. @param {string} root */
export function bundleIsCurrent(root) {
  const stamp = stampFile(root);
  return existsSync(stamp) && readFileSync(stamp, 'utf8') === stampOf(root);
}

/** Records that the bundle was made from the build in `dist`. @param {string} root */
export function stampBundle(root) {
  writeFileSync(stampFile(root), stampOf(root));
}

/** @param {string} root */
function stampFile(root) {
  return join(root, 'dist/service/.built');
}

/** The compiler's record of the build has the hashes of all sources. @param {string} root */
function stampOf(root) {
  const record = join(root, 'dist/.tsbuildinfo');
  const content = existsSync(record) ? readFileSync(record) : '';
  return createHash('sha256').update(content).digest('hex');
}
