import { describe, expect, it } from '@jest/globals';
import express from 'express';
import { randomBytes } from 'node:crypto';
import { settingsFaults } from '../../../test/setup/settings.js';
import { checkBackupEnv, readEnv } from './read-env.js';

const DATABASE_URL = 'postgres://travel:pass-of-the-role@127.0.0.1:5432/travel';

/** Settings with which production starts. */
const production = {
  NODE_ENV: 'production',
  DATABASE_URL,
  BASE_URL: 'https://office.acme.test',
  VAULT_KEK_a: randomBytes(32).toString('base64'),
  VAULT_KEK_PRIMARY: 'a',
};
const REMOTE = 'postgres://u:p@db.acme.test/travel';

const NO_ADDRESS = (entry: string) => `contains '${entry}', which is not an IP address or network`;
const NO_PREFIX = (entry: string, bits = 32) =>
  `contains '${entry}', whose prefix length is not a whole number from 1 to ${bits}`;
const EVERY_ADDRESS = (entry: string) => `contains '${entry}', which trusts every address`;

const UNUSABLE_PROXIES: [value: string, fault: string][] = [
  ['0.0.0.0/0', EVERY_ADDRESS('0.0.0.0/0')],
  ['10.0.0.0/0', EVERY_ADDRESS('10.0.0.0/0')],
  ['::/0', EVERY_ADDRESS('::/0')],
  ['127.0.0.1,fd00::/0', EVERY_ADDRESS('fd00::/0')],
  ['::ffff:0.0.0.0/96', EVERY_ADDRESS('::ffff:0.0.0.0/96')],
  ['0:0:0:0:0:ffff:0:0/96', EVERY_ADDRESS('0:0:0:0:0:ffff:0:0/96')],
  ['0.0.0.0/1,128.0.0.0/1', `contains '0.0.0.0/1', a network larger than /8`],
  ['10.0.0.0/7', `contains '10.0.0.0/7', a network larger than /8`],
  ['8000::/1', `contains '8000::/1', a network larger than /7`],
  ['0.0.0.0', `contains '0.0.0.0', which is not the address of a proxy`],
  ['::', `contains '::', which is not the address of a proxy`],
  ['10.0.0.0/33', NO_PREFIX('10.0.0.0/33')],
  ['fd00::/129', NO_PREFIX('fd00::/129', 128)],
  ['10.0.0.0/', NO_PREFIX('10.0.0.0/')],
  ['10.0.0.0/08', NO_PREFIX('10.0.0.0/08')],
  ['10.0.0.0/00', NO_PREFIX('10.0.0.0/00')],
  ['10.0.0.0/-1', NO_PREFIX('10.0.0.0/-1')],
  ['10.0.0.0/8.5', NO_PREFIX('10.0.0.0/8.5')],
  ['10.0.0.0/eight', NO_PREFIX('10.0.0.0/eight')],
  ['10.0.0.0/8/8', NO_PREFIX('10.0.0.0/8/8')],
  ['10.0.0.0/ 8', NO_PREFIX('10.0.0.0/ 8')],
  ['10.0.0.0/255.0.0.0', NO_PREFIX('10.0.0.0/255.0.0.0')],
  ['10.0.0.0 /8', NO_ADDRESS('10.0.0.0 /8')],
  ['/8', NO_ADDRESS('/8')],
  ['*', NO_ADDRESS('*')],
  ['true', NO_ADDRESS('true')],
  ['1', NO_ADDRESS('1')],
  ['loopback', NO_ADDRESS('loopback')],
  ['proxy.local', NO_ADDRESS('proxy.local')],
  ['proxy.local/8', NO_ADDRESS('proxy.local/8')],
  ['10.0.0', NO_ADDRESS('10.0.0')],
  ['010.0.0.1', NO_ADDRESS('010.0.0.1')],
  ['10.0.0.256', NO_ADDRESS('10.0.0.256')],
  ['10.0.0.1:80', NO_ADDRESS('10.0.0.1:80')],
  ['[::1]', NO_ADDRESS('[::1]')],
  ['fe80::1%eth0', NO_ADDRESS('fe80::1%eth0')],
  ['10.0.0.1 10.0.0.2', NO_ADDRESS('10.0.0.1 10.0.0.2')],
  ['10.0.0.1;10.0.0.2', NO_ADDRESS('10.0.0.1;10.0.0.2')],
  ['10.0.0.1,,10.0.0.2', 'has an empty member'],
  ['10.0.0.1, ', 'has an empty member'],
  [',', 'has an empty member'],
];

const faultsOf = (variables: Record<string, string>) => settingsFaults({ DATABASE_URL, ...variables });

describe('the environment', () => {
  it('the environment needs only a database, and has sensible defaults for the rest', () => {
    expect(readEnv({ DATABASE_URL })).toMatchObject({
      production: false,
      host: '127.0.0.1',
      port: 3000,
      baseUrl: 'http://127.0.0.1:3000',
      orgTimeZone: 'UTC',
      demoData: true,
      vaultUpsert: true,
      docs: true,
      metrics: true,
      drainSeconds: 0,
      rateLimitFactor: 1,
      bootstrapStaffToken: null,
    });
  });

  it('the environment in production has no demo data and creates no vaults on first use', () => {
    expect(readEnv(production)).toMatchObject({
      production: true,
      demoData: false,
      vaultUpsert: false,
      docs: false,
      metrics: false,
      drainSeconds: 2,
    });
  });

  it('the environment reports all faults at once, each with the expected value and an example', () => {
    expect(faultsOf({ DATABASE_URL: '', PORT: 'abc', LOG_LEVEL: 'loud' })).toEqual([
      expect.stringMatching(/^PORT: is not a whole number; expected .*; for example PORT=3000$/),
      expect.stringMatching(/^DATABASE_URL: is missing; expected postgres:\/\/.*; for example DATABASE_URL=postgres:/),
      expect.stringMatching(
        /^LOG_LEVEL: is not one of these values; expected one of trace, .*; for example LOG_LEVEL=debug$/,
      ),
    ]);
  });

  it.each([
    ['NODE_ENV', 'prod'],
    ['PORT', '65536'],
    ['PORT', '-1'],
    ['PORT', '1.5'],
    ['DATABASE_URL', 'mysql://x/y'],
    ['DATABASE_URL', 'nonsense'],
    ['DATABASE_URL', 'postgres://host'],
    ['DATABASE_POOL_SIZE', '3'],
    ['SURFACES', 'staff,billing'],
    ['ORG_TIME_ZONE', 'Europe/Atlantis'],
    ['RATE_LIMIT_FACTOR', '0'],
    ['RATE_LIMIT_FACTOR', '-1'],
    ...UNUSABLE_PROXIES.map(([value]) => ['TRUSTED_PROXIES', value] as const),
    ['SURFACES', 'staff,,vault'],
    ['CORS_ORIGINS', '*'],
    ['CORS_ORIGINS', 'https://office.example.com/path'],
    ['BASE_URL', 'office.example.com'],
    ['JOBS', 'yes'],
    ['VAULT_UPSERT', '1'],
    ['VAULT_KEK_a', 'c2hvcnQ='],
    ['VAULT_KEK_PRIMARY', 'missing'],
    ['BOOTSTRAP_STAFF_TOKEN', 'vsk_short'],
    ['BOOTSTRAP_STAFF_TOKEN', 'vsk_0123456789abcdef_' + 'a'.repeat(49)],
    ['BOOTSTRAP_PLATFORM_KEY', 'vsk_0123456789abcdef_' + 'a'.repeat(49)],
    ['BOOTSTRAP_ADMIN_EMAIL', 'nobody'],
    ['BOOTSTRAP_ADMIN_PASSWORD', 'short'],
  ])('the environment rejects %s=%s by name, with a remedy', (name, value) => {
    const faults = faultsOf({ [name]: value });
    expect(faults).not.toEqual([]);
    for (const fault of faults) expect(fault).toMatch(/^[A-Za-z_]+: .+; expected .+; for example .+/);
    expect(faults.some((fault) => fault.startsWith(`${name}: `))).toBe(true);
  });

  it.each(UNUSABLE_PROXIES)('the environment rejects TRUSTED_PROXIES=%s: %s', (value, fault) => {
    expect(faultsOf({ TRUSTED_PROXIES: value })).toEqual([
      `TRUSTED_PROXIES: ${fault}; expected a list of IP addresses or networks in CIDR form; for example TRUSTED_PROXIES=10.0.0.0/8,127.0.0.1`,
    ]);
  });

  it.each([
    ['', []],
    ['127.0.0.1', ['127.0.0.1']],
    [' 10.0.0.0/8 ,\t127.0.0.1', ['10.0.0.0/8', '127.0.0.1']],
    ['10.1.2.3/8', ['10.1.2.3/8']],
    ['10.0.0.0/8,::1,fc00::/7', ['10.0.0.0/8', '::1', 'fc00::/7']],
    ['::ffff:10.0.0.0/104,::ffff:127.0.0.1', ['::ffff:10.0.0.0/104', '::ffff:127.0.0.1']],
    ['10.0.0.1/32,2001:db8::1/128', ['10.0.0.1/32', '2001:db8::1/128']],
  ])('the environment accepts TRUSTED_PROXIES=%s as Express does', (value, proxies) => {
    const { trustedProxies } = readEnv({ DATABASE_URL, TRUSTED_PROXIES: value });
    expect(trustedProxies).toEqual(proxies);
    expect(() => express().set('trust proxy', [...trustedProxies])).not.toThrow();
  });

  it('the environment rejects all guessable secrets in production at once, and accepts them in development', () => {
    const guessable = {
      BOOTSTRAP_ADMIN_EMAIL: 'owner@example.com',
      BOOTSTRAP_ADMIN_PASSWORD: 'changeme changeme',
      VAULT_KEK_a: Buffer.alloc(32).toString('base64'),
      VAULT_KEK_PRIMARY: 'a',
    };
    const faults = faultsOf({ ...production, ...guessable });
    expect(faults.map((fault) => fault.split(':', 1)[0]).sort()).toEqual([
      'BOOTSTRAP_ADMIN_EMAIL',
      'BOOTSTRAP_ADMIN_PASSWORD',
      'VAULT_KEK_a',
    ]);
    for (const fault of faults) expect(fault).toMatch(/^[A-Za-z_]+: .+; expected .+; for example .+/);
    expect(faultsOf(guessable)).toEqual([]);
  });

  it.each([
    ['RATE_LIMIT_FACTOR', '100.5'],
    ['BASE_URL', ''],
    ['BASE_URL', 'http://office.acme.test'],
    ['BASE_URL', 'http://127.0.0.1:3000'],
    ['BASE_URL', 'https://office.example.com'],
    ['ACCOUNT_LINK_URL', 'http://office.acme.test/account'],
    ['ACCOUNT_LINK_URL', 'https://office.example.com/account'],
    ['CORS_ORIGINS', 'http://office.acme.test'],
    ['CORS_ORIGINS', 'https://office.acme.test,http://other.acme.test'],
    ['CORS_ORIGINS', 'https://office.example.com'],
    ['DATABASE_URL', 'postgres://travel:secret@127.0.0.1:5432/travel'],
    ['DATABASE_URL', REMOTE],
    ['DATABASE_URL', `${REMOTE}?sslmode=disable`],
    ['DATABASE_URL', `${REMOTE}?sslmode=prefer`],
    ['DATABASE_URL', `${REMOTE}?sslmode=no-verify`],
    ['DATABASE_URL', `${REMOTE}?sslmode=require`],
    ['DATABASE_URL', `${REMOTE}?sslmode=require&uselibpqcompat=true`],
    ['DATABASE_URL', `${REMOTE}?sslmode=verify-ca`],
    ['DATABASE_URL', `${REMOTE}?sslrootcert=package.json`],
    ['DATABASE_URL', 'postgres://u:p@127.0.0.1/travel?host=db.acme.test'],
    ['DATABASE_DIRECT_URL', REMOTE],
    ['DATABASE_URL', 'postgres://u:p@127.0.0.1.acme.test/travel'],
    ['SMTP_URL', 'smtp://u:p@mail.acme.test:587'],
    ['SMTP_URL', 'smtp://u:p@mail.acme.test:587?requireTLS=true&ignoreTLS=true'],
    ['SMTP_URL', 'smtps://u:p@mail.acme.test?tls.rejectUnauthorized=false'],
    ['SMTP_URL', 'smtps://user:secret@mail.example.com:465'],
    ['MAIL_FROM', 'Acme Tours <office@example.com>'],
    ['ORG_NAME', 'Acme Tours Ltd'],
    ['ORG_TAX_ID', 'GB123456789'],
    ['DEMO_DATA', 'true'],
  ])('the environment rejects %s=%s in production by name, with a remedy', (name, value) => {
    const faults = faultsOf({ ...production, [name]: value });
    expect(faults).toEqual([expect.stringMatching(new RegExp(`^${name}: .+; expected .+; for example .+`))]);
  });

  it.each([
    ['RATE_LIMIT_FACTOR', '100'],
    ['CORS_ORIGINS', 'https://office.acme.test'],
    ['DATABASE_URL', 'postgres://u:p@localhost/travel'],
    ['DATABASE_URL', 'postgres://u:p@[::1]:5432/travel'],
    ['DATABASE_URL', 'postgres:///travel?host=/var/run/postgresql'],
    ['DATABASE_URL', `${REMOTE}?sslmode=verify-full`],
    ['DATABASE_URL', `${REMOTE}?sslmode=verify-ca&sslrootcert=package.json`],
    ['DATABASE_URL', `${REMOTE}?sslmode=require&sslrootcert=package.json`],
    ['DATABASE_URL', `${REMOTE}?ssl=true`],
    ['SMTP_URL', 'smtp://127.0.0.1:2525'],
    ['SMTP_URL', 'smtps://u:p@mail.acme.test'],
    ['SMTP_URL', 'smtp://u:p@mail.acme.test:587?requireTLS=true'],
    ['DEMO_DATA', 'false'],
    ['HOST', '0.0.0.0'],
  ])('the environment accepts %s=%s in production', (name, value) => {
    expect(faultsOf({ ...production, [name]: value })).toEqual([]);
  });

  it.each([
    ['sslmode=prefer', "has the sslmode 'prefer', which is none of disable, require, verify-ca, verify-full"],
    ['sslmode=verify-ca', 'has the sslmode verify-ca without sslrootcert, the file of the authority'],
    ['sslmode=verify-full&sslcert=package.json', 'needs both sslcert and sslkey, or neither'],
    ['sslmode=verify-full&sslrootcert=/no/ca.pem', 'names sslrootcert=/no/ca.pem, a file that the service cannot read'],
  ])('the environment rejects a database URL with %s: %s', (parameters, fault) => {
    const names = ['DATABASE_DIRECT_URL', 'MIGRATION_DATABASE_URL', 'BACKUP_DATABASE_URL', 'DATABASE_REPLICA_URL'];
    for (const name of ['DATABASE_URL', ...names]) {
      expect(faultsOf({ [name]: `${REMOTE}?${parameters}` })).toEqual([
        expect.stringMatching(new RegExp(`^${name}: `)),
      ]);
      expect(faultsOf({ [name]: `${REMOTE}?${parameters}` })[0]).toContain(fault);
    }
  });

  it('the environment gives the sslmode of a database URL the meaning that PostgreSQL gives it', () => {
    const { databaseUrl } = readEnv({ DATABASE_URL: `${REMOTE}?sslmode=require&application_name=a` });
    expect(databaseUrl).toBe(`${REMOTE}?sslmode=require&application_name=a&uselibpqcompat=true`);
    expect(readEnv({ DATABASE_URL: REMOTE }).databaseUrl).toBe(REMOTE);
  });

  it('a backup needs only its own settings, and in production a database on another machine needs TLS', () => {
    const backup = { NODE_ENV: 'production', DATABASE_URL, BACKUP_DIR: '/backups', VAULT_KEK_PRIMARY: '-' };
    expect(() => checkBackupEnv({ ...backup, BACKUP_DATABASE_URL: `${REMOTE}?sslmode=verify-full` })).not.toThrow();
    expect(() => checkBackupEnv({ ...backup, BACKUP_DATABASE_URL: REMOTE })).toThrow(/BACKUP_DATABASE_URL: /);
    expect(() => checkBackupEnv({ ...backup, BACKUP_KEEP: '0' })).toThrow(/BACKUP_KEEP: /);
    const job = { NODE_ENV: 'production', BACKUP_DATABASE_URL: `${REMOTE}?sslmode=verify-full` };
    expect(() => checkBackupEnv(job)).not.toThrow();
    expect(() => checkBackupEnv({ NODE_ENV: 'production' })).toThrow(/DATABASE_URL: is missing/);
  });

  it('the environment accepts outside production what production rejects', () => {
    expect(
      faultsOf({
        BASE_URL: 'http://office.acme.test',
        CORS_ORIGINS: 'http://other.acme.test',
        DATABASE_URL: REMOTE,
        SMTP_URL: 'smtp://mail.acme.test',
        RATE_LIMIT_FACTOR: '1000000',
        DEMO_DATA: 'true',
      }),
    ).toEqual([]);
  });

  it.each(['0.0.0.0', '::', '192.168.1.5', 'office.acme.test', '127.0.0.1.acme.test'])(
    'the environment rejects HOST=%s outside production, unless ALLOW_REMOTE_DEVELOPMENT is true',
    (HOST) => {
      const fault =
        'HOST: makes a development service reachable from other machines; expected a loopback address, NODE_ENV=production, or ALLOW_REMOTE_DEVELOPMENT=true; for example HOST=127.0.0.1';
      expect(faultsOf({ HOST })).toEqual([fault]);
      expect(faultsOf({ HOST, NODE_ENV: 'test' })).toEqual([fault]);
      expect(faultsOf({ HOST, ALLOW_REMOTE_DEVELOPMENT: 'true' })).toEqual([]);
    },
  );

  it.each(['127.0.0.1', '127.0.0.2', '::1', 'localhost'])(
    'the environment accepts HOST=%s outside production',
    (HOST) => {
      expect(faultsOf({ HOST })).toEqual([]);
    },
  );

  it('the environment names misspelled settings beside its faults', () => {
    const faults = settingsFaults({ DATABSE_URL: DATABASE_URL, LOGLEVEL: 'info' });
    expect(faults).toEqual([
      expect.stringMatching(/^DATABASE_URL: is missing; /),
      'DATABSE_URL: is not a setting; expected DATABASE_URL',
      'LOGLEVEL: is not a setting; expected LOG_LEVEL',
    ]);
    expect(readEnv({ DATABASE_URL, LOGLEVEL: 'info' }).logLevel).toBe('info');
  });

  it('the environment rejects a data folder below /proc or /sys, where the creation of folders does not end', () => {
    for (const DATA_DIR of ['/proc/travel', '/sys/../proc/travel', '/sys']) {
      const fault =
        'DATA_DIR: is a folder that cannot be created; expected a folder outside /proc and /sys; for example DATA_DIR=.data';
      expect(settingsFaults({ DATABASE_URL, DATA_DIR })).toEqual([fault]);
    }
  });

  it('the environment requires a vault key in production', () => {
    const keyless = { ...production, VAULT_KEK_PRIMARY: '', VAULT_KEK_a: '' };
    expect(faultsOf(keyless)).toEqual([expect.stringMatching(/^VAULT_KEK_PRIMARY: is missing; /)]);
  });

  it('the environment never repeats a secret in a fault', () => {
    const faults = faultsOf({ BOOTSTRAP_ADMIN_PASSWORD: 'hunter2', VAULT_KEK_a: 'aHVudGVyMg==' });
    expect(faults.join('\n')).not.toMatch(/hunter2|aHVudGVyMg/);
  });
});
