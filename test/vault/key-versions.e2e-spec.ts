import { beforeAll, describe, expect, it } from '@jest/globals';
import { KEY_LIFETIME_MS } from '../../src/modules/vault/keys/key-version.entity.js';
import { startApp, type TestApp } from '../setup/app.js';
import { decrypt, decrypted, encrypted, UNDECRYPTABLE, versionsOf, withScopes } from './vaults.js';

interface Version {
  version: number;
  state: string;
  primaryAt: string | null;
  encryptions: number;
  createdAt: string;
}

let app: TestApp;
let other: TestApp;
beforeAll(async () => {
  app = await startApp();
  other = await startApp({ env: { DATABASE_POOL_SIZE: '4' } });
});

const platform = () => app.as('platform');
const keysOf = (slug: string) => `/vault/v1/${slug}/keys`;
const rotate = (slug: string) => platform().post<{ data: Version }>(keysOf(slug));
const list = async (slug: string) => (await platform().get<{ data: Version[] }>(keysOf(slug))).body.data;
const change = (slug: string, version: number, state: string) =>
  platform().patch<{ data: Version }>(`${keysOf(slug)}/${version}`, { state });
const travel = (ms: number) => [app, other].forEach((node) => node.travel({ ms }));

/** Creates a vault whose second key encrypts; returns a ciphertext of the first one. */
async function rotated(slug: string): Promise<string> {
  const old = await encrypted(platform(), slug, 'old');
  await rotate(slug);
  travel(KEY_LIFETIME_MS);
  await encrypted(platform(), slug, 'new');
  return old;
}

describe('manual rotation', () => {
  it('the manual rotation of a key creates a pending version that becomes primary when every process knows it; a repeated request returns the same', async () => {
    const old = await encrypted(platform(), 'by-hand', 'old');
    const [first, again] = [await rotate('by-hand'), await rotate('by-hand')];

    const { data } = first.body;
    expect([first.status, data]).toEqual([
      201,
      {
        version: 2,
        state: 'pending',
        primaryAt: expect.any(String),
        encryptions: 0,
        createdAt: expect.any(String),
        destroyAt: null,
      },
    ]);
    expect(Date.parse(data.primaryAt ?? '') - Date.parse(data.createdAt)).toBe(KEY_LIFETIME_MS);
    expect(again.body).toEqual(first.body);
    expect((await list('by-hand')).map(({ version, state }) => [version, state])).toEqual([
      [2, 'pending'],
      [1, 'primary'],
    ]);

    travel(KEY_LIFETIME_MS);
    const young = await encrypted(other.as('platform'), 'by-hand', 'young');
    expect((await list('by-hand')).map(({ state, primaryAt }) => [state, primaryAt])).toEqual([
      ['primary', null],
      ['decrypt_only', null],
    ]);
    for (const node of [app, other]) {
      expect(await decrypted(node.as('platform'), 'by-hand', old)).toBe('old');
      expect(await decrypted(node.as('platform'), 'by-hand', young)).toBe('young');
    }
  });

  it('the manual rotation of a key with an Idempotency-Key adds one version: after it has become primary, a repetition gets the first response', async () => {
    await encrypted(platform(), 'by-key', 'x');
    const headers = { 'Idempotency-Key': 'rotate-by-key' };
    const repeat = () => platform().post<{ data: Version }>(keysOf('by-key'), undefined, { headers });
    const first = await repeat();
    travel(KEY_LIFETIME_MS);
    const states = async () => (await list('by-key')).map(({ version, state }) => [version, state]);
    const expected = [
      [2, 'primary'],
      [1, 'decrypt_only'],
    ];
    expect(await states()).toEqual(expected);

    const again = await repeat();

    expect([first.status, again.status, again.headers['idempotent-replayed']]).toEqual([201, 201, 'true']);
    expect(again.text).toBe(first.text);
    expect(await states()).toEqual(expected);
  });

  it('the manual rotation of a key creates one version for concurrent requests', async () => {
    await encrypted(platform(), 'at-once', 'x');
    const answers = await Promise.all(Array.from({ length: 5 }, () => rotate('at-once')));
    expect(answers.map(({ body }) => body.data?.version)).toEqual([2, 2, 2, 2, 2]);
    expect(await versionsOf(app, 'at-once')).toHaveLength(2);
  });

  it('the manual rotation of a key is 404 for an unknown vault, 409 for one with 16 active versions, and shows no key data', async () => {
    const unknown = await rotate('nowhere');
    expect([unknown.status, unknown.body]).toEqual([404, { error: 'Not found' }]);
    await encrypted(platform(), 'sixteen', 'x');
    await app.sql(
      `insert into vault_key_versions (vault_id, version, state, kek_id, wrapped_key, created_at)
       select vault_id, n, 'decrypt_only', kek_id, wrapped_key, created_at
       from vault_key_versions, generate_series(2, 16) as n
       where vault_id = (select id from vaults where slug = 'sixteen')`,
    );
    await app.sql(`update vaults set latest_version = 16 where slug = 'sixteen'`);
    const full = await rotate('sixteen');
    expect([full.status, full.body]).toEqual([
      409,
      { error: 'The vault already has 16 key versions that decrypt; disable one first' },
    ]);
    const members = new Set((await list('sixteen')).flatMap((version) => Object.keys(version)));
    expect([...members].sort()).toEqual(['createdAt', 'destroyAt', 'encryptions', 'primaryAt', 'state', 'version']);
  });
});

describe('disabling a version', () => {
  it('disabling a key version rejects its ciphertexts at once, and on another process within a second, until it is enabled again', async () => {
    const old = await rotated('disabling');
    expect(await decrypted(other.as('platform'), 'disabling', old)).toBe('old');

    const disabled = await change('disabling', 1, 'disabled');
    expect([disabled.status, disabled.body.data.state]).toEqual([200, 'disabled']);
    expect((await decrypt(platform(), 'disabling', old)).body).toEqual(UNDECRYPTABLE);
    other.travel({ ms: 1_000 });
    expect((await decrypt(other.as('platform'), 'disabling', old)).body).toEqual(UNDECRYPTABLE);
    expect(await decrypted(platform(), 'disabling', await encrypted(platform(), 'disabling', 'x'))).toBe('x');

    await change('disabling', 1, 'decrypt_only');
    expect(await decrypted(platform(), 'disabling', old)).toBe('old');
    const operations = await app.sql<{ operation: string }>(
      `select operation from vault_audit where operation like 'key%' and vault_id =
         (select id from vaults where slug = 'disabling') order by recorded_at`,
    );
    expect(operations.map(({ operation }) => operation)).toEqual(['key_disable', 'key_enable']);
  });

  it('disabling a key version answers 409 for the primary and the pending version, 404 for an unknown one, 400 for another state', async () => {
    await encrypted(platform(), 'in-use', 'x');
    await rotate('in-use');
    const answers = [await change('in-use', 1, 'disabled'), await change('in-use', 2, 'disabled')];
    expect(answers.map(({ status, body }) => [status, body])).toEqual(
      answers.map(() => [409, { error: 'A primary or pending version cannot be changed; rotate first' }]),
    );
    expect((await change('in-use', 9, 'disabled')).status).toBe(404);
    expect((await change('in-use', 1, 'destroyed')).status).toBe(400);
  });

  it('disabling a key version requires the scope vault:keys, like every operation on keys', async () => {
    await rotated('scoped');
    const user = await withScopes(app, 'vault:write', 'vault:read');
    const keeper = await withScopes(app, 'vault:keys');
    const calls = [
      (client: typeof user) => client.get(keysOf('scoped')),
      (client: typeof user) => client.post(keysOf('scoped')),
      (client: typeof user) => client.patch(`${keysOf('scoped')}/1`, { state: 'disabled' }),
      (client: typeof user) => client.post('/vault/v1/scoped/rewrap', { ciphertext: 'x' }),
    ];
    const statuses = async (client: typeof user) => {
      const seen: number[] = [];
      for (const call of calls) seen.push((await call(client)).status);
      return seen;
    };
    expect(await statuses(user)).toEqual([403, 403, 403, 403]);
    expect(await statuses(keeper)).toEqual([200, 201, 200, 400]);
  });
});

describe('rewrapping a ciphertext', () => {
  const rewrap = (slug: string, ciphertext: string) =>
    platform().post<{ data: { ciphertext: string } }>(`/vault/v1/${slug}/rewrap`, { ciphertext });

  it('rewrapping a ciphertext encrypts it with the current key, so that the old one can be disabled', async () => {
    const old = await rotated('rewrapping');
    const { status, body } = await rewrap('rewrapping', old);
    expect([status, Object.keys(body), Object.keys(body.data)]).toEqual([200, ['data'], ['ciphertext']]);

    await change('rewrapping', 1, 'disabled');
    expect(await decrypted(platform(), 'rewrapping', old)).toBeNull();
    expect(await decrypted(platform(), 'rewrapping', body.data.ciphertext)).toBe('old');
  });

  it('rewrapping answers the same 400 for every invalid ciphertext', async () => {
    const foreign = await encrypted(platform(), 'elsewhere', 'x');
    const own = Buffer.from(await encrypted(platform(), 'rewrapping-2', 'x'), 'base64');
    const short = [own.subarray(0, -12), own.subarray(0, 20), own.subarray(0, -1)].map((part) =>
      part.toString('base64'),
    );
    for (const ciphertext of [foreign, ...short, '', 'no base64!']) {
      const { status, body } = await rewrap('rewrapping-2', ciphertext);
      expect([status, body]).toEqual([400, UNDECRYPTABLE]);
    }
  });
});
