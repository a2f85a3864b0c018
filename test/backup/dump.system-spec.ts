import { afterAll, describe, expect, it } from '@jest/globals';
import { spawnSync } from 'node:child_process';
import { chmodSync, chownSync, existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from '../../scripts/ports.js';
import { newFolder } from '../launcher/folders.js';
import { endAll } from '../platform/service-process.js';
import { connected, countRows, Rehearsal } from './rehearsal.js';

const ROOT = '/usr/lib/postgresql';
/** A server with its own pg_dump: the embedded one has none. */
const programs = existsSync(ROOT)
  ? readdirSync(ROOT)
      .map((version) => join(ROOT, version, 'bin'))
      .find((folder) => ['initdb', 'pg_ctl', 'pg_dump', 'pg_restore'].every((name) => existsSync(join(folder, name))))
  : undefined;
const EXTENSIONS = ['btree_gist', 'citext', 'pg_trgm', 'pgcrypto', 'unaccent'];

const root = newFolder({ open: true });
const [dataDir, backupDir, cluster] = [join(root, 'data'), join(root, 'backups'), join(root, 'cluster')];
const port = await freePort();

function urlOf(role: string, database: string): string {
  return `postgresql://${role}@127.0.0.1:${port}/${database}`;
}

/** PostgreSQL does not run as root. */
function runProgram(name: string, words: string[]): void {
  const user = process.getuid?.() === 0 ? { uid: 65534, gid: 65534 } : {};
  const { status, stdout, stderr } = spawnSync(join(programs ?? '', name), words, {
    ...user,
    cwd: '/',
    encoding: 'utf8',
    // The server keeps what it inherits.
    stdio: name === 'pg_ctl' ? 'ignore' : 'pipe',
  });
  if (status !== 0) throw new Error(`${name}: ${stdout}${stderr}`);
}

async function createDatabase(name: string): Promise<void> {
  await connected(urlOf('postgres', 'postgres'), (client) =>
    client.query(`create database ${name} owner travel_owner`),
  );
  await connected(urlOf('postgres', name), async (client) => {
    for (const extension of EXTENSIONS) await client.query(`create extension ${extension}`);
  });
}

function rehearsalOn(database: string, more: Record<string, string> = {}): Rehearsal {
  return new Rehearsal({
    DATA_DIR: dataDir,
    FILES_DIR: join(dataDir, 'files'),
    LEDGER_CHECKPOINT_FILE: join(root, 'checkpoints.jsonl'),
    BACKUP_DIR: backupDir,
    DATABASE_URL: urlOf('travel_service', database),
    MIGRATION_DATABASE_URL: urlOf('travel_owner', database),
    ...more,
  });
}

describe('backup and restore of an external server', () => {
  afterAll(async () => {
    await endAll();
    if (existsSync(join(cluster, 'postmaster.pid'))) runProgram('pg_ctl', ['-D', cluster, '-m', 'immediate', 'stop']);
    rmSync(root, { recursive: true, force: true });
  });

  it('a dump restores every row and file to a new database, and replaces one only if it is told to', async () => {
    if (!programs) {
      process.stdout.write('not run: pg_dump beside a server of its version\n');
      return;
    }
    for (const folder of [dataDir, cluster]) mkdirSync(folder);
    if (process.getuid?.() === 0) chownSync(cluster, 65534, 65534);
    runProgram('initdb', ['-D', cluster, '--auth=trust', '--username=postgres', '--encoding=UTF8', '--no-sync']);
    const options = `-p ${port} -k '' -c listen_addresses=127.0.0.1 -c fsync=off`;
    runProgram('pg_ctl', ['-D', cluster, '-w', '-o', options, '-l', join(cluster, 'log'), 'start']);
    await connected(urlOf('postgres', 'postgres'), (client) =>
      client.query('create role travel_owner login; create role travel_service login'),
    );
    await createDatabase('travel');

    const rehearsal = rehearsalOn('travel');
    await rehearsal.start();
    const early = await rehearsal.createChannel('Before the backup');
    const rendition = await rehearsal.render();
    const file = await rehearsal.download(rendition);
    await rehearsal.stop();
    const counts = await countRows(urlOf('postgres', 'travel'));
    const taken = await rehearsal.succeed<{ name: string; kind: string }>('backup');
    expect(taken.kind).toBe('dump');
    await rehearsal.start({ JOBS: 'false' });
    const late = await rehearsal.createChannel('After the backup');
    expect(await rehearsal.run('restore')).toEqual({
      code: 78,
      output: expect.stringMatching(/The database contains \d+ tables\..*--replace/s),
    });
    expect(await rehearsal.run('restore', ['--replace'])).toEqual({
      code: 78,
      output: expect.stringContaining('connections of the service use the database'),
    });
    await rehearsal.stop();
    rmSync(join(dataDir, 'files'), { recursive: true });

    await createDatabase('restored');
    const copy = rehearsalOn('restored');
    await copy.succeed('restore');
    expect(await countRows(urlOf('postgres', 'restored'))).toEqual(counts);
    await rehearsal.succeed('restore', ['--replace']);
    expect(await countRows(urlOf('postgres', 'travel'))).toEqual(counts);

    for (const restored of [copy, rehearsal]) {
      await restored.start({ JOBS: 'false' });
      expect(await Promise.all([early, late].map((id) => restored.channelStatus(id)))).toEqual([200, 404]);
      expect(await restored.download(rendition)).toEqual(file);
      expect(await restored.isConserved()).toBe(true);
      const { breaks, findings } = await restored.verifyLedger();
      expect(breaks).toEqual([]);
      expect(findings.map(({ code }) => code)).toEqual(['older_than_checkpoint']);
      await restored.stop();
    }
  }, 400_000);

  it('a missing client and one of another version are named with their remedy', async () => {
    if (!programs) return;
    const server = Number(/\d+/.exec(programs)?.[0]);
    const older = join(root, 'older');
    mkdirSync(older);
    writeFileSync(join(older, 'pg_dump'), '#!/bin/sh\necho "pg_dump (PostgreSQL) 9.6.1"\n');
    chmodSync(join(older, 'pg_dump'), 0o755);
    // Without the programs of the distribution only PATH counts.
    const { clientOf } = await import('../../scripts/backup/dump.js');
    expect(() => clientOf('pg_dump', { major: 99, path: older })).toThrow(
      'pg_dump 9.6.1 is older than the server, which is PostgreSQL 99.',
    );
    expect(() => clientOf('pg_dump', { major: 99, path: root })).toThrow('The program pg_dump is missing.');
    expect(clientOf('pg_dump', { major: server, path: older })).toBe(join(programs, 'pg_dump'));
  });
});
