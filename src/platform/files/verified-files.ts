import { once } from 'node:events';
import { pipeline, Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { pipeline as piped } from 'node:stream/promises';
import type { OnApplicationShutdown } from '@nestjs/common';
import type { Counter } from 'prom-client';
import { unavailable } from '../errors/app-error.js';
import { verified } from './content-hash.js';
import {
  DamagedFile,
  FileStore,
  type MovableFiles,
  type OpenFile,
  type StoredFile,
  type StoreFailure,
} from './file-store.js';

/** Files up to this size are verified before they are sent, so that a damaged one becomes an error response. */
const VERIFIED_BEFORE_BYTES = 1024 * 1024;
/** Verifies the bytes of such a file. */
const READ_MS = 6_000;

/**
 * Reads the files of one store, and of the store from which they are being moved. Only bytes with the SHA-256 of their key are
 * read.
 */
export class VerifiedFiles extends FileStore implements OnApplicationShutdown {
  constructor(
    private readonly files: MovableFiles,
    private readonly fallback: MovableFiles | null,
    private readonly damagedReads: Pick<Counter, 'inc'>,
  ) {
    super();
  }

  async put(bytes: Uint8Array): Promise<StoredFile> {
    return this.files.put(bytes);
  }

  async has(key: string): Promise<boolean> {
    for (const store of this.order()) if (await store.has(key)) return true;
    return false;
  }

  async delete(key: string): Promise<void> {
    for (const store of this.order()) await store.delete(key);
  }

  /** During a move a damaged small file is read from the other store. */
  async open(key: string): Promise<OpenFile | null> {
    let damaged: DamagedFile | null = null;
    for (const store of this.order()) {
      const file = await store.open(key);
      if (!file) continue;
      try {
        return await this.verify({ key, sizeBytes: file.sizeBytes }, file.stream);
      } catch (error) {
        if (!(error instanceof DamagedFile)) throw error;
        damaged = error;
      }
    }
    if (damaged) throw damaged;
    return null;
  }

  failure(): StoreFailure | null {
    return this.files.failure() ?? this.fallback?.failure() ?? null;
  }

  async onApplicationShutdown(): Promise<void> {
    await Promise.all([this.files.close(), this.fallback?.close()]);
  }

  /** The file may have been moved between the first two attempts, and deleted from the second store. */
  private order(): MovableFiles[] {
    return this.fallback === null ? [this.files] : [this.files, this.fallback, this.files];
  }

  private async verify(file: StoredFile, bytes: Readable): Promise<OpenFile> {
    const isSmall = file.sizeBytes <= VERIFIED_BEFORE_BYTES;
    const stream = isSmall ? Readable.from([await this.read(file, bytes)]) : await this.stream(file, bytes);
    return { stream, sizeBytes: file.sizeBytes };
  }

  private async read(file: StoredFile, bytes: Readable): Promise<Buffer> {
    try {
      return await piped(bytes, verified(file), (content) => buffer(content), { signal: AbortSignal.timeout(READ_MS) });
    } catch (error) {
      this.count(error);
      throw broken(error);
    }
  }

  /** Waits for the first bytes, so that a store that breaks at once becomes an error response. */
  private async stream(file: StoredFile, bytes: Readable): Promise<Readable> {
    const content = verified(file);
    pipeline(bytes, content, (error) => this.count(error));
    await once(content, 'readable').catch((error: unknown) => Promise.reject(broken(error)));
    return content;
  }

  private count(error: unknown): void {
    if (error instanceof DamagedFile) this.damagedReads.inc();
  }
}

/** A damaged file is a fault that no repetition corrects. */
function broken(error: unknown): Error {
  if (error instanceof DamagedFile) return error;
  return Object.assign(unavailable('The file storage is unavailable'), { cause: error });
}
