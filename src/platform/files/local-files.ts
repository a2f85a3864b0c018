import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { type FileHandle, mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { diskFull, unavailable } from '../errors/app-error.js';
import type { DiskSpace } from '../observability/disk-space.js';
import { hasKey, verified } from './content-hash.js';
import {
  DamagedFile,
  isKey,
  MovableFiles,
  type OpenFile,
  pathOf,
  type StoredFile,
  type StoreFailure,
} from './file-store.js';

const PROBE_BYTES = 256 * 1024;
/** The disk or the user's quota is full. */
const FULL = new Set<unknown>(['ENOSPC', 'EDQUOT']);
/** As PostgreSQL ignores them for folders. */
const NO_SYNC = new Set<unknown>(['EINVAL', 'EBADF']);
const FOLDER = /^[0-9a-f]{2}$/;

/** Files below a folder, on a volume that all processes of the service share. */
export class LocalFiles extends MovableFiles {
  constructor(
    private readonly root: string,
    private readonly diskSpace: Pick<DiskSpace, 'reportFull' | 'isFull'>,
  ) {
    super();
  }

  async put(bytes: Uint8Array): Promise<StoredFile> {
    const key = createHash('sha256').update(bytes).digest('hex');
    const path = this.locate(key);
    try {
      const created = await mkdir(dirname(path), { recursive: true });
      if ((await this.verify(key)) !== 'whole') await writeWhole(path, (file) => file.writeFile(bytes));
      await this.syncFolders(path, created);
    } catch (error) {
      throw this.failed(error);
    }
    return { key, sizeBytes: bytes.length };
  }

  async has(key: string): Promise<boolean> {
    const file = await this.handle(key);
    await file?.close();
    return file !== null;
  }

  async open(key: string): Promise<OpenFile | null> {
    const file = await this.handle(key);
    if (!file) return null;
    const { size } = await file.stat();
    return { stream: file.createReadStream(), sizeBytes: size };
  }

  async copy(file: StoredFile, bytes: Readable): Promise<void> {
    const path = this.locate(file.key);
    try {
      const created = await mkdir(dirname(path), { recursive: true });
      await writeWhole(path, (draft) =>
        pipeline(bytes, verified(file), async (chunks: AsyncIterable<Buffer>) => {
          for await (const chunk of chunks) await draft.writeFile(chunk);
        }),
      );
      await this.syncFolders(path, created);
    } catch (error) {
      throw error instanceof DamagedFile ? error : this.failed(error);
    } finally {
      bytes.destroy();
    }
  }

  async *list(): AsyncIterable<StoredFile> {
    try {
      for (const first of await namesIn(this.root, FOLDER)) {
        for (const second of await namesIn(join(this.root, first), FOLDER)) {
          for (const key of (await readdir(join(this.root, first, second))).filter(isKey)) {
            const file = await stat(this.locate(key)).catch(nullIfMissing);
            if (file) yield { key, sizeBytes: file.size };
          }
        }
      }
    } catch (error) {
      throw storeUnavailable(error);
    }
  }

  async verify(key: string): Promise<'whole' | 'damaged' | 'missing'> {
    const file = await this.open(key);
    if (!file) return 'missing';
    const isWhole = await hasKey(file.stream, key).catch((error: unknown) => Promise.reject(storeUnavailable(error)));
    return isWhole ? 'whole' : 'damaged';
  }

  async delete(key: string): Promise<void> {
    await rm(this.locate(key), { force: true }).catch((error: unknown) => Promise.reject(storeUnavailable(error)));
  }

  failure(): StoreFailure | null {
    return this.diskSpace.isFull('files') ? 'full' : null;
  }

  async close(): Promise<void> {
    // There is nothing to close.
  }

  /**
   * Makes the name of a file durable, and the names of the folders that lead to it, which another process may have just
   * created. `created` is the first folder that did not exist, even above the root.
   */
  private async syncFolders(path: string, created: string | undefined): Promise<void> {
    const last = created === undefined || created.length > this.root.length ? this.root : dirname(created);
    for (let folder = dirname(path); ; folder = dirname(folder)) {
      await syncFolder(folder);
      if (folder === last || folder === dirname(folder)) return;
    }
  }

  private failed(error: unknown): Error {
    if (!FULL.has(codeOf(error))) return storeUnavailable(error);
    this.diskSpace.reportFull('files', error, () => this.tryWrite());
    return Object.assign(diskFull(), { cause: error });
  }

  private async tryWrite(): Promise<void> {
    await mkdir(this.root, { recursive: true });
    const path = join(this.root, `probe.${randomUUID()}`);
    try {
      await writeWhole(path, (file) => file.writeFile(randomBytes(PROBE_BYTES)));
    } finally {
      await rm(path, { force: true });
    }
  }

  private async handle(key: string): Promise<FileHandle | null> {
    if (!isKey(key)) return null;
    try {
      return await open(this.locate(key), 'r');
    } catch (error) {
      // If its folder does not exist, the store itself is missing: a volume that is not mounted.
      if (codeOf(error) === 'ENOENT' && (await exists(this.root))) return null;
      throw storeUnavailable(error);
    }
  }

  private locate(key: string): string {
    return join(this.root, pathOf(key));
  }
}

/** The file gets its name when it is complete, so that a reader never finds part of it, even after a crash. */
async function writeWhole(path: string, write: (file: FileHandle) => Promise<void>): Promise<void> {
  const draft = `${path}.${randomUUID()}`;
  try {
    const file = await open(draft, 'wx', 0o640);
    try {
      await write(file);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(draft, path);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
}

/** Makes the names in a folder durable, if its file system can: some network file systems reject it. */
async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r');
  try {
    await folder.sync();
  } catch (error) {
    if (!NO_SYNC.has(codeOf(error))) throw error;
  } finally {
    await folder.close();
  }
}

async function namesIn(folder: string, pattern: RegExp): Promise<string[]> {
  return (await readdir(folder)).filter((name) => pattern.test(name)).sort();
}

function nullIfMissing(error: unknown): null {
  if (codeOf(error) === 'ENOENT') return null;
  throw error;
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    (error: unknown) => {
      if (codeOf(error) === 'ENOENT') return false;
      throw error;
    },
  );
}

function codeOf(error: unknown): unknown {
  return typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;
}

function storeUnavailable(cause: unknown): Error {
  return Object.assign(unavailable('The file storage is unavailable'), { cause });
}
