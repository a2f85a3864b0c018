import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { mkdir, open, rename, rm, stat, type FileHandle } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Injectable } from '@nestjs/common';
import { Env } from '../config/env.js';
import { diskFull, unavailable } from '../errors/app-error.js';
import { DiskSpace } from '../observability/disk-space.js';
import { FileStore, type OpenFile, type StoredFile } from './file-store.js';

const PROBE_BYTES = 256 * 1024;
/** The disk or the user's quota is full. */
const FULL = new Set<unknown>(['ENOSPC', 'EDQUOT']);
const KEY = /^[0-9a-f]{64}$/;

/** Files below `FILES_DIR`, a volume that all processes of the service share. */
@Injectable()
export class LocalFiles extends FileStore {
  private readonly root: string;

  constructor(
    env: Env,
    private readonly diskSpace: DiskSpace,
  ) {
    super();
    this.root = env.filesDir;
  }

  async put(bytes: Uint8Array): Promise<StoredFile> {
    const key = createHash('sha256').update(bytes).digest('hex');
    const stored = { key, sizeBytes: bytes.length };
    const path = this.pathOf(key);
    try {
      await mkdir(dirname(path), { recursive: true });
      if (!(await exists(path))) await writeWhole(path, bytes);
    } catch (error) {
      if (!FULL.has(codeOf(error))) throw away(error);
      this.diskSpace.reportFull('files', error, () => this.tryWrite());
      throw Object.assign(diskFull(), { cause: error });
    }
    return stored;
  }

  private async tryWrite(): Promise<void> {
    await mkdir(this.root, { recursive: true });
    const path = join(this.root, `probe.${randomUUID()}`);
    try {
      await writeWhole(path, randomBytes(PROBE_BYTES));
    } finally {
      await rm(path, { force: true });
    }
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

  private async handle(key: string): Promise<FileHandle | null> {
    if (!KEY.test(key)) return null;
    try {
      return await open(this.pathOf(key), 'r');
    } catch (error) {
      // If its folder does not exist, the store itself is missing: a volume that is not mounted.
      if (codeOf(error) === 'ENOENT' && (await exists(this.root))) return null;
      throw away(error);
    }
  }

  private pathOf(key: string): string {
    return join(this.root, key.slice(0, 2), key.slice(2, 4), key);
  }
}

/** The file gets its name when it is complete, so that a reader never finds part of it, also after a crash. */
async function writeWhole(path: string, bytes: Uint8Array): Promise<void> {
  const draft = `${path}.${randomUUID()}`;
  try {
    const file = await open(draft, 'wx', 0o640);
    try {
      await file.writeFile(bytes);
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

function away(cause: unknown): Error {
  return Object.assign(unavailable('The file storage is unavailable'), { cause });
}
