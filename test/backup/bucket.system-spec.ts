import { afterAll, expect, it } from '@jest/globals';
import { mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { startPostgres } from '../../scripts/embedded-postgres/index.js';
import { acquireLock } from '../../scripts/lock.js';
import { newFolder } from '../launcher/folders.js';
import { startObjectStore } from '../platform/files/object-store.js';
import { endAll } from '../platform/service-process.js';
import { Rehearsal } from './rehearsal.js';

const root = newFolder({ open: true });
const [dataDir, backupDir] = [join(root, 'data'), join(root, 'backups')];
mkdirSync(dataDir);

type Server = Awaited<ReturnType<typeof startPostgres>>;
let server: Server | null = null;

async function startServer(): Promise<Record<string, string>> {
  const folder = join(dataDir, 'postgres');
  server = await startPostgres({ dataDir: folder, logFile: join(root, 'postgres.log'), backupDir });
  return { DATABASE_URL: server.url, MIGRATION_DATABASE_URL: server.ownerUrl };
}

afterAll(async () => {
  await endAll();
  await server?.stop();
  rmSync(root, { recursive: true, force: true });
});

it('a backup of a service with a bucket names the bucket, and a restored row finds its file there', async () => {
  const { env, bucket } = await startObjectStore();
  const environment = {
    ...env,
    DATA_DIR: dataDir,
    LEDGER_CHECKPOINT_FILE: join(root, 'checkpoints.jsonl'),
    BACKUP_DIR: backupDir,
  };
  const service = new Rehearsal({ ...environment, ...(await startServer()) });
  await service.start();
  const rendition = await service.render();
  const file = await service.download(rendition);
  await service.stop();

  const commands = new Rehearsal(environment);
  const taken = await commands.succeed<{ folder: string }>('backup');
  const objectStore = `s3://${bucket}/production/files`;
  expect(taken).toMatchObject({ objectStore, complete: true, missing: { count: 0 }, filesAtFault: false });
  expect(readdirSync(taken.folder)).not.toContain('files');
  expect(JSON.parse(readFileSync(join(taken.folder, 'manifest.json'), 'utf8'))).toMatchObject({ objectStore });
  await server?.stop();

  await commands.succeed('restore', ['--replace']);
  const restored = new Rehearsal({ ...environment, ...(await startServer()) });
  await restored.start({ JOBS: 'false' });
  expect(await restored.download(rendition)).toEqual(file);
  await restored.stop();
}, 400_000);

it('one process at a time makes or restores a backup', async () => {
  const commands = new Rehearsal({ DATA_DIR: dataDir, BACKUP_DIR: backupDir });
  const lock = await acquireLock(join(backupDir, 'backup.lock'));
  for (const [script, words] of [
    ['backup', []],
    ['restore', ['--replace']],
  ] as const) {
    expect(await commands.run(script, [...words])).toEqual({
      code: 1,
      output: expect.stringContaining(`Another process (${process.pid}) is making or restoring a backup`),
    });
  }
  if (lock.holder === null) lock.release();
}, 60_000);
