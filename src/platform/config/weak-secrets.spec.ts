import { describe, expect, it } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import { newCredential } from '../ids/credentials.js';
import { checksum62, randomBase62 } from '../ids/id.js';
import { weakSecrets } from './weak-secrets.js';

const names = (variables: Record<string, string>) => weakSecrets(variables).map(({ name }) => name);
const key = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64');
const token = (secret: string) => `vsk_0123456789abcdef_${secret}${checksum62(secret)}`;

describe('weak secrets', () => {
  it.each([
    ['zeros', key(Buffer.alloc(32))],
    ['one byte', key(Buffer.alloc(32, 0xa7))],
    ['two bytes in turn', key(Buffer.alloc(32, 'a7b2', 'hex'))],
    ['bytes that count', key(Uint8Array.from({ length: 32 }, (_, index) => index))],
    ['bytes that count down by three', key(Uint8Array.from({ length: 32 }, (_, index) => 250 - 3 * index))],
    ['a text', key(Buffer.from('this is my very own secret key!!'))],
  ])('keys of %s are weak', (_, value) => expect(names({ VAULT_KEK_2026a: value })).toEqual(['VAULT_KEK_2026a']));

  it.each([
    ['one character', 'a'.repeat(43)],
    ['the alphabet', 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopq'],
    ['the demo data', 'DemoDataOnlyNeverLoadedInProduction00000000'],
  ])('tokens of %s are weak', (_, secret) => {
    const [staff, platform] = [token(secret), token(secret).replace('vsk', 'tpk')];
    expect(names({ BOOTSTRAP_STAFF_TOKEN: staff, BOOTSTRAP_PLATFORM_KEY: platform })).toHaveLength(2);
  });

  it.each([
    'a sentence of your own',
    'A Long Sentence Of Their Own',
    'correct horse battery staple',
    'passwordpassword',
    'Password2026!',
    'changeme-changeme',
    'admin12345678',
    'aaaaaaaaaaaaaaaa',
    '123456789012',
    'abcdefghijklmnop',
  ])('passwords such as %s are weak', (password) => {
    expect(names({ BOOTSTRAP_ADMIN_PASSWORD: password })).toEqual(['BOOTSTRAP_ADMIN_PASSWORD']);
  });

  it('example addresses of the documentation are weak', () => {
    expect(names({ BOOTSTRAP_ADMIN_EMAIL: 'Owner@example.com' })).toEqual(['BOOTSTRAP_ADMIN_EMAIL']);
  });

  it('weak secrets are never printed', () => {
    const value = key(Buffer.from('this is my very own secret key!!'));
    const text = JSON.stringify(weakSecrets({ VAULT_KEK_a: value, BOOTSTRAP_ADMIN_PASSWORD: 'passwordpassword' }));
    expect(text).not.toMatch(/very own|passwordpassword/);
    expect(text).not.toContain(value);
  });
});

describe('strong secrets', () => {
  it('random secrets are always strong', () => {
    for (let round = 0; round < 2_000; round += 1) {
      const random = {
        VAULT_KEK_a: key(randomBytes(32)),
        BOOTSTRAP_STAFF_TOKEN: newCredential('vsk').token,
        BOOTSTRAP_PLATFORM_KEY: newCredential('tpk').token,
        BOOTSTRAP_ADMIN_PASSWORD: randomBase62(20),
      };
      expect(names(random)).toEqual([]);
    }
  });

  it.each(['the boat sails at seven', 'Reisebüro am Markt 12', 'travel agents like long walks'])(
    'passwords such as %s are strong',
    (password) => expect(names({ BOOTSTRAP_ADMIN_PASSWORD: password })).toEqual([]),
  );

  it('variables that are not secrets, or not set, are not checked', () => {
    expect(
      names({ VAULT_KEK_PRIMARY: 'a', PASSWORD: 'password', BOOTSTRAP_ADMIN_PASSWORD: '', ORG_NAME: 'x' }),
    ).toEqual([]);
  });
});
