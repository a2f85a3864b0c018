import { afterAll, describe, expect, it } from '@jest/globals';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import pg from 'pg';
import { runningPostgres, startPostgres } from '../../scripts/embedded-postgres/index.js';
import { isAlive } from '../../scripts/processes.js';
import { newFolder, PROJECT, runScript } from './folders.js';
import { eventually } from './wait.js';

type Server = Awaited<ReturnType<typeof startPostgres>>;

/** Starts the server in a folder, prints its process id and runs until it is killed. */
const HOLDER = `
import { startPostgres } from './scripts/embedded-postgres/index.js';
const { pid } = await startPostgres({ dataDir: process.argv[1] });
console.log(pid);
setInterval(() => undefined, 60_000);
`;

const asRoot = process.getuid?.() === 0 ? it : it.skip;
const folders: string[] = [];
const servers: Server[] = [];

async function start(
  dataDir: string,
  options: { port?: number; durable?: boolean; logFile?: string } = {},
): Promise<Server> {
  const server = await startPostgres({ dataDir, durable: false, ...options });
  servers.push(server);
  return server;
}

function folder(options?: { open: boolean }): string {
  const path = newFolder(options);
  folders.push(path);
  return path;
}

async function query(url: string, text: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(text)).rows;
  } finally {
    await client.end();
  }
}

async function errorOf(work: Promise<unknown>): Promise<unknown> {
  return work.then(
    () => null,
    (error: unknown) => error,
  );
}

describe('the embedded PostgreSQL', () => {
  afterAll(async () => {
    await Promise.all(servers.map((server) => server.stop()));
    for (const path of folders) rmSync(path, { recursive: true, force: true });
  });

  it('the embedded PostgreSQL has a database whose owner is not a superuser', async () => {
    const { url, ownerUrl, pid, adopted, stop } = await start(folder());
    expect(adopted).toBe(false);
    const [role] = await query(url, 'select * from pg_roles where rolname = current_user');
    expect(role).toMatchObject({
      rolname: 'travel_service',
      rolsuper: false,
      rolcreatedb: false,
      rolcreaterole: false,
    });
    const [database] = await query(
      url,
      'select datdba::regrole::text as owner, * from pg_database where datname = current_database()',
    );
    expect(database).toMatchObject({ owner: 'travel_owner', datlocprovider: 'b', datlocale: 'C.UTF-8' });
    const extensions = await query(url, `select extname from pg_extension where extname <> 'plpgsql' order by extname`);
    expect(extensions.map(({ extname }) => extname)).toEqual(['btree_gist', 'pg_trgm', 'unaccent']);
    expect(await query(url, `select cardinality(show_trgm('Москва')) as trigrams`)).toEqual([{ trigrams: 7 }]);
    await query(ownerUrl, 'create table owned_by_the_owner ()');
    expect(await errorOf(query(url, 'create table owned_by_the_service ()'))).toMatchObject({ code: '42501' });
    await stop();
    expect(isAlive(pid)).toBe(false);
  });

  it('the embedded PostgreSQL listens on the loopback address only and requires the password', async () => {
    const { url, superuserUrl, stop } = await start(folder());
    expect(await query(superuserUrl, 'show listen_addresses')).toEqual([{ listen_addresses: '127.0.0.1' }]);
    expect(await query(superuserUrl, 'show unix_socket_directories')).toEqual([{ unix_socket_directories: '' }]);
    const wrong = new URL(url);
    wrong.password = 'wrong';
    expect(await errorOf(query(wrong.href, 'select 1'))).toMatchObject({ code: '28P01' });
    await stop();
  });

  it('the embedded PostgreSQL logs slow statements, but no parameters and no rejected values', async () => {
    const dataDir = folder();
    const logFile = join(dataDir, 'server.log');
    const { ownerUrl, stop } = await start(dataDir, { logFile });
    const client = new pg.Client({ connectionString: ownerUrl });
    await client.connect();
    const codeOf = async (text: string, values: unknown[]) =>
      client.query(text, values).then(
        () => null,
        ({ code }: { code: string }) => code,
      );
    await client.query('create table guests (email text unique check (length(email) < 40), born date, age int)');
    await client.query('insert into guests (email) values ($1)', ['maria.secret@acme.test']);
    const codes = [
      await codeOf('insert into guests (email) values ($1)', ['maria.secret@acme.test']),
      await codeOf('insert into guests (email) values ($1)', ['much-too-long-and-secret-address@acme.test']),
      await codeOf('insert into guests (born) values ($1)', ['31 February secret']),
      await codeOf('select cast($1::text as int)', ['secret 42']),
      await codeOf(`insert into guests (email) values ('maria.secret@acme.test')`, []),
      await codeOf(`do $$ begin raise exception 'the guest %', 'maria.secret@acme.test'; end $$`, []),
      await codeOf('select pg_sleep(1.2), $1::text as named_parameter', ['slow secret']),
    ];
    await client.end();
    await stop();
    expect(codes).toEqual(['23505', '23514', '22007', '22P02', '23505', 'P0001', null]);
    const log = readFileSync(logFile, 'utf8');
    expect(log).toMatch(/LOG: {2}duration: .* select pg_sleep\(1\.2\), \$1::text as named_parameter/);
    expect(log.split('\n').filter((line) => line.includes('secret'))).toEqual([]);
  });

  it('the embedded PostgreSQL keeps data, port and passwords between starts', async () => {
    const dataDir = folder();
    const first = await start(dataDir);
    await query(first.ownerUrl, 'create table kept as select 42 as answer');
    await first.stop();
    const second = await start(dataDir);
    expect(second.url).toBe(first.url);
    expect(await query(second.ownerUrl, 'select * from kept')).toEqual([{ answer: 42 }]);
    await second.stop();
  });

  it('two concurrent starts share one embedded PostgreSQL, and the last user stops it', async () => {
    const dataDir = folder();
    const both = await Promise.all([start(dataDir), start(dataDir)]);
    expect(both.map(({ adopted }) => adopted).sort()).toEqual([false, true]);
    expect(both[0].pid).toBe(both[1].pid);
    await both[0].stop();
    expect(await query(both[1].url, 'select 1 as one')).toEqual([{ one: 1 }]);
    await both[1].stop();
    expect(runningPostgres(dataDir)).toBeNull();
  });

  it('a second stop of the embedded PostgreSQL waits for the first', async () => {
    const dataDir = folder();
    const server = await start(dataDir);
    void server.stop();
    await server.stop();
    expect(isAlive(server.pid)).toBe(false);
  });

  it('the embedded PostgreSQL is available to each start during its stop by the last user', async () => {
    const dataDir = folder();
    let server = await start(dataDir);
    for (let round = 0; round < 5; round += 1) {
      const [next] = await Promise.all([start(dataDir), server.stop()]);
      expect(await query(next.url, 'select 1 as one')).toEqual([{ one: 1 }]);
      server = next;
    }
    await server.stop();
    expect(runningPostgres(dataDir)).toBeNull();
  });

  it('the embedded PostgreSQL is not stopped by another process after the connection that registers its user was lost', async () => {
    const dataDir = folder();
    const first = await start(dataDir);
    const terminate = `select pid, pg_terminate_backend(pid) as done from pg_stat_activity where application_name = 'launcher'`;
    const registered = `select pid from pg_stat_activity where application_name = 'launcher'`;
    const [lost] = await query(first.superuserUrl, terminate);
    expect(lost).toMatchObject({ done: true });
    await eventually(async () => {
      const rows = await query(first.superuserUrl, registered);
      return rows.some(({ pid }) => pid !== lost?.['pid']) ? true : null;
    });
    const second = await start(dataDir);
    await second.stop();
    expect(await query(first.ownerUrl, 'select 1 as one')).toEqual([{ one: 1 }]);
    await first.stop();
    expect(isAlive(first.pid)).toBe(false);
  });

  it('the embedded PostgreSQL has every acknowledged row after kill -9 of the server', async () => {
    const dataDir = folder();
    const first = await start(dataDir, { durable: true });
    await query(first.ownerUrl, 'create table written (number int)');
    for (let number = 0; number < 20; number += 1)
      await query(first.ownerUrl, `insert into written values (${number})`);
    process.kill(first.pid, 'SIGKILL');
    await first.exited;
    const second = await start(dataDir, { durable: true });
    expect(second).toMatchObject({ adopted: false, port: first.port });
    expect(await query(second.ownerUrl, 'select count(*)::int from written')).toEqual([{ count: 20 }]);
    await Promise.all([first.stop(), second.stop()]);
  });

  it('a start takes over, and later stops, the embedded PostgreSQL of a process that was killed with -9', async () => {
    const dataDir = folder();
    const holder = runScript(PROJECT, ['--input-type=module', '--eval', HOLDER, dataDir]);
    const pid = await eventually(() => Number(holder.standardOutput()) || null, holder.output);
    holder.child.kill('SIGKILL');
    await holder.end();
    expect(isAlive(pid)).toBe(true);
    const heir = await start(dataDir);
    expect(heir).toMatchObject({ adopted: true, pid });
    await heir.stop();
    await heir.exited;
    expect(isAlive(pid)).toBe(false);
  });

  it('the embedded PostgreSQL is created again after an interrupted creation, and unknown folders are never deleted', async () => {
    const dataDir = folder();
    // 2^22 is the highest possible process id: no process has this one.
    const draft = join(dataDir, '18.draft-4194305-abcdef');
    mkdirSync(draft);
    writeFileSync(join(draft, 'PG_VERSION'), '18\n');
    mkdirSync(join(dataDir, '18'));
    writeFileSync(join(dataDir, '18/precious.txt'), 'somebody put this here');
    const server = await start(dataDir);
    expect(await query(server.url, 'select 1 as one')).toEqual([{ one: 1 }]);
    expect(existsSync(draft)).toBe(false);
    const aside = readdirSync(dataDir).filter((name) => name.startsWith('18.'));
    expect(aside).toEqual([expect.stringMatching(/^18\.incomplete-/)]);
    expect(readFileSync(join(dataDir, String(aside[0]), 'precious.txt'), 'utf8')).toBe('somebody put this here');
    await server.stop();
  });

  it('the embedded PostgreSQL starts although the process id of a dead server now belongs to another program', async () => {
    const dataDir = folder();
    const first = await start(dataDir);
    const file = join(dataDir, '18/postmaster.pid');
    const lines = readFileSync(file, 'utf8').split('\n');
    process.kill(first.pid, 'SIGKILL');
    await first.exited;
    writeFileSync(file, [process.pid, ...lines.slice(1)].join('\n'));
    const second = await start(dataDir);
    expect(second.adopted).toBe(false);
    await Promise.all([first.stop(), second.stop()]);
  });

  it('the embedded PostgreSQL gets new passwords if the stored ones are lost', async () => {
    const dataDir = folder();
    const first = await start(dataDir);
    await first.stop();
    rmSync(join(dataDir, '18/launcher-passwords.json'));
    const second = await start(dataDir);
    expect(second.url).not.toBe(first.url);
    expect(await query(second.url, 'select 1 as one')).toEqual([{ one: 1 }]);
    expect(statSync(join(dataDir, '18/launcher-passwords.json')).mode & 0o777).toBe(0o600);
    await second.stop();
  });

  it('the embedded PostgreSQL reports that the requested port is in use, with a remedy', async () => {
    const other = createServer();
    const port = await new Promise<number>((resolve) => {
      other.listen(0, '127.0.0.1', () => resolve((other.address() as { port: number }).port));
    });
    const error = await errorOf(start(folder(), { port }));
    await new Promise((resolve) => other.close(resolve));
    expect(error).toMatchObject({
      name: 'LaunchError',
      message: `Port ${port}, which PostgreSQL needs, is in use.`,
      remedy: 'End the program that uses it.',
      exitCode: 78,
    });
  });

  asRoot.each([
    ['below a folder that is closed to everybody else', false],
    ['below a folder that is open', true],
  ])('the embedded PostgreSQL runs as another user if root starts it, %s', async (_where, open) => {
    const server = await start(folder({ open }));
    const status = readFileSync(`/proc/${server.pid}/status`, 'utf8');
    const [, ...ids] = /^Uid:\t(\d+)\t(\d+)\t(\d+)\t(\d+)$/m.exec(status) ?? [];
    expect(ids).toHaveLength(4);
    expect(ids).not.toContain('0');
    expect(/^Groups:\s*$/m.test(status)).toBe(true);
    await query(server.ownerUrl, 'create table works ()');
    await server.stop();
  });
});
