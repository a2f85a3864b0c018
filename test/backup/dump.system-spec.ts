import { afterAll, describe, expect, it } from '@jest/globals';
import { spawnSync } from 'node:child_process';
import { chmodSync, chownSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { freePort } from '../../scripts/ports.js';
import { newFolder, PROJECT } from '../launcher/folders.js';
import { until } from '../platform/locked-table.js';
import { endAll } from '../platform/service-process.js';
import { TestAuthority } from '../setup/certificates.js';
import { connected, countRows, Rehearsal } from './rehearsal.js';

const ROOT = '/usr/lib/postgresql';
/** A server with its own pg_dump: the embedded one has none. */
const programs = existsSync(ROOT)
  ? readdirSync(ROOT)
      .map((version) => join(ROOT, version, 'bin'))
      .find((folder) => ['initdb', 'pg_ctl', 'pg_dump', 'pg_restore'].every((name) => existsSync(join(folder, name))))
  : undefined;
const ROLES = readFileSync(join(PROJECT, 'deploy/sql/roles.sql'), 'utf8');

const root = newFolder({ open: true });
const [dataDir, backupDir, cluster] = [join(root, 'data'), join(root, 'backups'), join(root, 'cluster')];
const port = await freePort();
const authority = join(root, 'authority.crt');

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

/** Starts the server, with a certificate that names another host. */
function startCluster(): void {
  for (const folder of [dataDir, cluster]) mkdirSync(folder);
  const owner = process.getuid?.() === 0 ? 65534 : undefined;
  if (owner !== undefined) chownSync(cluster, owner, owner);
  runProgram('initdb', ['-D', cluster, '--auth=trust', '--username=postgres', '--encoding=UTF8', '--no-sync']);
  const signer = new TestAuthority();
  const { cert, key } = signer.issue('database.example');
  for (const [name, text] of Object.entries({ 'server.crt': cert, 'server.key': key })) {
    writeFileSync(join(cluster, name), text, { mode: 0o600 });
    if (owner !== undefined) chownSync(join(cluster, name), owner, owner);
  }
  writeFileSync(authority, signer.cert);
  const options = `-p ${port} -k '' -c listen_addresses=127.0.0.1 -c fsync=off -c ssl=on`;
  runProgram('pg_ctl', ['-D', cluster, '-w', '-o', options, '-l', join(cluster, 'log'), 'start']);
}

async function createDatabase(name: string): Promise<void> {
  await connected(urlOf('postgres', 'postgres'), (client) => client.query(`create database ${name}`));
  await connected(urlOf('postgres', name), (client) => client.query(ROLES));
}

/** Locks a table of the service while `work` runs, which receives how to wait until a client waits for the lock. */
async function withLockedTable<T>(work: (waiting: () => Promise<void>) => Promise<T>): Promise<T> {
  return connected(urlOf('postgres', 'travel'), async (client) => {
    await client.query('begin; lock table bookings in access share mode');
    const waits = `select from pg_stat_activity where application_name = 'psql' and wait_event_type = 'Lock'`;
    return work(() =>
      until(() => connected(urlOf('postgres', 'travel'), async (other) => (await other.query(waits)).rowCount === 1)),
    );
  });
}

function rehearsalOn(database: string, more: Record<string, string> = {}): Rehearsal {
  return new Rehearsal({
    DATA_DIR: dataDir,
    FILES_DIR: join(dataDir, 'files'),
    LEDGER_CHECKPOINT_FILE: join(root, 'checkpoints.jsonl'),
    BACKUP_DIR: backupDir,
    DATABASE_URL: urlOf('travel_service', database),
    MIGRATION_DATABASE_URL: `${urlOf('travel_owner', database)}?sslmode=verify-ca&sslrootcert=${authority}`,
    ...more,
  });
}

/** A restore that fails at its end: a role that the dump names does not exist. */
async function failing(rehearsal: Rehearsal): Promise<string> {
  const rename = (from: string, to: string) =>
    connected(urlOf('postgres', 'postgres'), (client) => client.query(`alter role ${from} rename to ${to}`));
  await rename('travel_backup', 'travel_other');
  const { code, output } = await rehearsal.run('restore', ['--replace']);
  await rename('travel_other', 'travel_backup');
  expect([code, output]).toEqual([1, expect.stringContaining('role "travel_backup" does not exist')]);
  return output;
}

/** A restore that is stopped by Ctrl-C. */
async function stopped(rehearsal: Rehearsal): Promise<string> {
  return withLockedTable(async (waiting) => {
    const script = rehearsal.begin('restore', ['--replace']);
    await waiting();
    script.child.kill('SIGINT');
    expect(await script.end()).toBe(130);
    return script.output();
  });
}

/** A restore during which the service connects. */
async function overtaken(rehearsal: Rehearsal): Promise<string> {
  const script = rehearsal.begin('restore', ['--replace']);
  const service = new pg.Client({ connectionString: urlOf('travel_service', 'travel') });
  await withLockedTable(async (waiting) => {
    await waiting();
    await service.connect();
  });
  expect(await script.end()).toBe(1);
  await service.end();
  expect(script.output()).toContain('connections of the service use the database');
  return script.output();
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
    startCluster();
    await createDatabase('travel');

    const rehearsal = rehearsalOn('travel');
    await rehearsal.start();
    const early = await rehearsal.createChannel('Before the backup');
    const rendition = await rehearsal.render();
    const file = await rehearsal.download(rendition);
    await rehearsal.stop();
    const counts = await countRows(urlOf('postgres', 'travel'));
    await connected(urlOf('postgres', 'travel'), (client) =>
      client.query('create schema other_program; create table other_program.notes as select 1 as note'),
    );
    // The job knows neither the owner nor the role of the service.
    const { DATABASE_URL: _, MIGRATION_DATABASE_URL: owner, ...shared } = rehearsal.environment;
    const job = new Rehearsal({
      ...shared,
      BACKUP_DATABASE_URL: String(owner).replace('travel_owner', 'travel_backup'),
    });
    const taken = await job.succeed<{ name: string; kind: string }>('backup');
    expect((await job.run('restore', ['--verify'])).code).toBe(0);
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
    await connected(urlOf('travel_service', 'restored'), async (client) => {
      expect((await client.query('show statement_timeout')).rows).toEqual([{ statement_timeout: '5s' }]);
    });

    const present = await countRows(urlOf('postgres', 'travel'));
    for (const interrupted of [failing, stopped, overtaken]) {
      expect(await interrupted(rehearsal)).toEqual(expect.stringMatching(/the database is unchanged/i));
      expect(await countRows(urlOf('postgres', 'travel'))).toEqual(present);
    }
    await rehearsal.succeed('restore', ['--replace']);
    expect(await countRows(urlOf('postgres', 'travel'))).toEqual({ ...counts, 'other_program.notes': 1 });

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

  it('the client programs use TLS as the service does', async () => {
    const { addressOf } = await import('../../scripts/backup/dump.js');
    const parametersOf = (given: string, major = 15) =>
      new URL(addressOf(`postgres://owner:secret@database.example/travel?${given}`, major).url).search;
    const expected = {
      '': '',
      'ssl=true': '?sslmode=verify-full',
      'ssl=1': '?sslmode=verify-full',
      'ssl=false': '',
      'sslrootcert=/a': '?sslrootcert=/a&sslmode=verify-full',
      'sslmode=disable': '?sslmode=disable',
      'sslmode=require': '?sslmode=require',
      'sslmode=require&ssl=true&application_name=x': '?sslmode=require',
      'sslmode=verify-ca&sslrootcert=/a': '?sslmode=verify-ca&sslrootcert=/a',
      'sslmode=verify-full': '?sslmode=verify-full',
    };
    const found = Object.keys(expected).map((given) => [given, decodeURIComponent(parametersOf(given))]);
    expect(Object.fromEntries(found)).toEqual(expected);
    expect(parametersOf('ssl=true', 16)).toBe('?sslmode=verify-full&sslrootcert=system');
  });

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
