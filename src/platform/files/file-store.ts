import type { Readable } from 'node:stream';

/** A stored file: its key is the SHA-256 of its bytes in hex, so the same bytes are stored once. */
export interface StoredFile {
  key: string;
  sizeBytes: number;
}

export interface OpenFile {
  stream: Readable;
  sizeBytes: number;
}

/** The reason why a store is not usable: no response in time, a call that it does not permit, or no space. */
export type StoreFailure = 'unreachable' | 'rejected' | 'full';

/**
 * A store of files, which are never overwritten. A file is found when all of its bytes are stored durably, and never in part. Every
 * method throws 503 if the store itself is unavailable, as opposed to a file that is missing.
 */
export abstract class FileStore {
  /** A stored file that is damaged is replaced. */
  abstract put(bytes: Uint8Array): Promise<StoredFile>;
  abstract has(key: string): Promise<boolean>;
  /** Null if the file does not exist. The service only reads the bytes that were stored (`VerifiedFiles`). */
  abstract open(key: string): Promise<OpenFile | null>;
  /** Deletes the file for good, if it exists. Only for files that no other record can have stored as well. */
  abstract delete(key: string): Promise<void>;
  /** The reason why the store is not usable now, as far as it is known; null if it is. */
  abstract failure(): StoreFailure | null;
}

/** A store whose files can be moved to another one. It opens a file as its bytes are now. */
export abstract class MovableFiles extends FileStore {
  /** Every file, in any order; files stored in the meantime may be missing. */
  abstract list(): AsyncIterable<StoredFile>;
  /** Stores a file of another store. Throws `DamagedFile` and stores nothing if the bytes do not have this key. */
  abstract copy(file: StoredFile, bytes: Readable): Promise<void>;
  /** Whether the stored bytes have this key. */
  abstract verify(key: string): Promise<'whole' | 'damaged' | 'missing'>;
  /** Ends background work and connections. */
  abstract close(): Promise<void>;
}

const KEY = /^[0-9a-f]{64}$/;

export function isKey(key: string): boolean {
  return KEY.test(key);
}

/** The place of a file below the root of its store, in two levels of folders. */
export function pathOf(key: string): string {
  return `${key.slice(0, 2)}/${key.slice(2, 4)}/${key}`;
}

export class DamagedFile extends Error {
  constructor(readonly key: string) {
    super(`The content of the file ${key} does not have this SHA-256`);
    this.name = 'DamagedFile';
  }
}
