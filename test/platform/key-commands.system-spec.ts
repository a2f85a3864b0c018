import { expect, it } from '@jest/globals';
import { SigningKeys } from '../../src/platform/keys/signing-keys.js';
import { runCommand } from '../identity/command.js';
import { startApp } from '../setup/app.js';

it('the key commands rotate and revoke the signing key, audit both, and report keys that cannot be unwrapped', async () => {
  const app = await startApp();
  const keys = app.nest.get(SigningKeys);
  const token = await keys.sign('test', 'x');
  const rotated = await runCommand(['keys', 'rotate']);
  expect(rotated).toEqual({ code: 0, output: expect.stringContaining('Signing key 2 signs links and cursors from ') });
  expect(await keys.verify('test', token)).toBe('x');

  expect((await runCommand(['keys', 'revoke'])).code).toBe(0);
  const entries = await app.sql<{ action: string }>(
    `select action from action_ledger_entries where subject_type = 'signing_key' order by sequence`,
  );
  expect(entries.map(({ action }) => action)).toEqual(['platform.signing_key.rotate', 'platform.signing_key.revoke']);

  expect((await runCommand(['keys', 'rewrap'])).code).toBe(0);
  await app.sql(`update service_keys set kek_id = 'gone' where use = 'sealing'`);
  const failed = await runCommand(['keys', 'rewrap']);
  expect([failed.code, failed.output]).toEqual([1, expect.stringContaining('sealing key 1, wrapped by gone')]);
});
