import { expect, it, jest } from '@jest/globals';
import { DiscoveryService, MetadataScanner, ModulesContainer } from '@nestjs/core';
import { Clock } from '../clock/clock.js';
import { readEnv } from '../config/read-env.js';
import type { Actor } from '../context/actor.js';
import { DecoratedMethods } from '../discovery/decorated-methods.js';
import { newCredential } from '../ids/credentials.js';
import { TokenVerifier } from './token-verifier.js';

const key = { type: 'api_key', id: 'a', principal: 'a', credentialId: 'a' } as const;
const actor: Actor = { ...key, scopes: [], operatorId: null, expiresAt: null };
const { token } = newCredential('tpk');

/** A verifier whose verifications wait for the test. */
function slowVerifier() {
  const clock = new Clock(readEnv({ DATABASE_URL: 'postgres://a@b/c' }));
  const verifier = new TokenVerifier(
    clock,
    new DecoratedMethods(new DiscoveryService(new ModulesContainer()), new MetadataScanner()),
  );
  const asked: ((found: Actor | null) => void)[] = [];
  verifier.register('tpk', () => new Promise((resolve) => asked.push(resolve)));
  return { clock, verifier, asked };
}

it('verifies a token once for concurrent requests, and not again for a second', async () => {
  const { clock, verifier, asked } = slowVerifier();
  const together = [verifier.verify(token), verifier.verify(token)];
  asked[0]?.(actor);
  expect(await Promise.all(together)).toEqual([actor, actor]);
  expect(asked).toHaveLength(1);

  clock.travel(800);
  expect(verifier.findCached(token)).toBe(actor);
  clock.travel(300);
  expect(verifier.findCached(token)).toBeNull();
});

it('a token is verified again after a second, although the system time was set back meanwhile', async () => {
  const { clock, verifier, asked } = slowVerifier();
  const verified = verifier.verify(token);
  asked[0]?.(actor);
  await verified;
  const systemTime = jest.spyOn(Date, 'now').mockReturnValue(Date.now() - 3_600_000);
  clock.travel(1_100);
  expect(verifier.findCached(token)).toBeNull();
  systemTime.mockRestore();
});

it('the result of a verification that began before a change is not cached', async () => {
  const { verifier, asked } = slowVerifier();
  const before = verifier.verify(token);
  verifier.forget();
  const after = verifier.verify(token);
  asked[0]?.(actor);
  asked[1]?.(null);
  expect([await before, await after]).toEqual([actor, null]);
  expect(verifier.findCached(token)).toBeNull();
});

it('a token with a wrong checksum is rejected without a query', async () => {
  const { verifier, asked } = slowVerifier();
  expect(await verifier.verify(`${token.slice(0, -1)}${token.endsWith('a') ? 'b' : 'a'}`)).toBeNull();
  expect(asked).toHaveLength(0);
});
