import { expect, it } from '@jest/globals';
import { CREDENTIAL_KINDS, hashSecret, newCredential, parseCredential, secretMatches } from './credentials.js';

it.each(CREDENTIAL_KINDS)('a new %s is parsed into the stored parts', (kind) => {
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
  '%s is not a credential',
  (token) => expect(parseCredential(token)).toBeNull(),
);

it('a secret matches only its own hash, and never a missing one', () => {
  expect(secretMatches('right', hashSecret('right'))).toBe(true);
  expect(secretMatches('wrong', hashSecret('right'))).toBe(false);
  expect(secretMatches('nobody', null)).toBe(false);
});
