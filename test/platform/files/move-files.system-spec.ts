import { beforeEach, describe, expect, it } from '@jest/globals';
import { spawn } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import type { MovableFiles } from '../../../src/platform/files/file-store.js';
import { MoveInterrupted, moveFiles, sizeOf } from '../../../src/platform/files/move-files.js';
import { VerifiedFiles } from '../../../src/platform/files/verified-files.js';
import { PLATFORM, runCommand } from '../../identity/command.js';
import { closeAfterTests } from '../../setup/running.js';
import { DatabaseProxy } from '../database-proxy.js';
import { until } from '../locked-table.js';
import { type ObjectStore, startObjectStore } from './object-store.js';
import { keyOf, keysIn, openStore } from './stores.js';

const FILES = 120;

let root: string;
let folder: MovableFiles;
let objects: ObjectStore;
let bucket: MovableFiles;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'travel-move-'));
  closeAfterTests(() => rm(root, { recursive: true, force: true }));
  folder = await openStore({ FILES_DIR: root });
  objects = await startObjectStore();
  bucket = await openStore(objects.env);
});

async function fill(store: MovableFiles, files = FILES): Promise<string[]> {
  const stored = [];
  for (let file = 0; file < files; file += 1) stored.push((await store.put(randomBytes(1_000 + file))).key);
  return stored.sort();
}

const wholeIn = async (store: MovableFiles, keys: string[]) => {
  const states = await Promise.all(keys.map((key) => store.verify(key)));
  return states.filter((state) => state === 'whole').length;
};

describe('moving files', () => {
  it.each(['to the bucket', 'to the folder'])(
    '%s: all files are copied and verified; another run finds them',
    async (direction) => {
      const [from, to] = direction === 'to the bucket' ? [folder, bucket] : [bucket, folder];
      const keys = await fill(from);
      const { files, bytes } = await sizeOf(from);
      const seen: number[] = [];
      const report = await moveFiles({ from, to, deletesSource: false, onFile: (size) => seen.push(size) });
      expect(report).toEqual({ copied: FILES, copiedBytes: bytes, present: 0, deleted: 0, damaged: [] });
      expect([files, seen.length]).toEqual([FILES, FILES]);
      expect([await keysIn(from), await keysIn(to), await wholeIn(to, keys)]).toEqual([keys, keys, FILES]);

      const again = await moveFiles({ from, to, deletesSource: true });
      expect(again).toEqual({ copied: 0, copiedBytes: 0, present: FILES, deleted: FILES, damaged: [] });
      expect([await keysIn(from), await wholeIn(to, keys)]).toEqual([[], FILES]);
    },
  );

  it('a file that is damaged in the source is neither copied nor deleted, and a damaged copy is replaced', async () => {
    const keys = await fill(folder, 5);
    const [damaged = '', replaced = ''] = keys;
    await writeFile(join(root, damaged.slice(0, 2), damaged.slice(2, 4), damaged), 'other bytes');
    const planted = await mkdtemp(join(tmpdir(), 'travel-target-'));
    closeAfterTests(() => rm(planted, { recursive: true, force: true }));
    const target = await openStore({ FILES_DIR: planted });
    const place = join(planted, replaced.slice(0, 2), replaced.slice(2, 4));
    await mkdir(place, { recursive: true });
    await writeFile(join(place, replaced), 'part');

    const report = await moveFiles({ from: folder, to: target, deletesSource: true });
    expect(report).toMatchObject({ copied: 4, present: 0, deleted: 4, damaged: [damaged] });
    expect([await keysIn(folder), await wholeIn(target, keys)]).toEqual([[damaged], 4]);
  });

  it('a move that a broken network interrupts is continued by the next run', async () => {
    const network = await DatabaseProxy.start(objects.url);
    closeAfterTests(() => network.close());
    const away = await openStore({ ...objects.env, FILES_S3_ENDPOINT: network.url.replace(/\/$/, '') });
    const keys = await fill(folder);
    let copied = 0;
    const onFile = () => {
      copied += 1;
      if (copied === FILES / 2) network.refuse();
    };
    const interrupted = await moveFiles({ from: folder, to: away, deletesSource: true, onFile }).catch(
      (error: unknown) => error,
    );
    expect(interrupted).toBeInstanceOf(MoveInterrupted);
    const { report } = interrupted as MoveInterrupted;
    expect(report.copied).toBeGreaterThanOrEqual(FILES / 2);
    expect(report.copied).toBeLessThan(FILES);

    network.pass();
    const { copied: rest, deleted } = await moveFiles({ from: folder, to: bucket, deletesSource: true });
    // Up to four files were stored or deleted whose responses were lost.
    expect(rest + report.copied).toBeGreaterThanOrEqual(FILES - 4);
    expect(deleted + report.deleted).toBeGreaterThanOrEqual(FILES - 4);
    expect([await keysIn(folder), await wholeIn(bucket, keys)]).toEqual([[], FILES]);
  }, 120_000);

  it.each(['to the bucket', 'to the folder'])(
    '%s: while files are moved and deleted, readers find every file and writers lose none',
    async (direction) => {
      const [from, to] = direction === 'to the bucket' ? [folder, bucket] : [bucket, folder];
      const keys = await fill(from);
      const service = new VerifiedFiles(to, from, { inc: () => undefined });
      const written: string[] = [];
      const missing: string[] = [];
      const state = { isMoving: true };
      const readers = Array.from({ length: 3 }, async () => {
        while (state.isMoving) {
          for (const key of [...keys, ...written]) {
            const file = await service.open(key);
            if (!file || keyOf(await buffer(file.stream)) !== key || !(await service.has(key))) missing.push(key);
          }
        }
      });
      const writer = (async () => {
        while (state.isMoving) {
          written.push((await service.put(randomBytes(500))).key);
          await pause(5);
        }
      })();
      const { copied } = await moveFiles({ from, to, deletesSource: true });
      state.isMoving = false;
      await Promise.all([...readers, writer]);
      expect([copied, missing]).toEqual([FILES, []]);
      expect(written.length).toBeGreaterThan(0);
      expect([await keysIn(from), await wholeIn(to, [...keys, ...written])]).toEqual([[], FILES + written.length]);
    },
    120_000,
  );

  it('a large file is copied in bounded memory', async () => {
    const chunk = randomBytes(1024 * 1024);
    const chunks = 96;
    const content = Readable.from(Array.from({ length: chunks }, () => chunk));
    const hash = createHash('sha256');
    for (let part = 0; part < chunks; part += 1) hash.update(chunk);
    const file = { key: hash.digest('hex'), sizeBytes: chunks * chunk.length };
    await folder.copy(file, content);
    const start = process.memoryUsage().arrayBuffers;
    let most = 0;
    const watch = setInterval(() => (most = Math.max(most, process.memoryUsage().arrayBuffers - start)), 5);
    const { copied } = await moveFiles({ from: folder, to: bucket, deletesSource: false });
    clearInterval(watch);
    expect([copied, await bucket.verify(file.key)]).toEqual([1, 'whole']);
    expect(most).toBeLessThan(file.sizeBytes / 2);
  }, 120_000);
});

describe('the command files move', () => {
  const settings = () => ({ ...objects.env, FILES_DIR: root, FILES_FALLBACK: 'local' });

  it('the command copies the files, verifies those of an earlier run, and deletes them from the source only if told to', async () => {
    const keys = await fill(folder, 20);
    const first = await runCommand(['files', 'move'], settings());
    expect(first).toEqual({
      code: 0,
      output: expect.stringMatching(/20 files with \d+ bytes are in the source\n[^]*Copied and verified 20 /),
    });
    expect([await keysIn(folder), await wholeIn(bucket, keys)]).toEqual([keys, 20]);
    const second = await runCommand(['files', 'move', '--delete-source'], settings());
    expect(second).toEqual({
      code: 0,
      output: expect.stringContaining(
        'Copied and verified 0 files with 0 bytes; 20 were there; deleted 20 from the source',
      ),
    });
    expect([await keysIn(folder), await wholeIn(bucket, keys)]).toEqual([[], 20]);
  }, 120_000);

  it('a command that is killed leaves no part of a file, and the next one completes the move', async () => {
    const keys = await fill(folder);
    const [program = '', ...script] = PLATFORM;
    const child = spawn(program, [...script, 'files', 'move', '--delete-source'], {
      env: { ...process.env, NODE_OPTIONS: '', ...settings() },
      stdio: 'ignore',
    });
    await until(async () => (await keysIn(bucket)).length > 5);
    child.kill('SIGKILL');
    await once(child, 'close');
    const copied = await keysIn(bucket);
    expect([copied.length < FILES, await wholeIn(bucket, copied)]).toEqual([true, copied.length]);
    expect(new Set([...copied, ...(await keysIn(folder))])).toEqual(new Set(keys));
    expect((await runCommand(['files', 'move', '--delete-source'], settings())).code).toBe(0);
    expect([await keysIn(folder), await wholeIn(bucket, keys)]).toEqual([[], FILES]);
  }, 120_000);

  it('a damaged file is named and the exit code is 1', async () => {
    const [damaged = ''] = await fill(folder, 2);
    await writeFile(join(root, damaged.slice(0, 2), damaged.slice(2, 4), damaged), 'other bytes');
    const { code, output } = await runCommand(['files', 'move'], settings());
    expect([code, output]).toEqual([1, expect.stringContaining(`${damaged}: damaged in the source, not copied`)]);
  }, 120_000);

  it.each<{ code: number; words?: string[]; over?: Record<string, string>; message: string }>([
    { code: 64, words: ['--all'], message: "unknown option '--all'" },
    { code: 78, over: { FILES_FALLBACK: '' }, message: 'FILES_FALLBACK: is missing' },
    { code: 1, over: { FILES_S3_ACCESS_KEY_ID: 'another' }, message: 'interrupted: InvalidAccessKeyId' },
    { code: 1, over: { FILES_URL: 's3://no-such-bucket' }, message: 'interrupted: NoSuchBucket' },
    { code: 1, over: { FILES_S3_ENDPOINT: 'http://127.0.0.1:9' }, message: 'ECONNREFUSED' },
  ])('the command ends with $code and the reason $message', async ({ code, words = [], over, message }) => {
    await fill(folder, 1);
    const ended = await runCommand(['files', 'move', ...words], { ...settings(), ...over });
    expect(ended).toEqual({ code, output: expect.stringContaining(message) });
    expect(ended.output).not.toMatch(/S3RVER|at .*\.js/);
  });
});
