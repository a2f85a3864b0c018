import { beforeAll, describe, expect, it, jest } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, open, readlink, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { PutObjectCommand } from '@aws-sdk/client-s3';
import type { MovableFiles } from '../../../src/platform/files/file-store.js';
import { VerifiedFiles } from '../../../src/platform/files/verified-files.js';
import { bill, fetchFile, linkOf, requestRendition } from '../../finance/renditions/rendering.js';
import { startApp } from '../../setup/app.js';
import { closeAfterTests } from '../../setup/running.js';
import { type ObjectStore, startObjectStore } from './object-store.js';
import { keyOf, keysIn, openStore } from './stores.js';

interface Subject {
  store: MovableFiles;
  /** Stores bytes under a path below the root of the store, past the adapter. */
  plant: (path: string, bytes: string | Buffer) => Promise<unknown>;
}

const placeOf = (key: string) => `${key.slice(0, 2)}/${key.slice(2, 4)}/${key}`;
const read = async (store: MovableFiles, key: string) => {
  const file = await store.open(key);
  return file && { sizeBytes: file.sizeBytes, bytes: await buffer(file.stream) };
};

async function folder(): Promise<Subject> {
  const parent = await mkdtemp(join(tmpdir(), 'travel-store-'));
  closeAfterTests(() => rm(parent, { recursive: true }));
  const root = join(parent, 'files');
  await mkdir(root);
  return {
    store: await openStore({ FILES_DIR: root }),
    plant: async (path, bytes) => {
      await mkdir(join(root, path, '..'), { recursive: true });
      await writeFile(join(root, path), bytes);
    },
  };
}

async function bucket(): Promise<Subject> {
  const { env, client, bucket: Bucket } = await startObjectStore();
  return {
    store: await openStore(env),
    plant: (path, Body) => client.send(new PutObjectCommand({ Bucket, Key: `production/files/${path}`, Body })),
  };
}

describe.each<[string, () => Promise<Subject>]>([
  ['a folder', folder],
  ['a bucket', bucket],
])('the store of files in %s', (_, start) => {
  let subject: Subject;
  let store: MovableFiles;
  beforeAll(async () => {
    subject = await start();
    ({ store } = subject);
  });

  it.each([0, 1, 70_000, 6_000_000])(
    'the store returns the %i bytes that were stored, under their SHA-256',
    async (size) => {
      const bytes = randomBytes(size);
      const stored = await store.put(bytes);
      expect(stored).toEqual({ key: keyOf(bytes), sizeBytes: size });
      expect(await store.has(stored.key)).toBe(true);
      const found = await read(store, stored.key);
      expect([found?.sizeBytes, found?.bytes.equals(bytes)]).toEqual([size, true]);
      expect(await store.verify(stored.key)).toBe('whole');
    },
  );

  it('the same bytes are stored once, also by concurrent writers', async () => {
    const before = await keysIn(store);
    const bytes = randomBytes(10_000);
    const stored = await Promise.all(Array.from({ length: 8 }, () => store.put(bytes)));
    expect(new Set(stored.map(({ key }) => key))).toEqual(new Set([keyOf(bytes)]));
    expect(await keysIn(store)).toEqual([...before, keyOf(bytes)].sort());
  });

  it.each(['0'.repeat(64), 'A'.repeat(64), '', '..', '../../etc/passwd', 'probe', `${'0'.repeat(64)}\n`])(
    'a file that was never stored is missing: %j',
    async (key) => {
      expect([await store.has(key), await store.open(key)]).toEqual([false, null]);
    },
  );

  it('a copy is found when all of its bytes are stored, not before', async () => {
    const bytes = randomBytes(200_000);
    const key = keyOf(bytes);
    let release = () => undefined as void;
    const released = new Promise<void>((resolve) => (release = resolve));
    const content = Readable.from(
      (async function* () {
        yield bytes.subarray(0, 150_000);
        await released;
        yield bytes.subarray(150_000);
      })(),
    );
    const copied = store.copy({ key, sizeBytes: bytes.length }, content);
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect([await store.has(key), (await keysIn(store)).includes(key)]).toEqual([false, false]);
    release();
    await copied;
    expect((await read(store, key))?.bytes.equals(bytes)).toBe(true);
  });

  it.each([
    ['other bytes of the same size', (bytes: Buffer) => [bytes.subarray(0, 90_000), randomBytes(10_000)]],
    ['fewer bytes', (bytes: Buffer) => [bytes.subarray(0, 90_000)]],
    ['more bytes', (bytes: Buffer) => [bytes, Buffer.from('more')]],
    ['no bytes', () => []],
  ])('a copy of %s is rejected and not stored', async (__, contentOf) => {
    const bytes = randomBytes(100_000);
    const file = { key: keyOf(bytes), sizeBytes: bytes.length };
    await expect(store.copy(file, Readable.from(contentOf(bytes)))).rejects.toMatchObject({ name: 'DamagedFile' });
    expect([await store.has(file.key), await store.verify(file.key)]).toEqual([false, 'missing']);
    expect(store.failure()).toBeNull();
  });

  it('a copy whose source breaks is rejected and not stored', async () => {
    const bytes = randomBytes(100_000);
    const file = { key: keyOf(bytes), sizeBytes: bytes.length };
    const content = Readable.from(
      (async function* () {
        yield bytes.subarray(0, 50_000);
        throw new Error('the source broke');
      })(),
    );
    await expect(store.copy(file, content)).rejects.toThrow();
    expect([await store.has(file.key), store.failure()]).toEqual([false, null]);
  });

  it('a stored file whose bytes were changed is damaged, and a copy replaces it', async () => {
    const bytes = randomBytes(1_000);
    const { key } = await store.put(bytes);
    await subject.plant(placeOf(key), 'other bytes');
    expect(await store.verify(key)).toBe('damaged');
    await store.copy({ key, sizeBytes: bytes.length }, Readable.from([bytes]));
    expect(await store.verify(key)).toBe('whole');
  });

  it('a stored file whose bytes were changed is replaced when the same bytes are stored again', async () => {
    const bytes = randomBytes(1_000);
    const { key } = await store.put(bytes);
    await subject.plant(placeOf(key), 'other bytes');
    expect(await store.put(bytes)).toEqual({ key, sizeBytes: bytes.length });
    expect(await store.verify(key)).toBe('whole');
  });

  it.each([1, 1_000, 3_000_000])(
    'a file of %i bytes is read whole by the service, and after a bit was changed it is not',
    async (size) => {
      let damagedReads = 0;
      const service = new VerifiedFiles(store, null, { inc: () => (damagedReads += 1) });
      const bytes = randomBytes(size);
      const { key } = await store.put(bytes);
      const whole = await service.open(key);
      expect([whole?.sizeBytes, whole && (await buffer(whole.stream)).equals(bytes)]).toEqual([size, true]);

      bytes[size - 1] = (bytes[size - 1] ?? 0) ^ 1;
      await subject.plant(placeOf(key), bytes);
      let received = 0;
      const receive = async () => {
        for await (const chunk of (await service.open(key))?.stream ?? []) received += (chunk as Buffer).length;
      };
      await expect(receive()).rejects.toThrow(`The content of the file ${key} does not have this SHA-256`);
      expect(received).toBeLessThan(size);
      expect(damagedReads).toBe(1);
    },
  );

  it('the list has every file with its size, and nothing else', async () => {
    const { key } = await store.put(Buffer.from('listed'));
    const foreign = '1'.repeat(64);
    for (const path of ['probe', 'notes/readme.txt', foreign, `11/11/${foreign}.draft`, `22/22/${foreign}`]) {
      await subject.plant(path, 'foreign');
    }
    const sizes = new Map<string, number>();
    for await (const file of store.list()) sizes.set(file.key, file.sizeBytes);
    expect([sizes.get(key), sizes.has(foreign)]).toEqual([6, false]);
    expect(await store.has(foreign)).toBe(false);
  });

  it('a deleted file is missing, and deleting it again changes nothing', async () => {
    const { key } = await store.put(Buffer.from('deleted'));
    await store.delete(key);
    await store.delete(key);
    expect([await store.has(key), await store.open(key)]).toEqual([false, null]);
  });
});

describe('a stored file in a folder', () => {
  /** The folders that were synced; `/proc` has the path of an open file. */
  async function syncedFolders(work: () => Promise<unknown>): Promise<Set<string>> {
    const probe = await open(tmpdir());
    const handle = Object.getPrototypeOf(probe) as typeof probe;
    await probe.close();
    const synced = new Set<string>();
    const { sync } = handle;
    jest.spyOn(handle, 'sync').mockImplementation(async function (this: typeof probe) {
      if ((await this.stat()).isDirectory()) synced.add(await readlink(`/proc/self/fd/${this.fd}`));
      await sync.call(this);
    });
    await work().finally(() => jest.restoreAllMocks());
    return synced;
  }

  const onLinux = process.platform === 'linux' ? it : it.skip;
  onLinux('the names of a stored file and of the folders that lead to it are durable', async () => {
    const parent = await realpath(await mkdtemp(join(tmpdir(), 'travel-durable-')));
    closeAfterTests(() => rm(parent, { recursive: true }));
    const root = join(parent, 'data', 'files');
    const store = await openStore({ FILES_DIR: root });
    const bytes = randomBytes(100);
    const key = keyOf(bytes);
    const leaf = dirname(join(root, placeOf(key)));
    const folders = [root, dirname(leaf), leaf];

    expect(await syncedFolders(() => store.put(bytes))).toEqual(new Set([parent, dirname(root), ...folders]));
    expect(await syncedFolders(() => store.put(bytes))).toEqual(new Set(folders));
    await store.delete(key);
    const copied = await syncedFolders(() => store.copy({ key, sizeBytes: 100 }, Readable.from([bytes])));
    expect(copied).toEqual(new Set(folders));
  });
});

describe('two stores during a move', () => {
  it('a file that is damaged in one store is read from the other, and is an error only if both are damaged', async () => {
    const [target, source] = [await bucket(), await folder()];
    let damagedReads = 0;
    const service = new VerifiedFiles(target.store, source.store, { inc: () => (damagedReads += 1) });
    const bytes = randomBytes(1_000);
    const { key } = await target.store.put(bytes);
    await source.store.put(bytes);
    await target.plant(placeOf(key), 'other bytes');
    const file = await service.open(key);
    expect([file && (await buffer(file.stream)).equals(bytes), damagedReads]).toEqual([true, 1]);

    await source.plant(placeOf(key), 'other bytes');
    await expect(service.open(key)).rejects.toMatchObject({ name: 'DamagedFile' });
  });
});

describe('a store that does not exist', () => {
  const unavailable = { status: 503, code: 'service_unavailable' };
  const assertUnavailable = async (store: MovableFiles) => {
    await expect(store.has('0'.repeat(64))).rejects.toMatchObject(unavailable);
    await expect(store.open('0'.repeat(64))).rejects.toMatchObject(unavailable);
    await expect(keysIn(store)).rejects.toMatchObject(unavailable);
  };

  it('a missing folder is an unavailable store, not a missing file', async () => {
    const store = await openStore({ FILES_DIR: join(tmpdir(), `travel-no-folder-${Date.now()}`) });
    await assertUnavailable(store);
    await store.put(Buffer.from('the first file creates it'));
    expect(await store.has('0'.repeat(64))).toBe(false);
  });

  it('a missing bucket is an unavailable store, not a missing file, and is not created', async () => {
    const { env } = await startObjectStore();
    const logged: { message: string; error?: unknown }[] = [];
    const store = await openStore({ ...env, FILES_URL: 's3://no-such-bucket' }, logged);
    await assertUnavailable(store);
    await expect(store.put(Buffer.from('bytes'))).rejects.toMatchObject(unavailable);
    expect(store.failure()).toBe('rejected');
    expect(logged).toEqual([
      { message: 'the file store is not usable', error: expect.objectContaining({ name: 'NoSuchBucket' }) },
    ]);
  });
});

describe('a service with a bucket', () => {
  let objects: ObjectStore;
  beforeAll(async () => {
    objects = await startObjectStore();
  });

  it('rendered invoices are stored in the bucket and downloaded from it', async () => {
    const app = await startApp({ env: objects.env });
    const owner = app.as('owner');
    const { id } = await requestRendition(owner, (await bill(app)).id);
    const { status, headers, bytes } = await fetchFile(app.url + (await linkOf(owner, id)));
    expect([status, headers['content-type'], Number(headers['content-length'])]).toEqual([
      200,
      'application/pdf',
      bytes.length,
    ]);
    const stored = await openStore(objects.env);
    expect(await keysIn(stored)).toContain(keyOf(bytes));
    expect((await app.get<{ status: string }>('/health/ready')).body.status).toBe('ok');
  });
});
