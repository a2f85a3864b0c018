import { beforeAll, describe, expect, it } from '@jest/globals';
import { newOperator, provision, uniqueName, withKey } from '../connect/partners.js';
import { startApp, type TestApp } from '../setup/app.js';
import type { TestClient } from '../setup/client.js';
import { decrypt, decrypted, encrypt, encrypted } from './vaults.js';

const SCOPES = ['vault:write', 'vault:read', 'vault:keys'];
const NOT_FOUND = { error: 'Not found' };

let app: TestApp;
let [ours, theirs]: TestClient[] = [];
let theirOperator: string;
beforeAll(async () => {
  app = await startApp();
  theirOperator = await newOperator(app);
  ours = await withKey(app, SCOPES, await newOperator(app));
  theirs = await withKey(app, SCOPES, theirOperator);
});

const newSlug = () => uniqueName('vault').replace('_', '-');
const clients = () => ({ ours: ours ?? app, theirs: theirs ?? app });

const ownerOf = async (slug: string) => {
  const [row] = await app.sql<{ operator_id: string | null }>('select operator_id from vaults where slug = $1', [slug]);
  return row?.operator_id;
};

/** Status and body of every operation on a vault. */
async function attemptsOn(client: TestClient, slug: string, ciphertext: string): Promise<unknown[]> {
  const keys = `/vault/v1/${slug}/keys`;
  const answers = [
    await decrypt(client, slug, ciphertext),
    await client.post(`/vault/v1/${slug}/rewrap`, { ciphertext }),
    await client.get(keys),
    await client.post(keys),
    await client.patch(`${keys}/1`, { state: 'disabled' }),
  ];
  return answers.map(({ status, body }) => [status, body]);
}

describe('the vaults of an operator', () => {
  it('the vaults of an operator are created by the first encryption with its key, and used by it and by unbound keys', async () => {
    const slug = newSlug();
    const ciphertext = await encrypted(clients().theirs, slug, 'passport');

    expect(await ownerOf(slug)).toBe(theirOperator);
    expect(await decrypted(clients().theirs, slug, ciphertext)).toBe('passport');
    expect(await decrypted(app.as('platform'), slug, ciphertext)).toBe('passport');
    expect((await clients().theirs.get(`/vault/v1/${slug}/keys`)).status).toBe(200);
  });

  it('do not exist for the key of another operator: every operation answers as for an unknown vault', async () => {
    const slug = newSlug();
    const ciphertext = await encrypted(clients().theirs, slug, 'passport');
    const unknown = await attemptsOn(clients().ours, newSlug(), ciphertext);
    expect(unknown).toEqual(unknown.map(() => [404, NOT_FOUND]));

    expect(await attemptsOn(clients().ours, slug, ciphertext)).toEqual(unknown);
    // The vault is now in the cache of the process, read for its own operator.
    await decrypted(clients().theirs, slug, ciphertext);
    expect(await attemptsOn(clients().ours, slug, ciphertext)).toEqual(unknown);
    expect(await decrypted(clients().theirs, slug, ciphertext)).toBe('passport');
  });

  it('the vaults of an operator cannot be created or taken over by another operator under the same slug', async () => {
    const slug = newSlug();
    await encrypted(clients().theirs, slug, 'passport');
    const { status, body } = await encrypt(clients().ours, slug, 'mine');
    expect([status, body]).toEqual([404, NOT_FOUND]);
    expect(await ownerOf(slug)).toBe(theirOperator);
  });

  it('have one owner if two operators create the same slug at the same time', async () => {
    const slug = newSlug();
    const other = await startApp();
    const elsewhere = await withKey(other, SCOPES, theirOperator);
    const attempts = Array.from({ length: 20 }, (_, n) => encrypt(n % 2 ? clients().ours : elsewhere, slug, 'x'));
    const statuses = (await Promise.all(attempts)).map(({ status }) => status);
    const winners = new Set(statuses.flatMap((status, n) => (status === 200 ? [n % 2] : [])));
    expect([winners.size, statuses.filter((status) => status === 404).length]).toEqual([1, 10]);
    expect(await app.sql('select from vaults where slug = $1', [slug])).toHaveLength(1);
  });
});

describe('the vaults of the platform', () => {
  it('do not exist for the key of an operator', async () => {
    const ciphertext = await encrypted(app.as('platform'), 'primary', 'secret');
    expect(await ownerOf('primary')).toBeNull();
    const answers = await attemptsOn(clients().ours, 'primary', ciphertext);
    expect(answers).toEqual(answers.map(() => [404, NOT_FOUND]));
    expect((await encrypt(clients().ours, 'primary', 'x')).status).toBe(404);
  });
});

describe('the owner of a vault in the provisioning file', () => {
  it('the owner of a vault in the provisioning file is set, kept if it is omitted, and removed by null', async () => {
    const slug = newSlug();
    await provision(app, { vaults: [{ slug, operatorId: theirOperator }] });
    const ciphertext = await encrypted(clients().theirs, slug, 'x');
    await provision(app, { vaults: [{ slug, name: 'Renamed' }] });
    expect(await ownerOf(slug)).toBe(theirOperator);

    await provision(app, { vaults: [{ slug, operatorId: null }] });
    expect(await ownerOf(slug)).toBeNull();
    expect((await decrypt(clients().theirs, slug, ciphertext)).status).toBe(404);
    expect(await decrypted(app.as('platform'), slug, ciphertext)).toBe('x');
  });

  it('must exist', async () => {
    const vaults = [{ slug: newSlug(), operatorId: uniqueName('op') }];
    await expect(provision(app, { vaults })).rejects.toThrow('which does not exist');
    expect(await ownerOf(vaults[0]?.slug ?? '')).toBeUndefined();
  });
});
