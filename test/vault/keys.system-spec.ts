import { beforeAll, describe, expect, it } from '@jest/globals';
import { setImmediate } from 'node:timers/promises';
import { EncryptionBudget } from '../../src/modules/vault/keys/encryption-budget.js';
import { startApp, type TestApp } from '../setup/app.js';
import { decrypt, decrypted, encrypt, encrypted, setVersion, versionsOf } from './vaults.js';

const BLOCK = 65_536;
const ROTATE_AT = 2 ** 31;
const MOST = 2 ** 32 - 2 ** 20;
const KEY_LIFETIME_MS = 5 * 60_000;

/** A node that the tests leave at the current time, and two whose clocks move together unless a test changes one. */
let app: TestApp;
let one: TestApp;
let two: TestApp;

beforeAll(async () => {
  const env = { DATABASE_POOL_SIZE: '4' };
  [app, one, two] = [await startApp({ env }), await startApp({ env }), await startApp({ env })];
});

function travel(ms: number): void {
  for (const node of [one, two]) node.travel({ ms });
}

async function idOf(slug: string): Promise<string> {
  const [vault] = await app.sql<{ id: string }>('select id from vaults where slug = $1', [slug]);
  return vault?.id ?? '';
}

async function statesOf(slug: string): Promise<string[]> {
  return (await versionsOf(app, slug)).map(({ state }) => state);
}

/** The number of these actions on the vault, according to its audit. */
async function times(operation: string, slug: string): Promise<number> {
  const rows = await app.sql('select from vault_audit where operation = $1 and vault_id = $2', [
    operation,
    await idOf(slug),
  ]);
  return rows.length;
}

/**
 * Sets the counter of the vault's key to this number. Neither `one` nor `two` has a lease of it; returns a ciphertext.
 */
async function vaultCountedTo(reserved: number, slug: string): Promise<string> {
  const first = await encrypted(app.as('platform'), slug, 'first');
  await setVersion(app, slug, `reserved = ${reserved}`);
  return first;
}

describe('counting encryptions', () => {
  it('counting encryptions reserves blocks of 65,536, one for each process', async () => {
    for (const node of [app, one, two]) {
      for (let i = 0; i < 3; i += 1) await encrypted(node.as('platform'), 'counted', 'x');
    }

    expect((await versionsOf(app, 'counted')).map(({ reserved }) => reserved)).toEqual([String(3 * BLOCK)]);
  });

  it('counting encryptions never reserves the same block for two processes under concurrent load', async () => {
    await vaultCountedTo(0, 'contended');
    const slot = { vaultId: await idOf('contended'), version: 1 };
    await app.sql('create table leased (vault_id text, since bigint, until bigint); grant all on leased to public');
    await app.sql(`
      create function note_lease() returns trigger language plpgsql as $$
      begin insert into leased values (new.vault_id, old.reserved, new.reserved); return null; end $$`);
    await app.sql(`
      create trigger note_lease after update of reserved on vault_key_versions
      for each row execute function note_lease()`);

    const taken = await Promise.all(
      [one, two].map(async (node) => {
        const budget = node.nest.get(EncryptionBudget);
        const takes: boolean[] = [];
        for (let i = 0; i < 150; i += 1) {
          takes.push(...(await Promise.all(Array.from({ length: 1_000 }, () => budget.take(slot)))));
          // A reserved block is used without waiting; only the answers of the database need time.
          await setImmediate();
        }
        return takes.filter(Boolean).length;
      }),
    );

    // Each node needs three blocks for 150,000; the six blocks have no gap and no overlap.
    const blocks = await app.sql('select since::int, until::int from leased where vault_id = $1 order by since', [
      slot.vaultId,
    ]);
    expect(taken).toEqual([150_000, 150_000]);
    expect(blocks).toEqual(Array.from({ length: 6 }, (_, i) => ({ since: i * BLOCK, until: (i + 1) * BLOCK })));
    await app.sql('drop trigger note_lease on vault_key_versions');
  });

  it('counting encryptions reserves one block for many waiting requests', async () => {
    await encrypted(app.as('platform'), 'thirsty', 'x');
    await Promise.all(Array.from({ length: 100 }, () => encrypted(two.as('platform'), 'thirsty', 'x')));

    expect((await versionsOf(app, 'thirsty')).map(({ reserved }) => reserved)).toEqual([String(2 * BLOCK)]);
  });
});

describe('rotation at 2^31 encryptions', () => {
  it('the rotation at 2^31 encryptions creates one pending version on two processes at once and continues with the old version', async () => {
    await vaultCountedTo(ROTATE_AT - BLOCK, 'rotating');
    await Promise.all([one, two].map((node) => encrypted(node.as('platform'), 'rotating', 'x')));

    expect(await statesOf('rotating')).toEqual(['primary', 'pending']);
    expect(await times('rotation_begin', 'rotating')).toBe(1);
    expect(await app.sql(`select latest_version from vaults where slug = 'rotating'`)).toEqual([{ latest_version: 2 }]);
  });

  it('the rotation at 2^31 encryptions does not begin one encryption earlier', async () => {
    await vaultCountedTo(ROTATE_AT - 2 * BLOCK, 'not-yet');
    await encrypted(one.as('platform'), 'not-yet', 'x');

    expect(await statesOf('not-yet')).toEqual(['primary']);
  });

  it('the rotation at 2^31 encryptions is completed once, one cache lifetime later, and all processes decrypt both versions', async () => {
    const first = await vaultCountedTo(ROTATE_AT, 'rotated-once');
    const before = await encrypted(one.as('platform'), 'rotated-once', 'before');
    travel(KEY_LIFETIME_MS - 30_000);
    const early = await encrypted(two.as('platform'), 'rotated-once', 'early');
    expect(await statesOf('rotated-once')).toEqual(['primary', 'pending']);

    travel(30_000);
    const [after = '', also = ''] = await Promise.all(
      [one, two].map((node) => encrypted(node.as('platform'), 'rotated-once', 'after')),
    );

    expect(await statesOf('rotated-once')).toEqual(['decrypt_only', 'primary']);
    expect(await times('rotation_complete', 'rotated-once')).toBe(1);
    expect((await versionsOf(app, 'rotated-once'))[1]?.reserved).toBe(String(2 * BLOCK));
    // `app` read the vault before there was a second version; it reads it again a second later.
    app.travel({ ms: 1_000 });
    for (const client of [app.as('platform'), two.as('platform')]) {
      const values = await Promise.all(
        [first, before, early, after, also].map((ciphertext) => decrypted(client, 'rotated-once', ciphertext)),
      );
      expect(values).toEqual(['first', 'before', 'early', 'after', 'after']);
    }
  });

  it('the rotation at 2^31 encryptions reaches a process whose cache still has the old version as primary', async () => {
    const first = await vaultCountedTo(ROTATE_AT, 'surprised');
    await encrypted(one.as('platform'), 'surprised', 'x');
    one.travel({ ms: KEY_LIFETIME_MS });
    expect(await decrypted(two.as('platform'), 'surprised', first)).toBe('first');
    await encrypted(one.as('platform'), 'surprised', 'x');

    // It has no lease of the old version and gets none.
    const ciphertext = await encrypted(two.as('platform'), 'surprised', 'late');
    two.travel({ ms: KEY_LIFETIME_MS });

    const [, second] = await versionsOf(app, 'surprised');
    expect(second?.reserved).toBe(String(2 * BLOCK));
    expect(await decrypted(one.as('platform'), 'surprised', ciphertext)).toBe('late');
  });
});

describe('a key with 2^32 - 2^20 encryptions', () => {
  it('a key with 2^32 - 2^20 encryptions rejects the call after its last block with 429, and accepts one after exactly retryAfterMs', async () => {
    await vaultCountedTo(MOST - BLOCK, 'exhausted');
    await encrypted(one.as('platform'), 'exhausted', 'x');
    const { status, body, headers } = await two
      .as('platform')
      .post<{ retryAfterMs: number }>('/vault/v1/exhausted/encrypt', { plaintext: 'x' });
    const { retryAfterMs } = body;

    expect(status).toBe(429);
    expect(body).toEqual({
      error: 'The key has reached its encryption limit; a new key is being prepared',
      retryAfterMs: expect.any(Number),
    });
    expect(retryAfterMs).toBeGreaterThan(KEY_LIFETIME_MS - 60_000);
    expect(retryAfterMs).toBeLessThanOrEqual(KEY_LIFETIME_MS * 1.1);
    expect(headers['retry-after']).toBe(String(Math.ceil(retryAfterMs / 1000)));
    expect((await versionsOf(app, 'exhausted'))[0]?.reserved).toBe(String(MOST));

    travel(retryAfterMs);
    expect((await encrypt(two.as('platform'), 'exhausted', 'x')).status).toBe(200);
    expect(await statesOf('exhausted')).toEqual(['decrypt_only', 'primary']);
  });

  it('a key with 2^32 - 2^20 encryptions starts a rotation that was missed, and still decrypts', async () => {
    const first = await vaultCountedTo(MOST, 'stuck');

    expect((await encrypt(one.as('platform'), 'stuck', 'x')).status).toBe(429);
    expect(await statesOf('stuck')).toEqual(['primary', 'pending']);
    expect((await decrypt(one.as('platform'), 'stuck', first)).body).toEqual({ data: { plaintext: 'first' } });
  });

  it('a key with 2^32 - 2^20 encryptions waits for an administrator if the vault has 16 active versions', async () => {
    await vaultCountedTo(MOST, 'full');
    await app.sql(
      `insert into vault_key_versions (vault_id, version, state, kek_id, wrapped_key, created_at)
       select vault_id, n, 'decrypt_only', kek_id, wrapped_key, created_at
       from vault_key_versions, generate_series(2, 16) as n where vault_id = $1`,
      [await idOf('full')],
    );
    await app.sql(`update vaults set latest_version = 16 where slug = 'full'`);
    const { status, body } = await encrypt(one.as('platform'), 'full', 'x');

    expect([status, body]).toEqual([
      429,
      { error: 'The key has reached its encryption limit; a new key is being prepared', retryAfterMs: 3_600_000 },
    ]);
    expect(await statesOf('full')).toHaveLength(16);
  });

  it('a key with 2^32 - 2^20 encryptions cannot be counted further: the database rejects it', async () => {
    await encrypted(app.as('platform'), 'bounded', 'x');

    await expect(setVersion(app, 'bounded', 'reserved = 4294967297')).rejects.toThrow(/reserved_check/);
  });
});

describe('the versions of a vault', () => {
  it('the versions of a vault are at most one primary and one pending: the database rejects a second one', async () => {
    await encrypted(app.as('platform'), 'single', 'x');
    const vaultId = await idOf('single');
    const add = (version: number, state: string) =>
      app.sql(
        `insert into vault_key_versions (vault_id, version, state, kek_id, wrapped_key, created_at)
         values ($1, $2, $3, 'k', '\\x00', now())`,
        [vaultId, version, state],
      );
    await add(2, 'pending');

    await expect(add(3, 'primary')).rejects.toThrow(/vault_key_versions_primary/);
    await expect(add(3, 'pending')).rejects.toThrow(/vault_key_versions_pending/);
  });
});
