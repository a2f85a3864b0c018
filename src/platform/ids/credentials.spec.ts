import { expect, it } from '@jest/globals';
import { CREDENTIAL_KINDS, hashSecret, newCredential, parseCredential, secretMatches } from './credentials.js';

it.each(CREDENTIAL_KINDS)('a new %s is taken apart into what was stored of it', (kind) => {
  const { token, publicId, secretHash } = newCredential(kind);
  const credential = parseCredential(token);
  expect(credential).toMatchObject({ kind, publicId });
  expect(hashSecret(credential?.secret ?? '')).toEqual(secretHash);
});

it('a token with a changed character fails its checksum', () => {
  const { token } = newCredential('vsk');
  const at = token.length - 20;
  const changed = token.slice(0, at) + (token[at] === 'a' ? 'b' : 'a') + token.slice(at + 1);
  expect(parseCredential(changed)).toBeNull();
});

it.each(['', 'vsk_', 'abc_0123456789abcdef_' + 'a'.repeat(49), 'Bearer x', 'vsk_short_' + 'a'.repeat(49)])(
  '%s is no credential',
  (token) => expect(parseCredential(token)).toBeNull(),
);

it('only the secret behind the hash matches, and nobody has none', () => {
  expect(secretMatches('right', hashSecret('right'))).toBe(true);
  expect(secretMatches('wrong', hashSecret('right'))).toBe(false);
  expect(secretMatches('nobody', null)).toBe(false);
});
