import { beforeAll, describe, expect, it } from '@jest/globals';
import { setTimeout } from 'node:timers/promises';
import pg from 'pg';
import { type AppliedSection, Provisioning } from '../../src/platform/provisioning/provisioning.js';
import { startApp, type TestApp } from '../setup/app.js';
import { decrypt, decrypted, encrypt, encrypted, setVersion, UNDECRYPTABLE, versionsOf } from './vaults.js';

const NOT_FOUND = { error: 'Not found' };
const ARCHIVED = { error: 'The vault is archived' };

let app: TestApp;

beforeAll(async () => {
  app = await startApp();
});

function provision(vaults: object[]): Promise<AppliedSection[]> {
  return app.nest.get(Provisioning).apply({ vaults });
}

describe('an unknown vault', () => {
  it('an unknown vault is created by the first encryption, with one key, even under the longest slug', async () => {
    const slug = 'v'.repeat(63);
    await encrypted(app.as('platform'), slug, 'x');

    expect(await versionsOf(app, slug)).toEqual([
      { version: 1, state: 'primary', kek_id: expect.stringMatching(/^local/), reserved: '65536' },
    ]);
  });

  it('an unknown vault is created once by concurrent first encryptions on two processes', async () => {
    const nodes = [app, await startApp()].map((node) => node.as('platform'));
    const ciphertexts = await Promise.all(
      Array.from({ length: 40 }, (_, i) => encrypted(nodes[i % 2] ?? app, 'crowded', `value ${i}`)),
    );
    const values = await Promise.all(
      ciphertexts.map((ciphertext, i) => decrypted(nodes[(i + 1) % 2] ?? app, 'crowded', ciphertext)),
    );

    expect(values).toEqual(ciphertexts.map((_, i) => `value ${i}`));
    expect(await app.sql(`select from vaults where slug = 'crowded'`)).toHaveLength(1);
    expect(await versionsOf(app, 'crowded')).toHaveLength(1);
  });

  it('an unknown vault answers 404 for decryption, which never creates a vault', async () => {
    const { status, body } = await decrypt(app.as('platform'), 'never-seen', 'x');

    expect([status, body]).toEqual([404, NOT_FOUND]);
    expect(await app.sql(`select from vaults where slug = 'never-seen'`)).toEqual([]);
  });

  it('an unknown vault answers 404 for encryption if VAULT_UPSERT is off', async () => {
    const strict = await startApp({ env: { VAULT_UPSERT: 'false' } });
    const { status, body } = await encrypt(strict.as('platform'), 'never-seen', 'x');

    expect([status, body]).toEqual([404, NOT_FOUND]);
    expect((await encrypt(strict.as('platform'), 'primary', 'x')).status).toBe(200);
    expect(await app.sql(`select from vaults where slug = 'never-seen'`)).toEqual([]);
  });
});

describe('the vaults section of the provisioning file', () => {
  it('the vaults section of the provisioning file creates a vault and is safe to repeat', async () => {
    const rows = [{ slug: 'passports', name: 'Passport numbers' }];
    expect(await provision(rows)).toEqual([{ name: 'vaults', rows: 1 }]);
    const ciphertext = await encrypted(app.as('platform'), 'passports', 'x');
    await provision(rows);

    expect(await decrypted(app.as('platform'), 'passports', ciphertext)).toBe('x');
    expect(await app.sql(`select name, archived_at from vaults where slug = 'passports'`)).toEqual([
      { name: 'Passport numbers', archived_at: null },
    ]);
  });

  it('the vaults section of the provisioning file keeps the values of members that a row omits', async () => {
    await provision([{ slug: 'kept', name: 'Kept', archived: true }]);
    await provision([{ slug: 'kept' }]);
    const [first] = await app.sql<{ archived_at: Date }>(`select archived_at from vaults where slug = 'kept'`);
    await provision([{ slug: 'kept', name: 'Renamed', archived: true }]);

    expect(await app.sql(`select name, archived_at from vaults where slug = 'kept'`)).toEqual([
      { name: 'Renamed', archived_at: first?.archived_at },
    ]);
    expect(first?.archived_at).toBeInstanceOf(Date);
  });

  it('the vaults section of the provisioning file rejects an invalid slug and writes nothing', async () => {
    await expect(provision([{ slug: 'fine-slug' }, { slug: 'Not Fine' }])).rejects.toThrow(/vaults\.1\.slug/);
    expect(await app.sql(`select from vaults where slug = 'fine-slug'`)).toEqual([]);
  });

  it('the vaults section of the provisioning file archives a vault: both operations answer 409 until it is restored, on another process within a second', async () => {
    const other = await startApp();
    const ciphertext = await encrypted(app.as('platform'), 'closed', 'x');
    expect(await decrypted(other.as('platform'), 'closed', ciphertext)).toBe('x');
    await provision([{ slug: 'closed', archived: true }]);
    other.travel({ ms: 1_000 });

    for (const client of [app.as('platform'), other.as('platform')]) {
      const answers = [await encrypt(client, 'closed', 'x'), await decrypt(client, 'closed', ciphertext)];
      expect(answers.map(({ status, body }) => [status, body])).toEqual([
        [409, ARCHIVED],
        [409, ARCHIVED],
      ]);
    }
    await provision([{ slug: 'closed', archived: false }]);
    expect(await decrypted(app.as('platform'), 'closed', ciphertext)).toBe('x');
  });
});

describe('a vault without a usable key version', () => {
  it.each(['disabled', 'decrypt_only'])('a vault whose key is %s answers 409 for encrypt', async (state) => {
    const slug = `key-${state.replace('_', '-')}`;
    await encrypted(app.as('platform'), slug, 'x');
    await setVersion(app, slug, `state = '${state}'`);
    app.travel({ ms: 1_000 });
    const { status, body } = await encrypt(app.as('platform'), slug, 'x');

    expect([status, body]).toEqual([409, { error: 'The vault has no primary key version' }]);
  });

  it.each([
    ['pending', true, `state = 'pending', created_at = now() + interval '1 day'`],
    ['decrypt_only', true, `state = 'decrypt_only'`],
    ['disabled', false, `state = 'disabled'`],
    ['destroyed', false, `state = 'destroyed', kek_id = null, wrapped_key = null`],
  ])('a vault decrypts with a %s key: %s', async (state, opens, change) => {
    const slug = `old-${state.replace('_', '-')}`;
    const ciphertext = await encrypted(app.as('platform'), slug, 'x');
    await setVersion(app, slug, change);
    app.travel({ ms: 1_000 });
    const { status, body } = await decrypt(app.as('platform'), slug, ciphertext);

    expect([status, body]).toEqual(opens ? [200, { data: { plaintext: 'x' } }] : [400, UNDECRYPTABLE]);
  });

  it('a vault does not decrypt with versions below its minimum version', async () => {
    const ciphertext = await encrypted(app.as('platform'), 'raised', 'x');
    await app.sql(`update vaults set latest_version = 2, min_version = 2 where slug = 'raised'`);
    app.travel({ ms: 1_000 });
    const { status, body } = await decrypt(app.as('platform'), 'raised', ciphertext);

    expect([status, body]).toEqual([400, UNDECRYPTABLE]);
  });
});

// The last test: after it this database has no room for another vault.
describe('the limit of 100 vaults', () => {
  it('the limit of 100 vaults lets one of two concurrent first encryptions create its vault; the other answers 409', async () => {
    const other = await startApp();
    await app.sql(`
      insert into vaults (id, slug, name, created_at)
      select 'vault_' || n, 'filler-' || n, 'filler', now()
      from generate_series(1, 99 - (select count(*)::int from vaults)) as n`);
    const answers = await Promise.all([
      encrypt(app.as('platform'), 'last-one', 'x'),
      encrypt(other.as('platform'), 'one-too-many', 'x'),
    ]);

    const rejected = answers.filter(({ status }) => status !== 200);
    expect(rejected.map(({ status, body }) => [status, body])).toEqual([
      [409, { error: 'There are 100 vaults, which is the maximum' }],
    ]);
    expect(await app.sql('select count(*)::int as count from vaults')).toEqual([{ count: 100 }]);
    expect((await encrypt(app.as('platform'), 'primary', 'x')).status).toBe(200);
  });

  it('the limit of 100 vaults answers 409 to each of many first encryptions without occupying connections', async () => {
    await app.sql(`delete from vaults where slug in ('filler-1', 'filler-2')`);
    const small = await startApp({ env: { DATABASE_POOL_SIZE: '4', JOBS: 'false' } });
    const client = new pg.Client({ connectionString: process.env['MIGRATION_DATABASE_URL'] });
    await client.connect();
    await client.query('select pg_advisory_lock(7120700)');
    const many = Array.from({ length: 30 }, (_, n) => encrypt(small.as('platform'), `many-${n}`, 'x'));
    // Longer than a request waits for a connection, and shorter than for a lock.
    await setTimeout(1_300);
    await client.end();
    const statuses = (await Promise.all(many)).map(({ status }) => status).sort();
    expect(statuses).toEqual([200, 200, ...Array<number>(28).fill(409)]);
    expect(await app.sql('select count(*)::int as count from vaults')).toEqual([{ count: 100 }]);
  });
});
