import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { randomBytes } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { readEnv } from '../../../platform/config/read-env.js';
import { environmentKeks, EnvironmentKeks } from './environment-keks.js';

const SLOT = { vaultId: 'vault_1', version: 3 };
const bytes = randomBytes(32);
const base64 = (key: Buffer) => key.toString('base64');

describe('a wrapped key', () => {
  const [a, b] = [randomBytes(32), randomBytes(32)];
  const keks = new EnvironmentKeks(
    [
      ['a', a],
      ['b', b],
    ],
    'b',
  );

  it('is wrapped by the primary key-encryption key and can be unwrapped', async () => {
    const wrapped = await keks.wrap(SLOT, bytes);

    expect(wrapped.kekId).toBe('b');
    expect(wrapped.wrappedKey.length).toBe(12 + 32 + 16);
    expect(wrapped.wrappedKey.includes(bytes)).toBe(false);
    expect(await keks.unwrap(SLOT, wrapped)).toEqual(bytes);
  });

  it.each([
    ['another vault', { ...SLOT, vaultId: 'vault_2' }],
    ['another version', { ...SLOT, version: 4 }],
  ])('does not open in the place of %s', async (_, slot) => {
    const wrapped = await keks.wrap(SLOT, bytes);

    await expect(keks.unwrap(slot, wrapped)).rejects.toMatchObject({ status: 503 });
  });

  it('cannot be unwrapped under another id, even with the same key', async () => {
    const twins = new EnvironmentKeks(
      [
        ['b', b],
        ['c', b],
      ],
      'b',
    );
    const { wrappedKey } = await twins.wrap(SLOT, bytes);

    await expect(twins.unwrap(SLOT, { kekId: 'c', wrappedKey })).rejects.toMatchObject({ status: 503 });
  });

  it('answers 503 with a time to wait if its key-encryption key is missing', async () => {
    const wrapped = await keks.wrap(SLOT, bytes);

    await expect(new EnvironmentKeks([['a', a]], 'a').unwrap(SLOT, wrapped)).rejects.toMatchObject({
      status: 503,
      retryAfterMs: 1000,
    });
  });

  it('can be unwrapped with the old primary key after a new one was added', async () => {
    const old = await new EnvironmentKeks([['a', a]], 'a').wrap(SLOT, bytes);

    expect(await keks.unwrap(SLOT, old)).toEqual(bytes);
  });
});

describe('the local key-encryption key', () => {
  const production = {
    NODE_ENV: 'production',
    VAULT_KEK_PRIMARY: 'a',
    VAULT_KEK_a: base64(bytes),
  };
  let folder: string;
  const env = (variables: Record<string, string> = {}) =>
    readEnv({ DATABASE_URL: 'postgres://u:p@127.0.0.1/x', DATA_DIR: join(folder, 'data'), ...variables });
  const file = () => join(folder, 'data/vault-kek.json');

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'vault-kek-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  it('is created once outside production with mode 0600 and leaves no other file', async () => {
    const wrapped = await environmentKeks(env()).wrap(SLOT, bytes);

    expect(await environmentKeks(env()).unwrap(SLOT, wrapped)).toEqual(bytes);
    expect(readdirSync(join(folder, 'data'))).toEqual(['vault-kek.json']);
    expect(statSync(file()).mode & 0o777).toBe(0o600);
  });

  it('unwraps its keys after the environment has got keys', async () => {
    const wrapped = await environmentKeks(env()).wrap(SLOT, bytes);
    const later = environmentKeks(env({ VAULT_KEK_PRIMARY: 'a', VAULT_KEK_a: base64(bytes) }));

    expect(later.primaryId).toBe('a');
    expect(await later.unwrap(SLOT, wrapped)).toEqual(bytes);
  });

  it('is neither created nor read in production', async () => {
    const wrapped = await environmentKeks(env()).wrap(SLOT, bytes);

    await expect(environmentKeks(env(production)).unwrap(SLOT, wrapped)).rejects.toMatchObject({ status: 503 });
    rmSync(file());
    environmentKeks(env(production));
    expect(readdirSync(join(folder, 'data'))).toEqual([]);
  });

  it.each(['', '{}', 'null', '{"id":"a","key":"c2hvcnQ="}', '{"id":"a|b","key":"' + base64(bytes) + '"}'])(
    'stops the start with a remedy if its file contains %s, and is not overwritten',
    (text) => {
      environmentKeks(env());
      writeFileSync(file(), text);

      expect(() => environmentKeks(env())).toThrow(/^DATA_DIR: .*vault-kek\.json contains no key; restore /);
      expect(readFileSync(file(), 'utf8')).toBe(text);
    },
  );
});
