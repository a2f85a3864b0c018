import { createHash } from 'node:crypto';
import { pipeline, Readable, Transform } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { Injectable } from '@nestjs/common';
import { SealingKeys } from '../keys/sealing-keys.js';
import { DamagedFile, FileStore, type OpenFile } from './file-store.js';

/** Begins the stored form of a file that is not encrypted. */
const HEAD = Buffer.from('enclosed file 1\n');
const PURPOSE = 'file';

/** The stored form of a file. Its key differs from the SHA-256 of the content. */
export interface Enclosure {
  readonly key: string;
  readonly bytes: Buffer;
}

/**
 * Stores the content of files that people upload apart from files that the service writes: a person can upload a copy of a
 * stored invoice, and deleting the copy must not delete the invoice. Equal contents are stored once, except encrypted ones.
 */
@Injectable()
export class EnclosedFiles {
  constructor(
    private readonly files: FileStore,
    private readonly sealing: SealingKeys,
  ) {}

  /** `sealedFor` is the id of the record whose content is encrypted; null: it is stored as it is. */
  async enclose(content: Buffer, sealedFor: string | null): Promise<Enclosure> {
    const bytes =
      sealedFor === null ? Buffer.concat([HEAD, content]) : await this.sealing.seal(PURPOSE, content, sealedFor);
    return { key: createHash('sha256').update(bytes).digest('hex'), bytes };
  }

  async put({ bytes }: Enclosure): Promise<void> {
    await this.files.put(bytes);
  }

  /** Returns the content; null if the file does not exist. Encrypted content is held in memory, because its tag is at its end. */
  async open(key: string, sealedFor: string | null): Promise<OpenFile | null> {
    const file = await this.files.open(key);
    if (!file) return null;
    if (sealedFor === null) {
      const content = withoutHead(key);
      pipeline(file.stream, content, () => undefined);
      return { stream: content, sizeBytes: file.sizeBytes - HEAD.length };
    }
    const opened = await this.sealing.open(PURPOSE, await buffer(file.stream), sealedFor);
    if (opened === null) throw new DamagedFile(key);
    return { stream: Readable.from([opened]), sizeBytes: opened.length };
  }

  async has(key: string): Promise<boolean> {
    return this.files.has(key);
  }

  async read(key: string, sealedFor: string | null): Promise<Buffer | null> {
    const file = await this.open(key, sealedFor);
    return file && buffer(file.stream);
  }

  async delete(key: string): Promise<void> {
    await this.files.delete(key);
  }
}

function withoutHead(key: string): Transform {
  let head: Buffer | null = Buffer.alloc(0);
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      if (head === null) return done(null, chunk);
      head = Buffer.concat([head, chunk]);
      if (head.length < HEAD.length) return done();
      const [isEnclosed, rest] = [head.subarray(0, HEAD.length).equals(HEAD), head.subarray(HEAD.length)];
      head = null;
      if (isEnclosed) done(null, rest);
      else done(new DamagedFile(key));
    },
    flush(done) {
      done(head === null ? null : new DamagedFile(key));
    },
  });
}
