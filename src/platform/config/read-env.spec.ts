import { describe, expect, it } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import { ConfigurationError } from './configuration-error.js';
import { readEnv } from './read-env.js';

const DATABASE_URL = 'postgres://travel:secret@127.0.0.1:5432/travel';

function faultsOf(variables: Record<string, string>): readonly string[] {
  try {
    readEnv({ DATABASE_URL, ...variables });
    return [];
  } catch (error) {
    if (error instanceof ConfigurationError) return error.faults;
    throw error;
  }
}

describe('the environment', () => {
  it('needs nothing but a database, and has sensible values for the rest', () => {
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

  it('has no demo data and makes no vaults by use in production', () => {
    const kek = { VAULT_KEK_a: randomBytes(32).toString('base64'), VAULT_KEK_PRIMARY: 'a' };
    expect(readEnv({ DATABASE_URL, NODE_ENV: 'production', DEMO_DATA: 'true', ...kek })).toMatchObject({
      production: true,
      demoData: false,
      vaultUpsert: false,
      docs: false,
      metrics: false,
      drainSeconds: 2,
    });
  });

  it('reports all faults at once, each with what is expected and an example', () => {
    expect(faultsOf({ DATABASE_URL: '', PORT: 'abc', LOG_LEVEL: 'loud' })).toEqual([
      expect.stringMatching(/^PORT: is not a whole number; expected .*; for example PORT=3000$/),
      expect.stringMatching(/^DATABASE_URL: is missing; expected postgres:\/\/.*; for example DATABASE_URL=postgres:/),
      expect.stringMatching(/^LOG_LEVEL: is none of them; expected one of trace, .*; for example LOG_LEVEL=debug$/),
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
    ['TRUSTED_PROXIES', '10.0.0.0/33'],
    ['TRUSTED_PROXIES', 'proxy.local'],
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
  ])('refuses %s=%s by name, with a remedy', (name, value) => {
    const faults = faultsOf({ [name]: value });
    expect(faults).not.toEqual([]);
    for (const fault of faults) expect(fault).toMatch(/^[A-Za-z_]+: .+; expected .+; for example .+/);
    expect(faults.some((fault) => fault.startsWith(`${name}: `))).toBe(true);
  });

  it('refuses in production, all at once, what anybody could guess, and takes it elsewhere', () => {
    const guessable = {
      BOOTSTRAP_ADMIN_EMAIL: 'owner@example.com',
      BOOTSTRAP_ADMIN_PASSWORD: 'changeme changeme',
      VAULT_KEK_a: Buffer.alloc(32).toString('base64'),
      VAULT_KEK_PRIMARY: 'a',
    };
    const faults = faultsOf({ NODE_ENV: 'production', ...guessable });
    expect(faults.map((fault) => fault.split(':', 1)[0])).toEqual([
      'BOOTSTRAP_ADMIN_EMAIL',
      'BOOTSTRAP_ADMIN_PASSWORD',
      'VAULT_KEK_a',
    ]);
    for (const fault of faults) expect(fault).toMatch(/^[A-Za-z_]+: .+; expected .+; for example .+/);
    expect(faultsOf(guessable)).toEqual([]);
  });

  it('refuses in production to be without a key of the vault', () => {
    expect(faultsOf({ NODE_ENV: 'production' })).toEqual([expect.stringMatching(/^VAULT_KEK_PRIMARY: is missing; /)]);
  });

  it('never repeats a secret in a fault', () => {
    const faults = faultsOf({ BOOTSTRAP_ADMIN_PASSWORD: 'hunter2', VAULT_KEK_a: 'aHVudGVyMg==' });
    expect(faults.join('\n')).not.toMatch(/hunter2|aHVudGVyMg/);
  });
});
