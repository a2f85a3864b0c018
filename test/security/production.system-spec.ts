import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { freePort } from '../../scripts/ports.js';
import { newCredential } from '../../src/platform/ids/credentials.js';
import { Machine, PRODUCTION } from '../identity/machine.js';
import { PROJECT, runScript, type Script } from '../launcher/folders.js';
import { eventually } from '../launcher/wait.js';

const MAIN = join(PROJECT, 'dist/src/main.js');

/** A start in production, on the database of the machine, as an operator would do it. */
function start(machine: Machine, variables: Record<string, string>): Script {
  const own = { ...PRODUCTION, DATABASE_URL: machine.databaseUrl, DATA_DIR: machine.folder };
  return runScript(machine.folder.replace(/\/data$/, ''), [MAIN], { ...own, ...variables });
}

async function faultsOf(machine: Machine, variables: Record<string, string>): Promise<string[]> {
  const script = start(machine, variables);
  expect([await script.end(), script.output()]).toEqual([78, script.output()]);
  const [title, ...faults] = script.output().trimEnd().split('\n');
  expect(title).toBe('The configuration has faults:');
  return faults;
}

async function tables(machine: Machine): Promise<number> {
  const rows = await machine.sql(`select from pg_tables where schemaname = 'public'`);
  return rows.length;
}

describe('a start in production', () => {
  beforeAll(() => {
    // The machine prints its usual messages.
    jest.spyOn(process.stdout, 'write').mockReturnValue(true);
  });
  afterAll(() => {
    jest.restoreAllMocks();
  });

  it('a start in production names all unsafe settings and what is unsafe in the database at once, and changes nothing', async () => {
    const machine = await Machine.bare();
    const demo = await machine.start();
    await demo.stop();
    await machine.sql('drop table review_source_names, review_sources cascade; delete from migrations');
    const before = await tables(machine);
    const faults = await faultsOf(machine, {
      BASE_URL: 'http://office.acme.test',
      CORS_ORIGINS: 'https://a.acme.test,http://b.acme.test',
      SMTP_URL: 'smtp://mail.acme.test:25',
      MAIL_FROM: 'Acme Tours <office@example.com>',
      RATE_LIMIT_FACTOR: '1000000',
      DEMO_DATA: 'true',
      VAULT_KEK_a: Buffer.alloc(32).toString('base64'),
      VAULT_KEK_b: Buffer.from('0123456789abcdef0123456789abcdef').toString('base64'),
      BOOTSTRAP_ADMIN_EMAIL: 'owner@example.com',
      BOOTSTRAP_ADMIN_PASSWORD: 'a sentence of your own',
    });
    expect(faults.sort()).toEqual([
      '  BASE_URL: starts with http://; expected the https:// origin under which clients reach the service; for example BASE_URL=https://office.your-company.com',
      '  BOOTSTRAP_ADMIN_EMAIL: is the address that the documentation shows; expected the address of a real mailbox; for example the owner’s own',
      '  BOOTSTRAP_ADMIN_PASSWORD: is a published password; expected a random password that is not published; for example the output of: openssl rand -base64 18',
      "  CORS_ORIGINS: contains 'http://b.acme.test', whose pages can be changed in transit; expected https:// origins only; for example CORS_ORIGINS=https://office.your-company.com",
      '  DATABASE_URL: leads to a database with demo data, whose credentials are known; expected one of its own for production; for example a new one (createdb), or without NODE_ENV=production this one',
      expect.stringMatching(
        /^ {2}DATABASE_URL: the role \w+ (owns \d+ tables, such as \w+, owns the database, .*, owns the schema public|is a superuser)[^;]*; expected a role of the service that owns nothing and is no superuser; for example the one of "Database roles" in docs\/operations\/database\.md$/,
      ),
      '  DEMO_DATA: asks for demo data, whose credentials are published; expected no value in production; for example DEMO_DATA=false',
      '  MAIL_FROM: is the example of the documentation; expected a value of your own: text of at most 500 characters; for example see docs/configuration.md',
      '  RATE_LIMIT_FACTOR: is above 100, which turns the rate limits off; expected a number above 0, at most 100 in production; for example RATE_LIMIT_FACTOR=2',
      '  SMTP_URL: connects to another machine without verified TLS; expected smtps://, or smtp:// with SMTP_TLS=required; for example SMTP_URL=smtp://user:password@mail.internal:587 and SMTP_TLS=required',
      '  VAULT_KEK_a: repeats itself and is not random; expected 32 random bytes in base64; for example the output of: openssl rand -base64 32',
      '  VAULT_KEK_b: is a text and not random; expected 32 random bytes in base64; for example the output of: openssl rand -base64 32',
    ]);
    expect(await tables(machine)).toBe(before);
    expect(await machine.sql('select from migrations')).toEqual([]);
  });

  it('a start in production is rejected as a superuser', async () => {
    const { adminUrl } = JSON.parse(process.env['TEST_RUN'] ?? '') as { adminUrl: string };
    const faults = await faultsOf(await Machine.bare(), { DATABASE_URL: adminUrl });
    expect(faults).toEqual([expect.stringMatching(/^ {2}DATABASE_URL: the role \w+ .*is a superuser.*; expected /)]);
  });

  it('a start in production is rejected with a database on another machine without TLS, to which nothing is sent', async () => {
    const contacted: string[] = [];
    const server = createServer((socket) => contacted.push(String(socket.remotePort))).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    // The name leads to this machine, as the name of another machine would lead to that one.
    const DATABASE_URL = `postgres://u:hidden-password@service.localhost:${port}/travel`;
    const faults = await faultsOf(await Machine.bare(), { DATABASE_URL });
    server.close();
    expect(faults).toEqual([
      expect.stringMatching(/^ {2}DATABASE_URL: connects to another machine without verified TLS; /),
    ]);
    expect(contacted).toEqual([]);
  });

  it('a start in production is rejected without a vault key, because a generated one could be lost with its folder', async () => {
    const machine = await Machine.set();
    expect(
      await faultsOf(machine, { VAULT_KEK_PRIMARY: '', VAULT_KEK_a: '', DATABASE_URL: await machine.serviceUrl() }),
    ).toEqual([expect.stringMatching(/^ {2}VAULT_KEK_PRIMARY: is missing; expected /)]);
  });

  it('a start in production is rejected with TRUSTED_PROXIES that trust every address', async () => {
    const machine = await Machine.set();
    const DATABASE_URL = await machine.serviceUrl();
    expect(await faultsOf(machine, { DATABASE_URL, TRUSTED_PROXIES: '0.0.0.0/0' })).toEqual([
      "  TRUSTED_PROXIES: contains '0.0.0.0/0', which trusts every address; expected a list of IP addresses or networks in CIDR form; for example TRUSTED_PROXIES=10.0.0.0/8,127.0.0.1",
    ]);
  });

  it('a start in production with strong secrets and a role that owns nothing is served', async () => {
    const machine = await Machine.set();
    const PORT = String(await freePort());
    const script = start(machine, {
      DATABASE_URL: await machine.serviceUrl(),
      PORT,
      BOOTSTRAP_ADMIN_EMAIL: 'maria@example.com',
      BOOTSTRAP_ADMIN_PASSWORD: 'the boat sails at seven',
      BOOTSTRAP_PLATFORM_KEY: newCredential('tpk').token,
      DRAIN_SECONDS: '0',
    });
    const live = () => fetch(`http://127.0.0.1:${PORT}/health/live`).catch(() => null);
    const answer = await eventually(live, script.output);
    script.child.kill('SIGTERM');
    expect([answer.status, await script.end()]).toEqual([200, 0]);
    expect(await machine.sql('select email from users')).toEqual([{ email: 'maria@example.com' }]);
  });
});
