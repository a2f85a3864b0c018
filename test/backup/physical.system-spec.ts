import { afterAll, describe, expect, it } from '@jest/globals';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { startPostgres } from '../../scripts/embedded-postgres/index.js';
import { newFolder } from '../launcher/folders.js';
import { until } from '../platform/locked-table.js';
import { endAll } from '../platform/service-process.js';
import { connected, countRows, Rehearsal } from './rehearsal.js';

type Server = Awaited<ReturnType<typeof startPostgres>>;

interface Taken {
  name: string;
  folder: string;
  archivesWal: boolean;
  keyIds: string[];
  deleted: string[];
}

interface Restored {
  setAside: string | null;
  lastTransactionAt: string;
  files: { restored: number; present: number };
}

const root = newFolder({ open: true });
const [dataDir, backupDir] = [join(root, 'data'), join(root, 'backups')];
const databases = join(dataDir, 'postgres');
mkdirSync(dataDir);

let server: Server | null = null;
let rehearsal: Rehearsal;

/** Starts the embedded server as `npm start` does with BACKUP_DIR, and returns a rehearsal on it. */
async function startServer(): Promise<Server> {
  const started = await startPostgres({ dataDir: databases, logFile: join(root, 'postgres.log'), backupDir });
  server = started;
  rehearsal = new Rehearsal({
    DATA_DIR: dataDir,
    FILES_DIR: join(dataDir, 'files'),
    LEDGER_CHECKPOINT_FILE: join(root, 'checkpoints.jsonl'),
    BACKUP_DIR: backupDir,
    BACKUP_KEEP: '2',
    DATABASE_URL: started.url,
    MIGRATION_DATABASE_URL: started.ownerUrl,
  });
  return started;
}

async function stopServer(): Promise<void> {
  await server?.stop();
  server = null;
}

/** The commands find the embedded server by DATA_DIR. */
function embedded(): Rehearsal {
  const { DATABASE_URL: _, MIGRATION_DATABASE_URL: __, ...environment } = rehearsal.environment;
  return new Rehearsal(environment);
}

/** Waits until everything that is committed now is in the archive. */
async function archived(url: string): Promise<void> {
  await connected(url, async (client) => {
    const { rows } = await client.query<{ segment: string }>(`select pg_walfile_name(pg_switch_wal()) as segment`);
    await until(async () => {
      const { rows: found } = await client.query<{ last: string }>(
        'select last_archived_wal as last from pg_stat_archiver',
      );
      return (found[0]?.last ?? '') >= (rows[0]?.segment ?? '');
    });
  });
}

describe('backup and restore of the embedded server', () => {
  let [early, middle, late, rendition] = ['', '', '', ''];
  let taken: Taken;
  let time = '';
  let counts: Record<string, number> = {};
  let file: Buffer | null = null;

  afterAll(async () => {
    await endAll();
    await stopServer();
    rmSync(root, { recursive: true, force: true });
  });

  it('a backup is made while the service writes, and contains database and files but no keys', async () => {
    await startServer();
    await rehearsal.start();
    early = await rehearsal.createChannel('Before the backup');
    rendition = await rehearsal.render();
    file = await rehearsal.download(rendition);
    const writing = new AbortController();
    const writes = (async () => {
      for (let n = 1; !writing.signal.aborted; n += 1) await rehearsal.createChannel(`During the backup ${n}`);
    })();
    taken = await embedded().succeed<Taken>('backup');
    writing.abort();
    await writes;

    expect(taken).toMatchObject({ archivesWal: true, keyIds: [expect.any(String)], deleted: [] });
    const manifest = readFileSync(join(taken.folder, 'manifest.json'), 'utf8');
    expect(manifest).not.toMatch(/vault-kek|launcher-passwords/);
    expect(readdirSync(backupDir).filter((name) => name.includes('draft'))).toEqual([]);
  }, 400_000);

  it('what was written after the backup is archived', async () => {
    middle = await rehearsal.createChannel('After the backup');
    await rehearsal.stop();
    if (!server) throw new Error('no server');
    counts = await countRows(server.superuserUrl.replace(/postgres$/, 'travel'));
    await pause(1_000);
    time = new Date().toISOString();
    await pause(1_000);
    await rehearsal.start();
    late = await rehearsal.createChannel('After the point in time');
    await rehearsal.stop();
    await archived(server.superuserUrl);
  }, 400_000);

  it('a restore rejects a running server, existing data, a damaged backup, and times that it cannot reach', async () => {
    const command = embedded();
    expect(await command.run('restore')).toEqual({ code: 78, output: expect.stringContaining('is running') });
    await stopServer();
    expect(await command.run('restore')).toEqual({ code: 78, output: expect.stringContaining('contains a database') });
    renameSync(databases, `${databases}.lost`);
    expect(await command.run('restore', ['--at', '2020-01-01T00:00:00Z'])).toEqual({
      code: 65,
      output: expect.stringContaining('contains no backup of the embedded server that was complete at'),
    });
    expect(await command.run('restore', ['--at', '2090-01-01T00:00:00Z'])).toEqual({
      code: 65,
      output: expect.stringMatching(/No transaction after 2090-.* is archived; the last one is of 20/),
    });
    const damaged = join(taken.folder, 'database/PG_VERSION');
    const content = readFileSync(damaged);
    writeFileSync(damaged, '17\n');
    for (const words of [[], ['--verify']]) {
      expect(await command.run('restore', words)).toEqual({
        code: 65,
        output: expect.stringContaining('database/PG_VERSION: differs from the manifest'),
      });
    }
    writeFileSync(damaged, content);
    expect(await command.run('restore', ['--verify'])).toEqual({
      code: 0,
      output: expect.stringContaining('undamaged'),
    });
    expect(existsSync(databases) ? readdirSync(databases).filter((name) => /^\d+$/.test(name)) : []).toEqual([]);
  }, 400_000);

  it('after the loss of database and files, a restore to a point in time has every row and file of that time', async () => {
    rmSync(join(dataDir, 'files'), { recursive: true });
    const restored = await embedded().succeed<Restored>('restore', ['--at', time]);
    expect(restored).toMatchObject({ setAside: null, files: { present: 0 } });
    expect(restored.files.restored).toBeGreaterThan(0);
    expect(restored.lastTransactionAt < time).toBe(true);

    const { superuserUrl } = await startServer();
    expect(await countRows(superuserUrl.replace(/postgres$/, 'travel'))).toEqual(counts);

    await rehearsal.start({ JOBS: 'false' });
    const statuses = await Promise.all([early, middle, late].map((id) => rehearsal.channelStatus(id)));
    expect(statuses).toEqual([200, 200, 404]);
    expect(await rehearsal.download(rendition)).toEqual(file);
    expect(await rehearsal.isConserved()).toBe(true);
    const { breaks, findings } = await rehearsal.verifyLedger();
    expect(breaks).toEqual([]);
    expect(findings.map(({ code }) => code)).toEqual(['older_than_checkpoint']);
    await rehearsal.stop();
    const words = ['ledger', 'checkpoint', '--restored', 'Rehearsal of a restore'];
    expect(await rehearsal.command(words)).toEqual({ code: 0, output: expect.stringContaining('Rehearsal') });
    await rehearsal.start();
    expect(await rehearsal.verifyLedger()).toMatchObject({ intact: true });
  }, 400_000);

  it('a restored server archives on its own timeline, and the present state replaces it without a loss', async () => {
    const newest = await rehearsal.createChannel('After the restore');
    await rehearsal.stop();
    await stopServer();

    const restored = await embedded().succeed<Restored>('restore', ['--replace']);
    expect(existsSync(restored.setAside ?? '')).toBe(true);
    expect(restored.files).toMatchObject({ restored: 0 });
    await startServer();
    await rehearsal.start();
    const statuses = await Promise.all([early, middle, late, newest].map((id) => rehearsal.channelStatus(id)));
    expect(statuses).toEqual([200, 200, 404, 200]);
    expect(await rehearsal.verifyLedger()).toMatchObject({ intact: true });
  }, 400_000);

  it('a restore of the backup itself replays nothing that was written after it', async () => {
    await rehearsal.stop();
    await stopServer();
    await embedded().succeed<Restored>('restore', ['--replace', '--at', 'backup']);
    await startServer();
    await rehearsal.start({ JOBS: 'false' });
    const statuses = await Promise.all([early, middle].map((id) => rehearsal.channelStatus(id)));
    expect(statuses).toEqual([200, 404]);
    await rehearsal.stop();
  }, 400_000);

  it('of the backups BACKUP_KEEP are kept, with the log that they need', async () => {
    const second = await embedded().succeed<Taken>('backup');
    const third = await embedded().succeed<Taken>('backup');
    expect([second.deleted, third.deleted]).toEqual([[], [taken.name]]);
    const names = readdirSync(backupDir);
    expect(names.filter((name) => /^\d{8}T/.test(name))).toEqual([second.name, third.name]);
    const archive = join(backupDir, names.find((name) => name.startsWith('wal-')) ?? '');
    const { physical } = JSON.parse(readFileSync(join(second.folder, 'manifest.json'), 'utf8')) as {
      physical: { firstSegment: string };
    };
    const segments = readdirSync(archive).filter((name) => /^[0-9A-F]{24}\.gz$/.test(name));
    expect(segments.filter((name) => name.slice(8, 24) < physical.firstSegment.slice(8))).toEqual([]);
  }, 400_000);

  it('a backup without the stored files takes them from earlier backups, and is incomplete if there are none', async () => {
    const stored = join(dataDir, 'files');
    renameSync(stored, `${stored}.lost`);
    const { code, output } = await embedded().run('backup', ['--json']);
    expect([code, output]).toEqual([1, expect.stringMatching(/"complete": true,[^]*"missing": \{\s*"count": [1-9]/)]);
    const other = join(root, 'other');
    for (const [words, exit, text] of [
      [[], 1, /INCOMPLETE[^]*files MISSING in FILES_DIR[^]*files NOT IN THE BACKUP/],
      [['--accept-lost'], 0, /is complete[^]*Accepted as lost: \d+ files/],
      [[], 0, /is complete[^]*Accepted as lost: \d+ files/],
    ] as const) {
      expect(await embedded().run('backup', ['--to', other, ...words])).toEqual({
        code: exit,
        output: expect.stringMatching(text),
      });
    }
    renameSync(`${stored}.lost`, stored);
  }, 400_000);

  it('a backup that is killed leaves no backup, and the next one deletes what it left', async () => {
    const names = () => readdirSync(backupDir).filter((name) => /^\d{8}T/.test(name));
    const before = names();
    const killed = embedded().begin('backup');
    await until(async () => names().some((name) => name.includes('.draft-')));
    killed.child.kill('SIGKILL');
    await killed.end();
    await stopServer();
    expect(names().filter((name) => !name.includes('.draft-'))).toEqual(before);
    await embedded().succeed<Taken>('backup');
    expect(names().filter((name) => name.includes('.draft-'))).toEqual([]);
  }, 400_000);

  it('a backup into the data folder is rejected', async () => {
    expect(await embedded().run('backup', ['--to', join(dataDir, 'backups')])).toEqual({
      code: 78,
      output: expect.stringContaining('which `npm run reset` deletes'),
    });
  });
});
