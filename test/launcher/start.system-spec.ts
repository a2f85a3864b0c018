import { afterAll, afterEach, describe, expect, it } from '@jest/globals';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { freePort } from '../../scripts/ports.js';
import { ended, isAlive } from '../../scripts/processes.js';
import { newFolder, newProject, PROJECT, runScript, type Script } from './folders.js';
import { eventually } from './wait.js';

interface Visit {
  number: number;
  pid: number;
  DATABASE_URL: string;
  DATA_DIR: string;
}

const project = newProject();
const port = await freePort();
const scripts: Script[] = [];

function run(name: string, words: string[] = [], env: NodeJS.ProcessEnv = {}): Script {
  const script = runScript(project, [join(project, 'scripts/platform.js'), name, ...words], {
    PORT: String(port),
    ...env,
  });
  scripts.push(script);
  return script;
}

async function visit(at = port): Promise<Visit | null> {
  try {
    const response = await fetch(`http://127.0.0.1:${at}/`);
    const answer: unknown = await response.json();
    return response.status === 200 ? (answer as Visit) : null;
  } catch {
    return null;
  }
}

async function started(env: NodeJS.ProcessEnv = {}): Promise<{ script: Script; first: Visit }> {
  const script = run('start', [], env);
  const first = await eventually(visit, script.output);
  return { script, first };
}

function postmaster(): number {
  return Number(readFileSync(join(project, '.data/postgres/18/postmaster.pid'), 'utf8').split('\n')[0]);
}

describe('npm start', () => {
  // A service that a failed test left running must not respond to the next test.
  afterEach(async () => {
    for (const { child } of scripts) child.kill('SIGTERM');
    await Promise.all(scripts.map((script) => script.end()));
  });
  afterAll(() => rmSync(project, { recursive: true, force: true }));

  it('npm start starts database and service, and SIGTERM stops both with exit code 0', async () => {
    const { script, first } = await started();
    expect(first.DATA_DIR).toBe(join(project, '.data'));
    expect(first.DATABASE_URL).toMatch(/^postgresql:\/\/travel_service:[\w-]{32}@127\.0\.0\.1:\d+\/travel$/);
    const server = postmaster();
    script.child.kill('SIGTERM');
    expect(await script.end()).toBe(0);
    expect(script.output()).toMatch(/^starting PostgreSQL \.* \d+\.\d s$/m);
    expect(script.output()).toMatch(/^the service was told SIGTERM$/m);
    expect([isAlive(server), isAlive(first.pid)]).toEqual([false, false]);
  });

  it('npm start stops the service once for a Ctrl-C, although terminal and npm both deliver it', async () => {
    const { script } = await started();
    script.child.kill('SIGINT');
    script.child.kill('SIGINT');
    expect(await script.end()).toBe(0);
    expect(script.output().match(/the service was told/g)).toHaveLength(1);
  });

  it('a second npm start exits with code 78 and does not affect the first one', async () => {
    const { script, first } = await started();
    const second = run('start');
    expect(await second.end()).toBe(78);
    expect(second.output()).toContain(
      `ERROR   The service is already running from this folder on port ${port} (process ${script.child.pid}).\n` +
        `REMEDY  Stop it with Ctrl-C where it was started or \`kill ${script.child.pid}\`; ` +
        `\`PORT=${port + 1} npm start\` starts another one beside it.`,
    );
    expect(await visit()).toMatchObject({ pid: first.pid, number: first.number + 1 });
  });

  it('npm start stops the database and fails if the service dies', async () => {
    const { script, first } = await started();
    const server = postmaster();
    process.kill(first.pid, 'SIGKILL');
    expect(await script.end()).toBe(137);
    expect(script.output()).toContain('The service has ended by itself with code 137.');
    expect(isAlive(server)).toBe(false);
  });

  it('npm start restarts PostgreSQL if it dies, and no row is lost', async () => {
    const { script, first } = await started();
    const server = postmaster();
    process.kill(server, 'SIGKILL');
    await ended(server, 5000);
    const next = await eventually(visit, script.output);
    expect(next).toMatchObject({ pid: first.pid, DATABASE_URL: first.DATABASE_URL });
    expect(next.number).toBeGreaterThan(first.number);
    expect(script.output()).toContain(`PostgreSQL (process ${server}) has ended and is started again.`);
    script.child.kill('SIGTERM');
    expect(await script.end()).toBe(0);
  });

  it('the service stops if npm start is killed with -9, and the next start adopts the database', async () => {
    const { script, first } = await started();
    const server = postmaster();
    script.child.kill('SIGKILL');
    await script.end();
    const next = run('start');
    const existing = await eventually(async () => {
      const answer = await visit();
      return answer?.pid === first.pid ? null : answer;
    }, next.output);
    expect(existing.DATABASE_URL).toBe(first.DATABASE_URL);
    expect([await ended(first.pid, 5000), postmaster()]).toEqual([true, server]);
    next.child.kill('SIGTERM');
    expect(await next.end()).toBe(0);
    expect(isAlive(server)).toBe(false);
  });

  it('npm start waits until the service of a killed launcher has finished its requests', async () => {
    const { script, first } = await started({ DRAIN_MS: '2000' });
    script.child.kill('SIGKILL');
    await script.end();
    const next = run('start');
    await eventually(async () => ((await visit())?.pid === first.pid ? null : await visit()), next.output);
    expect(next.output()).toMatch(/^waiting for the service of a killed start to stop \.* \d\.\d s$/m);
    next.child.kill('SIGTERM');
    expect(await next.end()).toBe(0);
  });

  it('npm start starts no database if the configuration is invalid, and names all faults', async () => {
    const own = newProject();
    symlinkSync(join(PROJECT, 'dist/src/platform'), join(own, 'dist/src/platform'));
    const script = runScript(own, ['scripts/platform.js', 'start'], {
      PORT: String(port),
      JOBS: 'perhaps',
      LOG_LEVEL: 'loud',
      LOGLEVEL: 'info',
    });
    expect(await script.end()).toBe(78);
    expect(script.output()).toMatch(/^ {2}\| LOG_LEVEL: is not one of these values; expected one of trace, /m);
    expect(script.output()).toMatch(/^ {2}\| JOBS: .*; expected true or false/m);
    expect(script.output()).toContain('  | LOGLEVEL: is not a setting; expected LOG_LEVEL');
    expect(script.output()).not.toContain('DATABASE_URL');
    expect(script.output()).toContain(
      'ERROR   The configuration has faults.\nREMEDY  Correct what is named above, in the environment or in .env.',
    );
    expect(existsSync(join(own, '.data/postgres'))).toBe(false);
    rmSync(own, { recursive: true });
  });

  it('npm start in production needs DATABASE_URL and starts no database of its own', async () => {
    const data = newFolder();
    const script = run('start', [], { NODE_ENV: 'production', DATA_DIR: data });
    expect([await script.end(), script.output()]).toEqual([
      78,
      expect.stringContaining(
        'ERROR   DATABASE_URL is missing: with NODE_ENV=production no embedded database is started.',
      ),
    ]);
    expect(readdirSync(data)).toEqual([]);
  });

  it('npm start ignores a program that uses its port on another address', async () => {
    const own = await freePort();
    const other = createServer().listen(own, '127.0.0.2');
    await once(other, 'listening');
    const script = run('start', [], { PORT: String(own), DATABASE_URL: 'postgresql://db.example/travel' });
    expect(await eventually(() => visit(own), script.output)).toMatchObject({ number: 0 });
    script.child.kill('SIGTERM');
    expect(await script.end()).toBe(0);
    other.close();
  });

  it('npm start reports a data folder in a file system without folders of users, such as /proc', async () => {
    const script = run('start', [], { DATA_DIR: '/proc/travel/data' });
    expect([await script.end(), script.output()]).toEqual([
      78,
      expect.stringContaining('ERROR   /proc/travel cannot be created: its file system has no folders of users.'),
    ]);
    expect(script.output()).toContain('REMEDY  Set DATA_DIR to a folder elsewhere.');
  });

  it('npm start reports a data folder that cannot be used, with a remedy', async () => {
    const data = join(newFolder(), 'file');
    writeFileSync(data, '');
    const script = run('start', [], { DATA_DIR: join(data, 'inside') });
    expect([await script.end(), script.output()]).toEqual([78, expect.not.stringContaining('    at ')]);
    expect(script.output()).toContain('cannot be written: a part of the path is not a folder (ENOTDIR).');
    expect(script.output()).toContain('REMEDY  Rename that file, or set DATA_DIR to a folder elsewhere.');
  });

  it('npm start starts no database if DATABASE_URL is set', async () => {
    const data = newFolder();
    const { script, first } = await started({ DATABASE_URL: 'postgresql://db.example/travel', DATA_DIR: data });
    expect(first).toMatchObject({ DATABASE_URL: 'postgresql://db.example/travel', DATA_DIR: data });
    expect(existsSync(join(data, 'postgres'))).toBe(false);
    script.child.kill('SIGTERM');
    expect(await script.end()).toBe(0);
    rmSync(data, { recursive: true });
  });

  it('commands run on the same database, with and without a running service', async () => {
    const { script } = await started();
    for (const beside of [true, false]) {
      if (!beside) script.child.kill('SIGTERM');
      if (!beside) await script.end();
      const command = run('ledger', ['erase', 'a reason', 'one', 'two', '--json']);
      expect(await command.end()).toBe(7);
      expect(JSON.parse(command.standardOutput())).toEqual({
        name: 'ledger erase',
        options: { reason: 'a reason', entryIds: ['one', 'two'] },
        user: 'travel_service',
      });
      expect(existsSync(join(project, '.data/postgres/18/postmaster.pid'))).toBe(beside);
    }
  });

  it('reset rejects a running service, and a call without confirmation', async () => {
    const { script } = await started();
    const running = run('reset', ['--yes']);
    expect(await running.end()).toBe(78);
    expect(running.output()).toContain(`ERROR   The service is running (process ${script.child.pid}).`);
    script.child.kill('SIGTERM');
    await script.end();
    const unconfirmed = run('reset');
    expect(await unconfirmed.end()).toBe(78);
    expect(existsSync(join(project, '.data/postgres/18/PG_VERSION'))).toBe(true);
    const confirmed = run('reset', ['--yes']);
    expect(await confirmed.end()).toBe(0);
    expect(existsSync(join(project, '.data'))).toBe(false);
  });
});
