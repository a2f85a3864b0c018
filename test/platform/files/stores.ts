import { createHash } from 'node:crypto';
import { readEnv } from '../../../src/platform/config/read-env.js';
import { openFileStores } from '../../../src/platform/files/configured-files.js';
import type { MovableFiles } from '../../../src/platform/files/file-store.js';
import { closeAfterTests } from '../../setup/running.js';

export interface Logged {
  message: string;
  error?: unknown;
}

/** Opens the first store of these settings without a service, and collects its log. */
export async function openStore(variables: Record<string, string>, logged: Logged[] = []): Promise<MovableFiles> {
  const env = readEnv({ ...process.env, ...variables });
  const log = {
    error: ({ err }: { err?: unknown }, message: string) => void logged.push({ message, error: err }),
    info: (_: object, message: string) => void logged.push({ message }),
  };
  const diskSpace = { reportFull: () => undefined, isFull: () => false };
  const { files: store } = await openFileStores(env, { diskSpace, log: log as never });
  closeAfterTests(() => store.close());
  return store;
}

export function keyOf(bytes: string | Buffer): string {
  return createHash('sha256').update(bytes).digest('hex');
}

export async function keysIn(store: MovableFiles): Promise<string[]> {
  const keys: string[] = [];
  for await (const { key } of store.list()) keys.push(key);
  return keys.sort();
}
