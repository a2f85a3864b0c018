import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { startPostgres } from '../../scripts/embedded-postgres/index.js';
import { acquireLock } from '../../scripts/lock.js';
import { newFolder } from '../launcher/folders.js';
import { until } from '../platform/locked-table.js';
import { connected, Rehearsal } from './rehearsal.js';

type Server = Awaited<ReturnType<typeof startPostgres>>;

interface Taken {
  name: string;
  folder: string;
  deleted: string[];
}

const root = newFolder({ open: true });
const [dataDir, backupDir] = [join(root, 'data'), join(root, 'backups')];
const [databases, stored] = [join(dataDir, 'postgres'), join(dataDir, 'files')];
const SHA256 = createHash('sha256').update('logo').digest('hex');
const FILE = join(stored, SHA256.slice(0, 2), SHA256.slice(2, 4), SHA256);
const environment = { DATA_DIR: dataDir, BACKUP_DIR: backupDir };
const commands = new Rehearsal(environment);

/** Creates tables of the service that name keys and stored files, and one with continuous writes. */
const TABLES = `create table notes (id int generated always as identity, note text);
  create unlogged table positions as select 1 as position;
  create table service_keys (kek_id text); insert into service_keys values ('local-1');
  create table vault_key_versions (kek_id text);
  create table invoice_renditions (storage_key text); create table invoice_issuers (issuer jsonb);
  create table organization_profile (logo jsonb);
  insert into organization_profile values ('{"sha256": "${SHA256}"}')`;

let server: Server | null = null;

async function startServer(): Promise<Server> {
  server = await startPostgres({ dataDir: databases, durable: false, logFile: join(root, 'postgres.log') });
  return server;
}

async function stopServer(): Promise<void> {
  await server?.stop();
  server = null;
}

async function write(note: string): Promise<void> {
  await connected(server?.ownerUrl ?? '', (client) => client.query('insert into notes (note) values ($1)', [note]));
}

/** Reads the notes and their numbers, which have no gap if every transaction before the last one was restored. */
async function notes(): Promise<{ names: string[]; isGapless: boolean }> {
  return connected(server?.ownerUrl ?? '', async (client) => {
    const { rows } = await client.query<{ id: number; note: string }>('select id, note from notes order by id');
    return {
      names: [...new Set(rows.map(({ note }) => note))],
      isGapless: rows.every(({ id }, index) => id === index + 1),
    };
  });
}

function backups(): string[] {
  return readdirSync(backupDir).filter((name) => /^\d{8}T/.test(name));
}

function drafts(): string[] {
  return readdirSync(databases).filter((name) => name.includes('.draft-'));
}

describe('backup and restore of the embedded server', () => {
  let taken: Taken;

  beforeAll(async () => {
    mkdirSync(dirname(FILE), { recursive: true });
    writeFileSync(FILE, 'logo');
    writeFileSync(join(dataDir, 'ledger-checkpoints.jsonl'), '{}\n');
    const { ownerUrl } = await startServer();
    await connected(ownerUrl, (client) => client.query(TABLES));
  }, 60_000);

  afterAll(async () => {
    await stopServer();
    rmSync(root, { recursive: true, force: true });
  });

  it('a backup is made while the server is written to, and contains database and files but no keys', async () => {
    const writing = new AbortController();
    const writes = (async () => {
      while (!writing.signal.aborted) await write('during the backup');
    })();
    taken = await commands.succeed<Taken>('backup');
    writing.abort();
    await writes;
    await write('after the backup');
    expect(taken).toMatchObject({ kind: 'physical', complete: true, keyIds: ['local-1'], deleted: [] });
    expect(existsSync(join(taken.folder, 'files', FILE.slice(stored.length)))).toBe(true);
    expect(readFileSync(join(taken.folder, 'manifest.json'), 'utf8')).not.toMatch(/vault-kek|launcher-passwords/);
    expect(backups()).toEqual([taken.name]);
  }, 60_000);

  it('a restore rejects a running server, existing data, a damaged backup, and another backup at the same time', async () => {
    expect(await commands.run('restore')).toEqual({ code: 78, output: expect.stringContaining('is running') });
    await stopServer();
    expect(await commands.run('restore')).toEqual({ code: 78, output: expect.stringContaining('contains a database') });

    const damaged = join(taken.folder, 'database/PG_VERSION');
    const content = readFileSync(damaged);
    writeFileSync(damaged, '17\n');
    expect(await commands.run('restore', ['--replace'])).toEqual({
      code: 65,
      output: expect.stringContaining('database/PG_VERSION: differs from the manifest'),
    });
    writeFileSync(damaged, content);

    const lock = await acquireLock(join(backupDir, 'backup.lock'));
    expect(await commands.run('restore', ['--replace'])).toEqual({
      code: 1,
      output: expect.stringContaining(`Another process (${process.pid}) is making or restoring a backup`),
    });
    if (lock.holder === null) lock.release();
    expect(drafts()).toEqual([]);
  }, 60_000);

  it('a restore that is stopped or killed changes nothing, and the next one deletes what it left and the backups beyond BACKUP_KEEP', async () => {
    for (const [signal, end] of [
      ['SIGINT', 130],
      ['SIGKILL', 'SIGKILL'],
    ] as const) {
      const script = commands.begin('restore', ['--replace']);
      await until(async () => drafts().some((draft) => existsSync(join(databases, draft, '18/postmaster.pid'))));
      script.child.kill(signal);
      expect(await script.end()).toBe(end);
      expect(drafts()).toHaveLength(signal === 'SIGKILL' ? 1 : 0);
    }
    await startServer();
    expect((await notes()).names).toEqual(['during the backup', 'after the backup']);
    await stopServer();
  }, 90_000);

  it('after the loss of database and files, a restore has every row and file of the backup and new passwords', async () => {
    const password = readFileSync(join(databases, '18/launcher-passwords.json'), 'utf8');
    renameSync(databases, `${databases}.lost`);
    rmSync(stored, { recursive: true });
    rmSync(join(dataDir, 'ledger-checkpoints.jsonl'));
    const restored = await commands.succeed('restore');
    expect(restored).toMatchObject({ name: taken.name, setAside: null, keyIds: ['local-1'] });
    expect(restored).toMatchObject({ files: { restored: 1, present: 0, missing: { count: 0 }, checkpoints: true } });
    expect(readFileSync(FILE, 'utf8')).toBe('logo');

    expect(drafts()).toEqual([]);
    expect(readFileSync(join(databases, '18/launcher-passwords.json'), 'utf8')).not.toBe(password);
    const { ownerUrl } = await startServer();
    expect(await notes()).toEqual({ names: ['during the backup'], isGapless: true });
    // The log does not contain unlogged tables.
    expect(await connected(ownerUrl, async (client) => (await client.query('select from positions')).rowCount)).toBe(0);
    await write('after the restore');
    await stopServer();
  }, 60_000);

  it('a named backup replaces the present database, which is renamed, and files that are present stay', async () => {
    const words = ['--replace', taken.name];
    const { setAside, files } = await commands.succeed<{ setAside: string; files: object }>('restore', words);
    expect(existsSync(setAside)).toBe(true);
    expect(files).toMatchObject({ restored: 0, present: 1 });
    await startServer();
    expect(await notes()).toEqual({ names: ['during the backup'], isGapless: true });
  }, 60_000);

  it('a backup without the stored files and without an earlier backup is incomplete until the files are accepted as lost', async () => {
    renameSync(stored, `${stored}.lost`);
    const other = join(root, 'other');
    for (const [words, exit, text] of [
      [[], 1, /INCOMPLETE[^]*files MISSING in FILES_DIR[^]*files NOT IN THE BACKUP/],
      [['--accept-lost'], 0, /is complete[^]*Accepted as lost: 1 files/],
      [[], 0, /is complete[^]*Accepted as lost: 1 files/],
    ] as const) {
      expect(await commands.run('backup', ['--to', other, ...words])).toEqual({
        code: exit,
        output: expect.stringMatching(text),
      });
    }
    renameSync(`${stored}.lost`, stored);
  }, 60_000);

  it('a backup of a service with a bucket names the bucket and contains no files', async () => {
    const bucket = new Rehearsal({ ...environment, FILES_URL: 's3://files/production' });
    const { folder, ...result } = await bucket.succeed<Taken>('backup', ['--to', join(root, 'bucket')]);
    expect(result).toMatchObject({ objectStore: 's3://files/production', complete: true, filesAtFault: false });
    expect(readdirSync(folder)).not.toContain('files');
  }, 60_000);

  it('a backup that is killed leaves no backup, and the next one deletes what it left and the backups beyond BACKUP_KEEP', async () => {
    const before = backups();
    const killed = commands.begin('backup');
    await until(async () => backups().some((name) => name.includes('.draft-')));
    killed.child.kill('SIGKILL');
    await killed.end();
    expect(backups().filter((name) => !name.includes('.draft-'))).toEqual(before);
    const last = await new Rehearsal({ ...environment, BACKUP_KEEP: '1' }).succeed<Taken>('backup');
    expect([last.deleted, backups()]).toEqual([before, [last.name]]);
  }, 60_000);

  it('a backup into the data folder is rejected', async () => {
    expect(await commands.run('backup', ['--to', join(dataDir, 'backups')])).toEqual({
      code: 78,
      output: expect.stringContaining('would be lost with it'),
    });
  });
});
