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

  it('a start in production rejects a password that users could not choose', async () => {
    const machine = await Machine.set();
    const preset = { ...PRODUCTION, ...owner, BOOTSTRAP_ADMIN_PASSWORD: 'dragon123456!' };
    const faults = ['BOOTSTRAP_ADMIN_PASSWORD: The password is one of the most common ones; choose another one'];
    await expect(machine.start(preset)).rejects.toMatchObject({ faults });
    expect(await machine.sql('select id from users')).toEqual([]);
  });

  it('the first owner must change a password of the configuration in production only, and a preset token works at once', async () => {
    const flags = 'select password_change_required as required from users order by created_at limit 1';
    const development = await Machine.set();
    await development.start({ DEMO_DATA: 'false' });
    expect(await development.sql(flags)).toEqual([{ required: false }]);

    const machine = await Machine.set();
    const preset = { BOOTSTRAP_STAFF_TOKEN: newCredential('vsk').token };
    const service = await machine.start({ ...PRODUCTION, ...owner, ...preset, PORT: '0' }, { listening: true });
    expect(await machine.sql(flags)).toEqual([{ required: true }]);
    const headers = { Authorization: `Bearer ${preset.BOOTSTRAP_STAFF_TOKEN}` };
    const { status } = await fetch(`${await service.url()}/v1/admin/identity/users`, { headers });
    expect(status).toBe(200);
    await service.stop();
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
