import { afterAll, expect, it } from '@jest/globals';
import { spawnSync } from 'node:child_process';
import { appendFileSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { newFolder, PROJECT } from '../launcher/folders.js';
import { OwnServer } from '../platform/own-server.js';
import { endAll, ServiceProcess } from '../platform/service-process.js';
import { commandsIn, readPage } from './markdown.js';

const folder = newFolder();
const SECTION = /^## Set up one machine\n(.*?)^## /ms.exec(readPage('docs/operations.md'))?.[1] ?? '';
const COMMANDS = commandsIn(SECTION);
const PASSWORD = 'administrator-of-the-server';

/** What the operator enters in the editor. */
const ENTERED = {
  SMTP_URL: 'smtps://office:of-the-office@mail.acme.test:465',
  ORG_NAME: 'Acme Tours',
  ORG_TIME_ZONE: 'Europe/London',
  MAIL_FROM: 'Acme Tours <office@acme.test>',
  BOOTSTRAP_ADMIN_EMAIL: 'owner@acme.test',
  BOOTSTRAP_ADMIN_PASSWORD: 'seven horses cross the bridge',
};

afterAll(async () => {
  await endAll();
  rmSync(folder, { recursive: true });
});

/** The command of the page that starts with this word. */
function command(word: string): string {
  return COMMANDS.find((line) => line.startsWith(`${word} `)) ?? `${word} is missing`;
}

/** Runs the commands in one shell, as the page does; without TLS, which the server of this test does not offer. */
function run(commands: string[], variables: Record<string, string>): void {
  const script = commands
    .join('\n')
    .replaceAll('/etc/travel', join(folder, 'etc'))
    .replace('sslmode=require', 'sslmode=disable');
  const assignments = Object.entries(variables).map(([name, value]) => `${name}='${value}'`);
  const { status, stdout, stderr } = spawnSync('sh', ['-ec', [...assignments, script].join('\n')], {
    cwd: PROJECT,
    encoding: 'utf8',
    env: { PATH: process.env['PATH'], PGPASSWORD: PASSWORD },
  });
  if (status !== 0) throw new Error(`${script}\n${stdout}${stderr}`);
}

function settingsIn(...files: string[]): Record<string, string> {
  const text = files.map((file) => readFileSync(join(folder, 'etc', file), 'utf8')).join('\n');
  return parseEnv(text.replaceAll('sslmode=verify-full', 'sslmode=disable')) as Record<string, string>;
}

it('the set-up of docs/operations.md makes roles and settings with which migrations and the service start in production', async () => {
  if (spawnSync('psql', ['--version']).error) {
    process.stdout.write('not run: psql\n');
    return;
  }
  const own = await OwnServer.start();
  await own.sql('drop database travel');
  await own.sql('drop role travel_owner, travel_service');
  // A managed server gives no superuser.
  await own.sql(`create role administrator login createdb createrole password '${PASSWORD}'`);
  const { host } = new URL(own.urlOf({ database: 'postgres' }));

  const [variables = ''] = COMMANDS;
  const passwords = variables.replace(/HOST=\S+ DB=\S+/, '');
  const given = { HOST: 'office.acme.test', DB: host };
  run([passwords, command('psql'), command('install'), command('sed')], given);

  const modes = readdirSync(join(folder, 'etc')).map((file) => [
    file,
    statSync(join(folder, 'etc', file)).mode & 0o777,
  ]);
  expect(Object.fromEntries(modes)).toEqual({ 'service.env': 0o600, 'migration.env': 0o600, 'backup.env': 0o600 });
  expect(settingsIn('service.env')).toMatchObject({
    BASE_URL: 'https://office.acme.test',
    TRUSTED_PROXIES: '127.0.0.1',
    MAIL_FROM: 'Acme Tours <office@example.com>',
    VAULT_KEK_2026a: expect.stringMatching(/^[\w+/]{43}=$/),
  });
  appendFileSync(
    join(folder, 'etc/service.env'),
    Object.entries(ENTERED)
      .map(([name, value]) => `${name}=${value}\n`)
      .join(''),
  );

  const machine = { NODE_ENV: 'production', DATA_DIR: join(folder, 'data'), MIGRATE: 'false', RATE_LIMIT_FACTOR: '1' };
  const migration = spawnSync(process.execPath, ['scripts/platform.js', 'migrate'], {
    cwd: PROJECT,
    encoding: 'utf8',
    env: { PATH: process.env['PATH'], ...settingsIn('service.env', 'migration.env'), ...machine },
  });
  expect([migration.status, migration.stderr]).toEqual([0, expect.any(String)]);

  const service = await ServiceProcess.start({ ...settingsIn('service.env'), ...machine, JOBS: 'true' });
  const login = await fetch(`${service.url}/v1/admin/identity/sessions`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ email: ENTERED.BOOTSTRAP_ADMIN_EMAIL, password: ENTERED.BOOTSTRAP_ADMIN_PASSWORD }),
  });
  expect(login.status).toBe(201);
  expect((await fetch(`${service.url}/metrics`)).status).toBe(200);

  // The role of backups exists with its password.
  const { BACKUP_DATABASE_URL = '' } = settingsIn('backup.env');
  const query = spawnSync('psql', [BACKUP_DATABASE_URL, '--command', 'select count(*) from bookings'], {
    encoding: 'utf8',
  });
  expect([query.status, query.stderr]).toEqual([0, '']);
}, 120_000);
