import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createSecretKey, randomBytes } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { readEnv } from '../config/read-env.js';
import { sealUnderNonce } from './aes-gcm.js';
import { ConfiguredKeks, createKekProvider } from './configured-keks.js';

const PLACE = 'vault-dek|vault_1|3';
const bytes = randomBytes(32);
const base64 = (key: Buffer) => key.toString('base64');

describe('a wrapped key', () => {
  const [a, b] = [randomBytes(32), randomBytes(32)];
  const keks = new ConfiguredKeks(
    [
      ['a', a],
      ['b', b],
    ],
    'b',
  );

  it('a wrapped key is wrapped by the primary key-encryption key and can be unwrapped', async () => {
    const wrapped = await keks.wrap(PLACE, bytes);

    expect(wrapped.kekId).toBe('b');
    expect(wrapped.wrappedKey.length).toBe(12 + 32 + 16);
    expect(wrapped.wrappedKey.includes(bytes)).toBe(false);
    expect(await keks.unwrap(PLACE, wrapped)).toEqual(bytes);
  });

  it.each([
    ['another vault', 'vault-dek|vault_2|3'],
    ['another version', 'vault-dek|vault_1|4'],
  ])('a wrapped key does not unwrap in the place of %s', async (_, place) => {
    const wrapped = await keks.wrap(PLACE, bytes);

    await expect(keks.unwrap(place, wrapped)).rejects.toMatchObject({ status: 503 });
  });

  it('a wrapped key cannot be unwrapped under another id, even with the same key', async () => {
    const twins = new ConfiguredKeks(
      [
        ['b', b],
        ['c', b],
      ],
      'b',
    );
    const { wrappedKey } = await twins.wrap(PLACE, bytes);

    await expect(twins.unwrap(PLACE, { kekId: 'c', wrappedKey })).rejects.toMatchObject({ status: 503 });
  });

  it('a wrapped key answers 503 with a time to wait if its key-encryption key is missing', async () => {
    const wrapped = await keks.wrap(PLACE, bytes);

    await expect(new ConfiguredKeks([['a', a]], 'a').unwrap(PLACE, wrapped)).rejects.toMatchObject({
      status: 503,
      retryAfterMs: 1000,
    });
  });

  it('a wrapped key can be unwrapped with the old primary key after a new one was added', async () => {
    const old = await new ConfiguredKeks([['a', a]], 'a').wrap(PLACE, bytes);

    expect(await keks.unwrap(PLACE, old)).toEqual(bytes);
  });
});

describe('a wrapped key of an earlier version of the service', () => {
  it('still unwraps: the additional data ends in the id of the key-encryption key', async () => {
    const kek = Buffer.from(Array.from({ length: 32 }, (_, i) => i));
    // AES-256-GCM of 32 times 0x07 under this key, nonce of zeros, AAD `vault-dek|vault_1|3|a`.
    const wrappedKey = sealUnderNonce(
      { key: createSecretKey(kek), aad: Buffer.from('vault-dek|vault_1|3|a'), nonce: Buffer.alloc(12) },
      Buffer.alloc(32, 7),
    );

    const plaintext = await new ConfiguredKeks([['a', kek]], 'a').unwrap(PLACE, { kekId: 'a', wrappedKey });
    expect(plaintext).toEqual(Buffer.alloc(32, 7));
  });
});

describe('an authentication code', () => {
  const [a, b] = [randomBytes(32), randomBytes(32)];
  const before = new ConfiguredKeks([['a', a]], 'a');
  const after = new ConfiguredKeks(
    [
      ['a', a],
      ['b', b],
    ],
    'b',
  );
  const data = Buffer.from('head of the ledger');

  it('an authentication code is verified after a rotation while the old key-encryption key is configured, and is 503 without it', async () => {
    const mac = await before.mac('checkpoint', data);

    expect([mac.kekId, mac.mac.length]).toEqual(['a', 32]);
    expect(await after.verifyMac('checkpoint', data, mac)).toBe(true);
    expect((await after.mac('checkpoint', data)).kekId).toBe('b');
    await expect(new ConfiguredKeks([['b', b]], 'b').verifyMac('checkpoint', data, mac)).rejects.toMatchObject({
      status: 503,
    });
  });

  it('an authentication code is rejected for other data, another purpose, another key and a shortened code', async () => {
    const mac = await before.mac('checkpoint', data);
    const twins = new ConfiguredKeks([['a', b]], 'a');

    const verdicts = await Promise.all([
      before.verifyMac('checkpoint', Buffer.from('head of the Ledger'), mac),
      before.verifyMac('link', data, mac),
      twins.verifyMac('checkpoint', data, mac),
      before.verifyMac('checkpoint', data, { ...mac, mac: mac.mac.subarray(0, 16) }),
      before.verifyMac('checkpoint', data, { ...mac, mac: Buffer.alloc(0) }),
    ]);
    expect(verdicts).toEqual([false, false, false, false, false]);
  });
});

describe('the file of key-encryption keys', () => {
  const DATABASE_URL = 'postgres://u:p@127.0.0.1/x';
  let folder: string;
  const path = () => join(folder, 'keks.json');
  const env = (variables: Record<string, string> = {}) =>
    readEnv({
      DATABASE_URL,
      DATA_DIR: join(folder, 'data'),
      KEK_PROVIDER: 'file',
      KEK_FILE: path(),
      ...variables,
    });
  const write = (content: unknown, mode = 0o600) => {
    writeFileSync(path(), typeof content === 'string' ? content : JSON.stringify(content));
    chmodSync(path(), mode);
  };

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'kek-file-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  it.each([0o400, 0o440, 0o600])(
    'the file of key-encryption keys is read with mode %o, and unwraps what the environment wrapped under the same id',
    async (mode) => {
      const variables = { VAULT_KEK_PRIMARY: 'a', VAULT_KEK_a: base64(bytes) };
      const wrapped = await createKekProvider(readEnv({ DATABASE_URL, ...variables })).wrap(PLACE, bytes);
      write({ primary: 'b', keys: { a: base64(bytes), b: base64(randomBytes(32)) } }, mode);
      const keks = createKekProvider(env({ NODE_ENV: 'production', BASE_URL: 'https://office.acme.test' }));

      expect(keks.primaryId).toBe('b');
      expect(await keks.unwrap(PLACE, wrapped)).toEqual(bytes);
    },
  );

  it.each([0o640, 0o604, 0o644, 0o660, 0o620, 0o444])('stops the start with a remedy if its mode is %o', (mode) => {
    write({ primary: 'a', keys: { a: base64(bytes) } }, mode);

    expect(() => env()).toThrow(
      /^KEK_FILE: .* can be read by others; expected the mode 0400, 0440 or 0600; for example chmod 600 /,
    );
  });

  it.each([
    ['has the wrong form', ''],
    ['has the wrong form', '[]'],
    ['has the wrong form', { primary: 'a', keys: { a: 'c2hvcnQ=' } }],
    ['has the wrong form', { primary: 'a', keys: { 'a|b': base64(bytes) } }],
    ['has the wrong form', { keys: { a: base64(bytes) } }],
    ['has no key for its primary id', { primary: 'a', keys: {} }],
    ['has no key for its primary id', { primary: 'b', keys: { a: base64(bytes) } }],
  ])('stops the start if it %s: %j', (fault, content) => {
    write(content);

    expect(() => env()).toThrow(new RegExp(`^KEK_FILE: .* ${fault}; expected .*; for example `));
  });

  it('stops the start if it is missing or not configured, without naming a key', () => {
    expect(() => env()).toThrow(/^KEK_FILE: .* cannot be read \(ENOENT/);
    expect(() => env({ KEK_FILE: '' })).toThrow(/^KEK_FILE: is missing; /);
    expect(() => readEnv({ DATABASE_URL, KEK_FILE: path() })).toThrow(
      /^KEK_FILE: is not read; expected KEK_PROVIDER=file/,
    );
  });

  it('stops the start beside keys in the environment, which would only look as if they were in use', () => {
    write({ primary: 'a', keys: { a: base64(bytes) } });
    const variables = { VAULT_KEK_PRIMARY: 'b', VAULT_KEK_b: base64(bytes) };

    expect(() => env(variables)).toThrow(/VAULT_KEK_b: is not read beside KEK_PROVIDER=file/);
    expect(() => env(variables)).toThrow(/VAULT_KEK_PRIMARY: is not read beside KEK_PROVIDER=file/);
    expect(() => env(variables)).not.toThrow(base64(bytes));
  });

  it('stops the start in production with a key that is not random, and is accepted elsewhere', () => {
    write({ primary: 'a', keys: { a: base64(Buffer.alloc(32)) } });

    expect(() => env({ NODE_ENV: 'production', BASE_URL: 'https://office.acme.test' })).toThrow(
      /^KEK_FILE: .* has a key 'a' that repeats itself and is not random; /,
    );
    expect(env().kekPrimary).toBe('a');
  });
});

describe('the settings of a PKCS#11 token', () => {
  const DATABASE_URL = 'postgres://u:p@127.0.0.1/x';
  let folder: string;
  const env = (variables: Record<string, string> = {}) =>
    readEnv({
      DATABASE_URL,
      DATA_DIR: join(folder, 'data'),
      KEK_PROVIDER: 'pkcs11',
      KEK_PKCS11_LIBRARY: '/no/library.so',
      KEK_PKCS11_TOKEN: 'travel',
      KEK_PKCS11_PIN_FILE: join(folder, 'pin'),
      VAULT_KEK_PRIMARY: 'hsm2026',
      ...variables,
    });

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'kek-token-'));
    writeFileSync(join(folder, 'pin'), '648219\n', { mode: 0o600 });
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  it('the settings of a PKCS#11 token are accepted without a key in the environment, in production too', () => {
    const production = { NODE_ENV: 'production', BASE_URL: 'https://office.acme.test' };
    const token = { library: '/no/library.so', label: 'travel', pin: '648219' };
    expect(env(production)).toMatchObject({ kekPrimary: 'hsm2026', kekToken: token });
    const both = { KEK_PROVIDER: 'environment', VAULT_KEK_PRIMARY: 'a', VAULT_KEK_a: base64(bytes) };
    expect(env(both)).toMatchObject({ kekPrimary: 'a', kekToken: token });
  });

  it.each([
    [{ KEK_PKCS11_TOKEN: '' }, /^KEK_PKCS11_TOKEN: is missing; expected the library, the label and the file/],
    [{ KEK_PROVIDER: 'environment', KEK_PKCS11_LIBRARY: '', VAULT_KEK_PRIMARY: '' }, /^KEK_PKCS11_LIBRARY: is missing/],
    [{ VAULT_KEK_PRIMARY: '' }, /^VAULT_KEK_PRIMARY: is missing; expected the label of the keys of the token/],
    [{ VAULT_KEK_hsm2026: base64(bytes) }, /^VAULT_KEK_PRIMARY: is also the id of VAULT_KEK_hsm2026; /],
  ])('the settings of a PKCS#11 token stop the start with a remedy: %j', (variables, fault) => {
    expect(() => env(variables)).toThrow(fault);
  });

  it('the file of the PIN stops the start if others can read it, or it is empty', () => {
    chmodSync(join(folder, 'pin'), 0o644);
    expect(() => env()).toThrow(/^KEK_PKCS11_PIN_FILE: .* can be read by others; expected the mode 0400, 0440 or 0600/);
    chmodSync(join(folder, 'pin'), 0o600);
    writeFileSync(join(folder, 'pin'), '\n');
    expect(() => env()).toThrow(/^KEK_PKCS11_PIN_FILE: .* is empty; /);
  });

  it('a token stops the start with a remedy if the package pkcs11js is not installed', () => {
    expect(() => createKekProvider(env())).toThrow(
      'KEK_PKCS11_LIBRARY: needs the package pkcs11js, which is not installed; expected it beside the service or in a folder of NODE_PATH; for example ',
    );
    expect(readdirSync(folder)).toEqual(['pin']);
  });
});

describe('the local key-encryption key', () => {
  const production = {
    NODE_ENV: 'production',
    BASE_URL: 'https://office.acme.test',
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

  it('the local key-encryption key is created once in a development environment with mode 0600 and leaves no other file', async () => {
    const wrapped = await createKekProvider(env()).wrap(PLACE, bytes);

    expect(await createKekProvider(env()).unwrap(PLACE, wrapped)).toEqual(bytes);
    expect(readdirSync(join(folder, 'data'))).toEqual(['vault-kek.json']);
    expect(statSync(file()).mode & 0o777).toBe(0o600);
  });

  it('the local key-encryption key still unwraps its keys after keys were added to the environment', async () => {
    const wrapped = await createKekProvider(env()).wrap(PLACE, bytes);
    const later = createKekProvider(env({ VAULT_KEK_PRIMARY: 'a', VAULT_KEK_a: base64(bytes) }));

    expect(later.primaryId).toBe('a');
    expect(await later.unwrap(PLACE, wrapped)).toEqual(bytes);
  });

  it('the local key-encryption key is neither created nor read in production', async () => {
    const wrapped = await createKekProvider(env()).wrap(PLACE, bytes);

    await expect(createKekProvider(env(production)).unwrap(PLACE, wrapped)).rejects.toMatchObject({ status: 503 });
    rmSync(file());
    createKekProvider(env(production));
    expect(readdirSync(join(folder, 'data'))).toEqual([]);
  });

  it.each(['', '{}', 'null', '{"id":"a","key":"c2hvcnQ="}', '{"id":"a|b","key":"' + base64(bytes) + '"}'])(
    'the local key-encryption key stops the start with a remedy if its file contains %s, and is not overwritten',
    (text) => {
      createKekProvider(env());
      writeFileSync(file(), text);

      expect(() => createKekProvider(env())).toThrow(/^DATA_DIR: .*vault-kek\.json contains no key; restore /);
      expect(readFileSync(file(), 'utf8')).toBe(text);
    },
  );
});
