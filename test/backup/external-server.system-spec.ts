import { afterAll, describe, expect, it } from '@jest/globals';
import { spawnSync } from 'node:child_process';
import { chmodSync, chownSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
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
/** Restoring to a time between two dumps needs pgBackRest. */
const hasPgBackRest = programs !== undefined && spawnSync('pgbackrest', ['version']).status === 0;
const ROLES = readFileSync(join(PROJECT, 'deploy/sql/roles.sql'), 'utf8');

const root = newFolder({ open: true });
const [dataDir, backupDir, cluster] = [join(root, 'data'), join(root, 'backups'), join(root, 'cluster')];
const repository = join(root, 'repository');
/** Beside the cluster: a backup of the cluster would include the lock of the socket, which a restored server respects. */
const sockets = join(root, 'sockets');
const port = await freePort();
const authority = join(root, 'authority.crt');
const pgBackRestFile = join(root, 'pgbackrest.conf');
const serverLog = join(cluster, 'log');
/** The id of the user `nobody`: PostgreSQL refuses to run as root. */
const SERVER_USER = 65534;

function urlOf(role: string, database: string): string {
  return `postgresql://${role}@127.0.0.1:${port}/${database}`;
}

/** Reads a file of deploy/pgbackrest without its comments. */
function deployed(name: string): string[] {
  const lines = readFileSync(join(PROJECT, 'deploy/pgbackrest', name), 'utf8').split('\n');
  return lines.filter((line) => line !== '' && !line.startsWith('#'));
}

/** Neither PostgreSQL nor pgBackRest runs as root. The server keeps the environment for its `archive_command`. */
function runProgram(program: string, words: string[]): string {
  const user = process.getuid?.() === 0 ? { uid: SERVER_USER, gid: SERVER_USER } : {};
  const { status, stdout, stderr } = spawnSync(program, words, {
    ...user,
    cwd: '/',
    encoding: 'utf8',
    env: { PATH: process.env['PATH'], PGBACKREST_CONFIG: pgBackRestFile },
    // The server keeps the environment that it inherits.
    stdio: program.endsWith('pg_ctl') ? 'ignore' : 'pipe',
  });
  if (status !== 0)
    throw new Error(`${program}: ${stdout ?? readFileSync(serverLog, 'utf8').slice(-2_000)}${stderr ?? ''}`);
  return stdout;
}

function postgresProgram(name: string): string {
  return join(programs ?? '', name);
}

/** Starts the server, with a certificate that names another host. */
function startCluster(): void {
  const options = `-p ${port} -k ${sockets} -c listen_addresses=127.0.0.1 -c fsync=off -c ssl=on`;
  runProgram(postgresProgram('pg_ctl'), ['-D', cluster, '-w', '-o', options, '-l', serverLog, 'start']);
}

function createCluster(): void {
  for (const folder of [dataDir, cluster, repository, sockets]) mkdirSync(folder);
  const owner = process.getuid?.() === 0 ? SERVER_USER : undefined;
  if (owner !== undefined) for (const folder of [cluster, repository, sockets]) chownSync(folder, owner, owner);
  const words = ['-D', cluster, '--auth=trust', '--username=postgres', '--encoding=UTF8', '--no-sync'];
  runProgram(postgresProgram('initdb'), words);
  const signer = new TestAuthority();
  const { cert, key } = signer.issue('database.example');
  for (const [name, text] of Object.entries({ 'server.crt': cert, 'server.key': key })) {
    writeFileSync(join(cluster, name), text, { mode: 0o600 });
    if (owner !== undefined) chownSync(join(cluster, name), owner, owner);
  }
  writeFileSync(authority, signer.cert);
  if (!hasPgBackRest) return;
  writeFileSync(
    join(cluster, 'postgresql.conf'),
    [readFileSync(join(cluster, 'postgresql.conf'), 'utf8'), ...deployed('postgresql.conf')].join('\n'),
  );
  const configuration = deployed('pgbackrest.conf')
    .map((line) =>
      line.replace(/^(repo1|log)-path=.*/, `$1-path=${repository}`).replace(/^pg1-path=.*/, `pg1-path=${cluster}`),
    )
    .join('\n');
  const ofTest = [
    `pg1-port=${port}`,
    `pg1-socket-path=${sockets}`,
    'pg1-user=postgres',
    '[global]',
    `lock-path=${repository}/lock`,
    `spool-path=${repository}/spool`,
  ];
  writeFileSync(pgBackRestFile, [configuration, ...ofTest, ''].join('\n'));
}

function stopCluster(mode: 'fast' | 'immediate'): void {
  runProgram(postgresProgram('pg_ctl'), ['-D', cluster, '-m', mode, '-w', 'stop']);
}

/** Runs a command of the page on point-in-time recovery, or of the jobs in deploy/pgbackrest. */
function pgBackRest(command: string, ...more: string[]): string {
  const [program = '', ...words] = command.split(' ');
  return runProgram(program, [...words, ...more]);
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

/** Runs a restore that fails at its end, because a role named in the dump does not exist. */
async function failing(rehearsal: Rehearsal): Promise<string> {
  const rename = (from: string, to: string) =>
    connected(urlOf('postgres', 'postgres'), (client) => client.query(`alter role ${from} rename to ${to}`));
  await rename('travel_backup', 'travel_other');
  const { code, output } = await rehearsal.run('restore', ['--replace']);
  await rename('travel_other', 'travel_backup');
  expect([code, output]).toEqual([1, expect.stringContaining('role "travel_backup" does not exist')]);
  return output;
}

/** Runs a restore that Ctrl-C stops. */
async function stopped(rehearsal: Rehearsal): Promise<string> {
  return withLockedTable(async (waiting) => {
    const script = rehearsal.begin('restore', ['--replace']);
    await waiting();
    script.child.kill('SIGINT');
    expect(await script.end()).toBe(130);
    return script.output();
  });
}

/** Runs a restore during which the service connects. */
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
  let [early, late, rendition, moment] = ['', '', '', ''];
  let counts: Record<string, number> = {};
  let file: Buffer | null = null;

  /** Returns the service's own checks of a restored database. */
  async function verify(restored: Rehearsal): Promise<void> {
    await restored.start({ JOBS: 'false' });
    expect(await Promise.all([early, late].map((id) => restored.channelStatus(id)))).toEqual([200, 404]);
    expect(await restored.download(rendition)).toEqual(file);
    expect(await restored.isConserved()).toBe(true);
    const { breaks, findings } = await restored.verifyLedger();
    expect(breaks).toEqual([]);
    expect(findings.map(({ code }) => code)).toEqual(['older_than_checkpoint']);
    await restored.stop();
  }

  afterAll(async () => {
    await endAll();
    if (existsSync(join(cluster, 'postmaster.pid'))) stopCluster('immediate');
    rmSync(root, { recursive: true, force: true });
  });

  it('a dump restores every row and file to a new database, and replaces one only if it is told to', async () => {
    if (!programs) {
      process.stdout.write('not run: pg_dump beside a server of its version\n');
      return;
    }
    createCluster();
    startCluster();
    await createDatabase('travel');

    const rehearsal = rehearsalOn('travel');
    await rehearsal.start();
    early = await rehearsal.createChannel('Before the backup');
    rendition = await rehearsal.render();
    file = await rehearsal.download(rendition);
    expect(await rehearsal.metric('backup_last_success_timestamp_seconds')).toBe(null);
    await rehearsal.stop();
    counts = await countRows(urlOf('postgres', 'travel'));
    await connected(urlOf('postgres', 'travel'), (client) =>
      client.query('create schema other_program; create table other_program.notes as select 1 as note'),
    );
    if (hasPgBackRest) {
      for (const command of ['stanza-create', 'check']) pgBackRest(`pgbackrest --stanza=travel ${command}`);
      pgBackRest(deployed('cron')[0]?.replace(/^.* (?=pgbackrest )/, '') ?? '');
      // pgBackRest compares whole seconds.
      await pause(1_000);
      moment = new Date().toISOString().replace('T', ' ').replace('Z', '+00');
    }
    // The job knows neither the owner nor the role of the service.
    const { DATABASE_URL: _, MIGRATION_DATABASE_URL: owner, ...shared } = rehearsal.environment;
    const job = new Rehearsal({
      ...shared,
      BACKUP_DATABASE_URL: String(owner).replace('travel_owner', 'travel_backup'),
    });
    const taken = await job.succeed<{ name: string; kind: string; startedAt: string; unrecorded: string | null }>(
      'backup',
    );
    expect((await job.run('restore', ['--verify'])).code).toBe(0);
    expect([taken.kind, taken.unrecorded]).toEqual(['dump', null]);
    await rehearsal.start({ JOBS: 'false' });
    // The role of backups has recorded it, although it may only read.
    expect(await rehearsal.metric('backup_last_success_timestamp_seconds')).toBe(Date.parse(taken.startedAt) / 1_000);
    late = await rehearsal.createChannel('After the backup');
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

    await verify(rehearsal);

    await connected(urlOf('postgres', 'travel'), (client) =>
      client.query('revoke execute on function record_backup from travel_backup'),
    );
    expect(await job.run('backup')).toEqual({
      code: 0,
      output: expect.stringMatching(/is complete.*NOT RECORDED.*permission denied for function record_backup/s),
    });
  }, 400_000);

  it('pgBackRest restores the server to a moment between two writes, and the service verifies the database', async () => {
    if (!hasPgBackRest) {
      process.stdout.write('not run: pgbackrest\n');
      return;
    }
    stopCluster('fast');
    pgBackRest('pgbackrest --stanza=travel --delta --type=time --target-action=promote restore', `--target=${moment}`);
    startCluster();
    const url = urlOf('postgres', 'travel');
    const promoted = 'select from (select pg_is_in_recovery() as replays) state where not replays';
    await until(() => connected(url, async (client) => (await client.query(promoted)).rowCount === 1));
    await connected(url, (client) => client.query('analyze'));
    expect(await countRows(url)).toEqual({ ...counts, 'other_program.notes': 1 });

    const rehearsal = rehearsalOn('travel');
    await verify(rehearsal);
    const words = ['ledger', 'checkpoint', '--restored', 'Rehearsal of a restore'];
    expect(await rehearsal.command(words)).toEqual({ code: 0, output: expect.stringContaining('Rehearsal') });
    expect((await rehearsal.command(['ledger', 'verify'])).code).toBe(0);
    pgBackRest('pgbackrest --stanza=travel check');
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
    // Without the programs of the distribution, only PATH counts.
    const { clientOf } = await import('../../scripts/backup/dump.js');
    expect(() => clientOf('pg_dump', { major: 99, path: older })).toThrow(
      'pg_dump 9.6.1 is older than the server, which is PostgreSQL 99.',
    );
    expect(() => clientOf('pg_dump', { major: 99, path: root })).toThrow('The program pg_dump is missing.');
    expect(clientOf('pg_dump', { major: server, path: older })).toBe(join(programs, 'pg_dump'));
  });
});
