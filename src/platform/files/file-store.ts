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

/**
 * A store of files, which are never overwritten. Every method throws 503 if the store itself is unavailable, as opposed to
 * a file that is missing.
 */
export abstract class FileStore {
  abstract put(bytes: Uint8Array): Promise<StoredFile>;
  abstract has(key: string): Promise<boolean>;
  /** Null if the file does not exist. */
  abstract open(key: string): Promise<OpenFile | null>;
}
