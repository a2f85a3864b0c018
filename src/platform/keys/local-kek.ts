import { randomBytes } from 'node:crypto';
import { existsSync, linkSync, mkdirSync, readFileSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ConfigurationError } from '../config/configuration-error.js';
import { randomBase62 } from '../ids/id.js';

interface LocalKek {
  id: string;
  /** 32 bytes. */
  key: Buffer;
}

const FILE = 'vault-kek.json';

/** The key of an earlier start, or a new one, in a file with mode 0600. Concurrent starts agree on one key. */
export function makeLocalKek(dataDir: string): LocalKek {
  return findLocalKek(dataDir) ?? make(dataDir);
}

/** The key of an earlier start. Throws ConfigurationError if the file contains none. */
export function findLocalKek(dataDir: string): LocalKek | null {
  const path = join(dataDir, FILE);
  if (!existsSync(path)) return null;
  const kek = parse(readFileSync(path, 'utf8'));
  if (kek) return kek;
  throw new ConfigurationError([
    `DATA_DIR: ${path} contains no key; restore the file from a backup, or delete it and lose everything that it protects`,
  ]);
}

function make(dataDir: string): LocalKek {
  const path = join(dataDir, FILE);
  const draft = join(dataDir, `${FILE}.${randomBase62(12)}`);
  // A unique id distinguishes keys wrapped by a lost file from damaged keys.
  const text = JSON.stringify({ id: `local${randomBase62(8)}`, key: randomBytes(32).toString('base64') });
  mkdirSync(dataDir, { recursive: true });
  writeFileSync(draft, text, { mode: 0o600, flag: 'wx', flush: true });
  try {
    // Unlike a rename, a link does not replace the file that a concurrent start may already use.
    linkSync(draft, path);
  } catch (error) {
    if (!existsSync(path)) throw error;
  } finally {
    unlinkSync(draft);
  }
  return makeLocalKek(dataDir);
}

function parse(text: string): LocalKek | null {
  try {
    const { id, key } = JSON.parse(text) as { id?: unknown; key?: unknown };
    const bytes = typeof key === 'string' ? Buffer.from(key, 'base64') : null;
    return typeof id === 'string' && /^[A-Za-z0-9]{1,32}$/.test(id) && bytes?.length === 32 ? { id, key: bytes } : null;
  } catch {
    return null;
  }
}
