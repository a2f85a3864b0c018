import { expect, it } from '@jest/globals';
import { hashPassword, passwordMatches } from './password.js';

it('a password matches its own hash, which is argon2id with the parameters named', async () => {
  const hash = await hashPassword('correct horse battery');
  expect(hash).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
  expect(await passwordMatches('correct horse battery', hash)).toBe(true);
  expect(await passwordMatches('correct horse batterz', hash)).toBe(false);
});

it('the same password has a different hash each time', async () => {
  expect(await hashPassword('correct horse battery')).not.toBe(await hashPassword('correct horse battery'));
});

it('a composed and a decomposed accent are the same password', async () => {
  expect(await passwordMatches('caf\u0065\u0301 au lait', await hashPassword('caf\u00e9 au lait'))).toBe(true);
});

it('no password matches an unknown user', async () => {
  expect(await passwordMatches('anything at all', null)).toBe(false);
});
