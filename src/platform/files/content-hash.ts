import { createHash } from 'node:crypto';
import { type Readable, Transform, Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { DamagedFile, type StoredFile } from './file-store.js';

/** Whether the bytes of a stream have the key; they are not kept. */
export async function hasKey(bytes: Readable, key: string): Promise<boolean> {
  const hash = createHash('sha256');
  await pipeline(
    bytes,
    new Writable({
      write(chunk: Buffer, _encoding, done) {
        hash.update(chunk);
        done();
      },
    }),
  );
  return hash.digest('hex') === key;
}

/**
 * Passes bytes on and fails if they do not have the key and the size. The last chunk is passed on only when all are verified,
 * so that a receiver that knows the size never has a complete file with wrong bytes.
 */
export function verified({ key, sizeBytes }: StoredFile): Transform {
  const hash = createHash('sha256');
  let size = 0;
  let last: Buffer | null = null;
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      hash.update(chunk);
      size += chunk.length;
      const before = last;
      last = chunk;
      if (size > sizeBytes) done(new DamagedFile(key));
      else done(null, before ?? undefined);
    },
    flush(done) {
      if (size !== sizeBytes || hash.digest('hex') !== key) done(new DamagedFile(key));
      else done(null, last ?? undefined);
    },
  });
}
