import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, statSync, unlinkSync } from 'node:fs';
import { createServer } from 'node:net';
import { newCredential } from '../../src/platform/ids/credentials.js';
import { Machine, PRODUCTION } from './machine.js';

const ALL_SCOPES = [
  'connect:*',
  'vault:write',
  'vault:read',
  'vault:keys',
  'realtime:subscribe',
  'realtime:publish',
  'data:geo:read',
  'data:hotels:read',
];

/** The output of the starts in a test. */
let output: string[];
const printed = () => output.join('');

beforeEach(() => {
  output = [];
  jest.spyOn(process.stdout, 'write').mockImplementation((text) => output.push(String(text)) > 0);
});
afterEach(() => {
  jest.restoreAllMocks();
});

describe('a first start', () => {
  it('a first start writes credentials.json readable only by its owner, and a second start changes only the address', async () => {
    const machine = await Machine.bare();
    await machine.start({ PORT: '3000' });
    const credentials = machine.credentials();
    expect(credentials).toEqual({
      baseUrl: 'http://127.0.0.1:3000',
      staff: {
        email: 'owner@example.com',
        password: expect.stringMatching(/^[0-9A-Za-z]{20}$/),
        token: expect.stringMatching(/^vsk_[0-9A-Za-z]{16}_[0-9A-Za-z]{49}$/),
      },
      platformKey: expect.stringMatching(/^tpk_/),
      limitedPlatformKey: expect.stringMatching(/^tpk_/),
      operatorId: 'op_demo',
      providerKey: 'demo-activities',
      vaultSlug: 'primary',
      demo: {
        contractId: expect.stringMatching(/^ctr_[0-9a-hjkmnp-tv-z]{26}$/),
        channelId: 'chan_01k0dem000e000000000000002',
      },
    });
    expect(statSync(machine.credentialsFile).mode & 0o777).toBe(0o600);
    const keys = `select scopes from api_tokens where kind = 'platform' order by cardinality(scopes)`;
    expect(await machine.sql(keys)).toEqual([{ scopes: ['data:geo:read'] }, { scopes: ALL_SCOPES }]);

    await machine.start({ PORT: '3001' });
    expect(machine.credentials()).toEqual({ ...credentials, baseUrl: 'http://127.0.0.1:3001' });
    expect(statSync(machine.credentialsFile).mode & 0o777).toBe(0o600);
  });

  it('a first start records every resource that it creates, as the system', async () => {
    const machine = await Machine.set();
    await machine.start({ DEMO_DATA: 'false' });
    const entries = await machine.sql('select action, actor_type from action_ledger_entries order by action');
    const made = [
      ...['finance.invoice_number_series', 'finance.invoice_number_series', 'identity.api_token'],
      ...['identity.platform_key', 'identity.platform_key', 'identity.user', 'organization.profile'],
    ];
    expect(entries).toEqual(made.map((kind) => ({ action: `${kind}.create`, actor_type: 'system' })));
  });

  it('a first start uses the preset values', async () => {
    const machine = await Machine.set();
    const preset = {
      BOOTSTRAP_ADMIN_EMAIL: 'boss@example.com',
      BOOTSTRAP_ADMIN_PASSWORD: 'a sentence of their own',
      BOOTSTRAP_STAFF_TOKEN: newCredential('vsk').token,
      BOOTSTRAP_PLATFORM_KEY: newCredential('tpk').token,
    };
    await machine.start({ DEMO_DATA: 'false', ...preset });
    const { staff, platformKey } = machine.credentials();
    expect(staff).toEqual({
      email: preset.BOOTSTRAP_ADMIN_EMAIL,
      password: preset.BOOTSTRAP_ADMIN_PASSWORD,
      token: preset.BOOTSTRAP_STAFF_TOKEN,
    });
    expect(platformKey).toBe(preset.BOOTSTRAP_PLATFORM_KEY);
  });

  it('a first start by three concurrent processes creates one owner and one set of demo data', async () => {
    const machine = await Machine.set();
    const first = await machine.start({ DEMO_DATA: 'false' });
    await first.stop();
    await machine.sql(
      'delete from security_events; delete from api_tokens; delete from users; delete from installation_steps',
    );
    await Promise.all([1, 2, 3].map(() => machine.start()));
    expect(await machine.sql(`select email from users where 'owner' = any (roles)`)).toHaveLength(1);
    expect(await machine.sql(`select name from channels where system_key = 'direct'`)).toHaveLength(1);
  });

  it('a first start that fails half-way stores nothing, and the next one succeeds', async () => {
    const machine = await Machine.set();
    const broken = await machine.start({ DEMO_DATA: 'false' });
    await broken.stop();
    // The channel of the demo data is rejected, after the demo staff was created.
    await machine.sql(`insert into channels (id, name, kind, status, created_at, updated_at)
      values ('chan_x', 'Wanderlust Marketplace', 'ota', 'active', now(), now())`);
    await expect(machine.start()).rejects.toThrow('channels_live_name');
    expect(await machine.sql('select email from users')).toHaveLength(1);
    await machine.sql(`delete from channels`);
    await machine.start();
    expect((await machine.sql('select email from users')).length).toBeGreaterThan(1);
  });

  it('a first start prints all URLs, and three curl commands that work as printed, twice', async () => {
    const machine = await Machine.set();
    const PORT = String(await freePort());
    await machine.start({ PORT }, { listening: true });
    const { staff, platformKey } = machine.credentials();
    const base = `http://127.0.0.1:${PORT}`;
    const parts = [base, `${base}/docs`, `${base}/openapi.json`, staff.email, staff.password, staff.token];
    for (const part of [...parts, platformKey, machine.folder, 'Ctrl-C', 'npm run reset']) {
      expect(printed()).toContain(part);
    }
    const lines = printed()
      .split('\n')
      .filter((line) => line.startsWith('  curl '));
    expect(lines).toHaveLength(3);
    for (const line of [...lines, ...lines]) {
      expect([line, await statusOf(line)]).toEqual([line, expect.stringMatching(/^20[01]$/)]);
    }
  });

  it('a start on an existing database reports a missing credentials.json with a remedy', async () => {
    const machine = await Machine.set();
    await machine.start({ DEMO_DATA: 'false' });
    unlinkSync(machine.credentialsFile);
    output = [];
    await machine.start({ DEMO_DATA: 'false' });
    expect(printed()).toContain(
      `from an earlier start, but ${machine.credentialsFile} is missing or belongs to another database`,
    );
    expect(printed()).toContain('platform provision <file>');
    expect(printed()).not.toMatch(/vsk_|tpk_/);
    expect(existsSync(machine.credentialsFile)).toBe(false);
  });

  it('a first start on another database in the same folder keeps the first file under another name, and reports it later', async () => {
    const one = await Machine.set();
    await one.start({ DEMO_DATA: 'false' });
    const credentials = readFileSync(one.credentialsFile, 'utf8');
    const two = await Machine.set(one.folder);
    await two.start({ DEMO_DATA: 'false' });
    expect(readFileSync(`${one.credentialsFile}.earlier`, 'utf8')).toBe(credentials);
    expect(readFileSync(one.credentialsFile, 'utf8')).not.toBe(credentials);

    output = [];
    await one.start({ DEMO_DATA: 'false' });
    expect(printed()).toContain(`${one.credentialsFile} is missing or belongs to another database`);
    expect(printed()).toContain(`${one.credentialsFile}.earlier`);
    expect(printed()).not.toMatch(/vsk_|tpk_/);
  });

  it('a first start whose owner is an existing user is rejected with a remedy', async () => {
    const machine = await Machine.set();
    const first = await machine.start({ DEMO_DATA: 'false' });
    await first.stop();
    await machine.sql(`delete from installation_steps where step = 'first-owner'`);
    await expect(machine.start({ DEMO_DATA: 'false' })).rejects.toThrow(
      'BOOTSTRAP_ADMIN_EMAIL: owner@example.com is a user already; choose another address',
    );
  });
});

describe('a first start in production', () => {
  const owner = { BOOTSTRAP_ADMIN_EMAIL: 'boss@example.com', BOOTSTRAP_ADMIN_PASSWORD: 'the boat sails at seven' };

  it('a first start in production generates nothing, prints no secret and writes no file', async () => {
    const machine = await Machine.set();
    await machine.start({ ...PRODUCTION, ...owner });
    expect(printed()).toContain('Ready');
    expect(printed()).not.toMatch(/vsk_|tpk_|Staff|reset/);
    expect(existsSync(machine.credentialsFile)).toBe(false);
    expect(await machine.sql('select id from api_tokens')).toEqual([]);
  });

  it('a first start in production creates only preset credentials', async () => {
    const machine = await Machine.set();
    const key = { ...PRODUCTION, BOOTSTRAP_PLATFORM_KEY: newCredential('tpk').token };
    await machine.start({ ...key, ...owner });
    const users = await machine.sql<{ id: string }>('select id, email, roles from users');
    expect(users).toEqual([{ id: expect.stringMatching(/^user_/), email: 'boss@example.com', roles: ['owner'] }]);
    expect(users[0]?.id).not.toMatch(/^user_01k0dem000e/);
    expect(await machine.sql('select name from api_tokens')).toEqual([{ name: 'platform' }]);
    expect(existsSync(machine.credentialsFile)).toBe(false);
  });

  const email = { BOOTSTRAP_ADMIN_EMAIL: 'boss@example.com' };
  const password = { BOOTSTRAP_ADMIN_PASSWORD: 'the boat sails at seven' };
  const token = { BOOTSTRAP_STAFF_TOKEN: newCredential('vsk').token };
  const lacks = (name: string) => `${name}: missing; set all presets of the owner or none`;
  it.each([
    ['an address', email, [lacks('BOOTSTRAP_ADMIN_PASSWORD')]],
    ['a password', password, [lacks('BOOTSTRAP_ADMIN_EMAIL')]],
    ['a token', token, [lacks('BOOTSTRAP_ADMIN_EMAIL'), lacks('BOOTSTRAP_ADMIN_PASSWORD')]],
  ])(
    'a first start in production with an incomplete owner (%s) is rejected, and creates nothing',
    async (_, half, faults) => {
      const machine = await Machine.set();
      const preset = { ...PRODUCTION, ...half, BOOTSTRAP_PLATFORM_KEY: newCredential('tpk').token };
      await expect(machine.start(preset)).rejects.toMatchObject({ faults });
      expect(await machine.sql('select id from users union all select id from api_tokens')).toEqual([]);
    },
  );

  it('a first start in production that has created an owner accepts an incomplete preset later', async () => {
    const machine = await Machine.set();
    const first = await machine.start({ ...PRODUCTION, ...email, ...password });
    await first.stop();
    await machine.start({ ...PRODUCTION, ...email });
    expect(await machine.sql('select email from users')).toEqual([{ email: 'boss@example.com' }]);
  });
});

/** The status of a printed curl command: the shell splits it, and fetch sends it. */
async function statusOf(line: string): Promise<string> {
  const { stdout } = spawnSync('sh', ['-c', `curl() { for word in "$@"; do printf '%s\\0' "$word"; done; }; ${line}`]);
  const [url = '', ...words] = stdout.toString().split('\0');
  const values = (flag: string) => words.filter((_, index) => words[index - 1] === flag);
  const headers = Object.fromEntries(values('-H').map((header) => header.split(': ', 2) as [string, string]));
  const [body] = values('-d');
  const { status } = await fetch(url, body === undefined ? { headers } : { headers, body, method: 'POST' });
  return String(status);
}

async function freePort(): Promise<number> {
  const probe = createServer();
  await new Promise<void>((resolve) => probe.listen(0, '127.0.0.1', resolve));
  const address = probe.address();
  await new Promise((resolve) => probe.close(resolve));
  return typeof address === 'object' && address ? address.port : 0;
}
