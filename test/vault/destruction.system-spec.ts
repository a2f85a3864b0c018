import { beforeAll, describe, expect, it } from '@jest/globals';
import { KEY_LIFETIME_MS } from '../../src/modules/vault/keys/key-version.entity.js';
import { KeyVersionsService } from '../../src/modules/vault/key-versions/key-versions.service.js';
import { asSystem } from '../../src/platform/context/request-context.js';
import { startApp, type TestApp } from '../setup/app.js';
import { decrypt, decrypted, encrypted, UNDECRYPTABLE, withScopes } from './vaults.js';

interface Version {
  version: number;
  state: string;
  destroyAt: string | null;
}

const DAY_MS = 24 * 60 * 60 * 1000;

let app: TestApp;
let other: TestApp;
beforeAll(async () => {
  app = await startApp();
  other = await startApp({ env: { DATABASE_POOL_SIZE: '4' } });
});

const platform = () => app.as('platform');
const travel = (ms: number) => [app, other].forEach((node) => node.travel({ ms }));
const pathOf = (slug: string, version = 1) => `/vault/v1/${slug}/keys/${version}/destruction`;
const schedule = (slug: string, version = 1) => platform().post<{ data: Version }>(pathOf(slug, version));
const cancel = (slug: string, version = 1) => platform().delete<{ data: Version }>(pathOf(slug, version));
const destroyDue = (node: TestApp = app) => asSystem(() => node.nest.get(KeyVersionsService).destroyDue());
const stored = async (slug: string) =>
  app.sql<{ state: string; kek_id: string | null; wrapped_key: Buffer | null; destroy_at: Date | null }>(
    `select state, kek_id, wrapped_key, destroy_at from vault_key_versions
     where version = 1 and vault_id = (select id from vaults where slug = $1)`,
    [slug],
  );
const audited = async (slug: string) =>
  (
    await app.sql<{ operation: string }>(
      `select operation from vault_audit where operation like 'key_destr%' and vault_id =
         (select id from vaults where slug = $1) order by recorded_at`,
      [slug],
    )
  ).map(({ operation }) => operation);

/** Creates a vault whose second key encrypts; returns a ciphertext of the first one. */
async function rotated(slug: string): Promise<string> {
  const old = await encrypted(platform(), slug, 'old');
  await platform().post(`/vault/v1/${slug}/keys`);
  travel(KEY_LIFETIME_MS);
  await encrypted(platform(), slug, 'new');
  return old;
}

describe('the destruction of a key version', () => {
  it('the destruction of a key version rejects its ciphertexts at once and on another process within a second, and destroys the key after seven days', async () => {
    const old = await rotated('shredded');
    expect(await decrypted(other.as('platform'), 'shredded', old)).toBe('old');
    const { status, body } = await schedule('shredded');

    expect(status).toBe(200);
    expect(body.data.state).toBe('pending_destruction');
    expect(Math.round((Date.parse(body.data.destroyAt ?? '') - app.now().getTime()) / DAY_MS)).toBe(7);
    expect((await schedule('shredded')).body).toEqual(body);
    expect((await decrypt(platform(), 'shredded', old)).body).toEqual(UNDECRYPTABLE);
    travel(1_000);
    expect((await decrypt(other.as('platform'), 'shredded', old)).body).toEqual(UNDECRYPTABLE);

    travel(7 * DAY_MS - 60_000);
    await destroyDue();
    expect((await stored('shredded'))[0]?.wrapped_key).toHaveLength(60);
    travel(60_000);
    await destroyDue(other);
    await destroyDue();

    expect(await stored('shredded')).toEqual([
      { state: 'destroyed', kek_id: null, wrapped_key: null, destroy_at: null },
    ]);
    for (const node of [app, other]) {
      const answer = await decrypt(node.as('platform'), 'shredded', old);
      expect([answer.status, answer.body]).toEqual([400, UNDECRYPTABLE]);
    }
    expect(await decrypted(platform(), 'shredded', await encrypted(platform(), 'shredded', 'y'))).toBe('y');
    expect(await audited('shredded')).toEqual(['key_destruction_schedule', 'key_destroy']);
    const answers = [
      await schedule('shredded'),
      await cancel('shredded'),
      await platform().patch('/vault/v1/shredded/keys/1', { state: 'decrypt_only' }),
    ];
    expect(answers.map(({ status: code, body: error }) => [code, error])).toEqual(
      answers.map(() => [409, { error: 'The key of this version is destroyed' }]),
    );
  });

  it('the destruction of a key version can be cancelled until then: the version is disabled, and decrypts after it was enabled', async () => {
    const old = await rotated('spared');
    await schedule('spared');
    const enabled = await platform().patch('/vault/v1/spared/keys/1', { state: 'decrypt_only' });
    expect([enabled.status, enabled.body]).toEqual([
      409,
      { error: 'The destruction of this version is pending; cancel it first' },
    ]);
    const { status, body } = await cancel('spared');
    expect([status, body.data.state, body.data.destroyAt]).toEqual([200, 'disabled', null]);
    expect((await cancel('spared')).body).toEqual({ error: 'No destruction of this version is pending' });

    travel(8 * DAY_MS);
    await destroyDue();
    expect(await decrypted(platform(), 'spared', old)).toBeNull();
    await platform().patch('/vault/v1/spared/keys/1', { state: 'decrypt_only' });
    expect(await decrypted(platform(), 'spared', old)).toBe('old');
    expect(await audited('spared')).toEqual(['key_destruction_schedule', 'key_destruction_cancel']);
  });

  it('the destruction of a key version cannot be cancelled when the waiting period has ended, even before the job has run', async () => {
    await rotated('too-late');
    await schedule('too-late');
    travel(7 * DAY_MS);
    expect((await cancel('too-late')).status).toBe(409);
    await destroyDue();
    expect((await stored('too-late'))[0]?.state).toBe('destroyed');
  });

  it('the destruction of a key version is 409 for the primary and the pending version, and 404 for an unknown one', async () => {
    await encrypted(platform(), 'needed', 'x');
    await platform().post('/vault/v1/needed/keys');
    const answers = [await schedule('needed', 1), await schedule('needed', 2)];
    expect(answers.map(({ status, body }) => [status, body])).toEqual(
      answers.map(() => [409, { error: 'A primary or pending version cannot be changed; rotate first' }]),
    );
    expect((await schedule('needed', 9)).status).toBe(404);
    expect((await schedule('nowhere')).status).toBe(404);
  });

  it('the destruction of a key version and its cancellation require the scope vault:keys', async () => {
    await rotated('guarded');
    const user = await withScopes(app, 'vault:write', 'vault:read');
    const keeper = await withScopes(app, 'vault:keys');
    expect((await user.post(pathOf('guarded'))).status).toBe(403);
    expect((await user.delete(pathOf('guarded'))).status).toBe(403);
    expect((await keeper.post(pathOf('guarded'))).status).toBe(200);
    expect((await keeper.delete(pathOf('guarded'))).status).toBe(200);
  });

  it('the destruction of a key version and a concurrent cancellation end in one of the two, never in an enabled version without a key', async () => {
    for (let round = 0; round < 8; round += 1) {
      const slug = `race-${round}`;
      const old = await rotated(slug);
      await schedule(slug);
      // The clock of the cancelling process is behind, so its waiting period has not ended.
      other.travel({ ms: 7 * DAY_MS });
      const [cancelled] = await Promise.all([cancel(slug), destroyDue(other), destroyDue(other)]);
      app.travel({ ms: 7 * DAY_MS });
      const [version] = await stored(slug);
      const expected = cancelled.status === 200 ? 'disabled' : 'destroyed';

      expect(version?.state).toBe(expected);
      expect(version?.wrapped_key === null).toBe(expected === 'destroyed');
      expect((await audited(slug)).at(-1)).toBe(expected === 'destroyed' ? 'key_destroy' : 'key_destruction_cancel');
      const enabled = await platform().patch(`/vault/v1/${slug}/keys/1`, { state: 'decrypt_only' });
      expect(enabled.status).toBe(expected === 'destroyed' ? 409 : 200);
      expect(await decrypted(platform(), slug, old)).toBe(expected === 'destroyed' ? null : 'old');
    }
  });

  it('the destruction of a key version is a state of the database as well: a destroyed version has no key, and only a pending one has a time', async () => {
    await rotated('consistent');
    const update = (change: string) =>
      app.sql(`update vault_key_versions set ${change}
        where version = 1 and vault_id = (select id from vaults where slug = 'consistent')`);
    await expect(update(`state = 'destroyed'`)).rejects.toThrow(/check/);
    await expect(update(`state = 'pending_destruction'`)).rejects.toThrow(/destroy_at/);
    await expect(update(`destroy_at = now()`)).rejects.toThrow(/destroy_at/);
  });
});
