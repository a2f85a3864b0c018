import { describe, expect, it } from '@jest/globals';
import { newCredential } from '../../src/platform/ids/credentials.js';
import { Machine, PRODUCTION } from './machine.js';

describe('a start in production', () => {
  const owner = { BOOTSTRAP_ADMIN_EMAIL: 'boss@example.com', BOOTSTRAP_ADMIN_PASSWORD: 'the boat sails at seven' };
  const noOwner = [
    'BOOTSTRAP_ADMIN_EMAIL: no account can log in, because the database has no active user with the role owner; ' +
      'expected BOOTSTRAP_ADMIN_EMAIL and BOOTSTRAP_ADMIN_PASSWORD on the first start, ' +
      'or such a user in the file of `platform provision <file>`',
  ];

  it('a start in production without an owner is rejected and creates nothing', async () => {
    const machine = await Machine.set();
    const key = { BOOTSTRAP_PLATFORM_KEY: newCredential('tpk').token };
    await expect(machine.start({ ...PRODUCTION, ...key })).rejects.toMatchObject({ faults: noOwner });
    expect(await machine.sql('select id from users union all select id from api_tokens')).toEqual([]);
  });

  it('a start in production is rejected while no owner is active, and accepts one that provisioning created', async () => {
    const machine = await Machine.set();
    const first = await machine.start({ ...PRODUCTION, ...owner });
    await first.stop();
    for (const lost of ['active = false', `active = true, roles = '{finance}'`]) {
      await machine.sql(`update users set ${lost}`);
      await expect(machine.start({ ...PRODUCTION, ...owner })).rejects.toMatchObject({ faults: noOwner });
    }
    await machine.sql(`insert into users (id, email, name, password_hash, roles, active, created_at, updated_at)
      select 'user_provisioned', 'second@example.com', name, password_hash, '{owner}', true, now(), now() from users`);
    await expect(machine.start(PRODUCTION)).resolves.toBeDefined();
  });
});
