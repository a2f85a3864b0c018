import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { freePort } from '../../scripts/ports.js';
import { newCredential } from '../../src/platform/ids/credentials.js';
import { Machine } from '../identity/machine.js';
import { PROJECT, runScript, type Script } from '../launcher/folders.js';
import { eventually } from '../launcher/wait.js';

const MAIN = join(PROJECT, 'dist/src/main.js');
const KEK = { VAULT_KEK_PRIMARY: 'a', VAULT_KEK_a: randomBytes(32).toString('base64') };

/** A start in production, on the database of the machine, as an operator would do it. */
function start(machine: Machine, variables: Record<string, string>): Script {
  const own = { NODE_ENV: 'production', DATABASE_URL: machine.databaseUrl, DATA_DIR: machine.folder };
  return runScript(machine.folder.replace(/\/data$/, ''), [MAIN], { ...own, ...variables });
}

async function refusal(machine: Machine, variables: Record<string, string>): Promise<string[]> {
  const script = start(machine, variables);
  expect([await script.end(), script.said()]).toEqual([78, script.said()]);
  const [title, ...faults] = script.said().trimEnd().split('\n');
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

  it('a start in production is rejected on a database that ever contained demo data, and changes nothing there', async () => {
    const machine = await Machine.bare();
    const demo = await machine.start();
    await demo.stop();
    await machine.sql('drop table review_source_names, review_sources cascade; delete from migrations');
    const before = await tables(machine);
    expect(await refusal(machine, KEK)).toEqual([
      '  DATABASE_URL: leads to a database with demo data, whose credentials are known; expected one of its own for production; for example a new one (createdb), or without NODE_ENV=production this one',
    ]);
    expect(await tables(machine)).toBe(before);
    expect(await machine.sql('select from migrations')).toEqual([]);
  });

  it('a start in production is rejected with guessable secrets, and names all of them with remedies', async () => {
    const machine = await Machine.bare();
    const faults = await refusal(machine, {
      VAULT_KEK_PRIMARY: 'a',
      VAULT_KEK_a: Buffer.alloc(32).toString('base64'),
      VAULT_KEK_b: Buffer.from('0123456789abcdef0123456789abcdef').toString('base64'),
      BOOTSTRAP_ADMIN_EMAIL: 'owner@example.com',
      BOOTSTRAP_ADMIN_PASSWORD: 'a sentence of your own',
    });
    expect(faults.sort()).toEqual([
      '  BOOTSTRAP_ADMIN_EMAIL: is the address that the documentation shows; expected the address of a real mailbox; for example the owner’s own',
      '  BOOTSTRAP_ADMIN_PASSWORD: is a published password; expected a random password that is not published; for example the output of: openssl rand -base64 18',
      '  VAULT_KEK_a: repeats itself and is not random; expected 32 random bytes in base64; for example the output of: openssl rand -base64 32',
      '  VAULT_KEK_b: is a text and not random; expected 32 random bytes in base64; for example the output of: openssl rand -base64 32',
    ]);
    expect(await tables(machine)).toBe(0);
  });

  it('a start in production is rejected with a RATE_LIMIT_FACTOR that disables the limits', async () => {
    const machine = await Machine.bare();
    expect(await refusal(machine, { ...KEK, RATE_LIMIT_FACTOR: '1000000' })).toEqual([
      '  RATE_LIMIT_FACTOR: is above 100, which turns the rate limits off; expected a number above 0, at most 100 in production; for example RATE_LIMIT_FACTOR=2',
    ]);
    expect(await tables(machine)).toBe(0);
  });

  it('a start in production is rejected without a vault key, because a generated one could be lost with its folder', async () => {
    const machine = await Machine.set();
    expect(await refusal(machine, {})).toEqual([
      expect.stringMatching(/^ {2}VAULT_KEK_PRIMARY: is missing; expected /),
    ]);
  });

  it('a start in production is rejected with TRUSTED_PROXIES that trust every address', async () => {
    const machine = await Machine.set();
    expect(await refusal(machine, { ...KEK, TRUSTED_PROXIES: '0.0.0.0/0' })).toEqual([
      "  TRUSTED_PROXIES: contains '0.0.0.0/0', which trusts every address; expected a list of IP addresses or networks in CIDR form; for example TRUSTED_PROXIES=10.0.0.0/8,127.0.0.1",
    ]);
  });

  it('a start in production with strong secrets is served', async () => {
    const machine = await Machine.set();
    const PORT = String(await freePort());
    const script = start(machine, {
      ...KEK,
      PORT,
      BOOTSTRAP_ADMIN_EMAIL: 'maria@example.com',
      BOOTSTRAP_ADMIN_PASSWORD: 'the boat sails at seven',
      BOOTSTRAP_PLATFORM_KEY: newCredential('tpk').token,
      DRAIN_SECONDS: '0',
    });
    const live = () => fetch(`http://127.0.0.1:${PORT}/health/live`).catch(() => null);
    const answer = await eventually(live, script.said);
    script.child.kill('SIGTERM');
    expect([answer.status, await script.end()]).toEqual([200, 0]);
    expect(await machine.sql('select email from users')).toEqual([{ email: 'maria@example.com' }]);
  });
});
