import { describe, expect, it } from '@jest/globals';
import { newCredential } from '../../src/platform/ids/credentials.js';
import { Provisioning } from '../../src/platform/provisioning/provisioning.js';
import { Machine, PRODUCTION } from './machine.js';
import { OWN_PASSWORD, SESSIONS, USERS } from './staff.js';

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

  it('the generated login of a start in development works at once', async () => {
    const machine = await Machine.set();
    const service = await machine.start({ DEMO_DATA: 'false', PORT: '0' }, { listening: true });
    const { email, password } = machine.credentials().staff;
    const { body } = await call(service, SESSIONS, { body: { email, password } });
    expect((await call(service, USERS, { token: body.data?.token })).status).toBe(200);
    await service.stop();
  });

  it('passwords that provisioning sets in production follow the policy and must be changed, and its keys work at once', async () => {
    const machine = await Machine.set();
    const service = await machine.start({ ...PRODUCTION, ...owner, PORT: '0' }, { listening: true });
    const row = { email: 'rosa@example.com', name: 'Rosa', roles: ['owner'] };
    const provisioning = service.nest.get(Provisioning);
    await expect(provisioning.apply({ users: [{ ...row, password: 'dragon123456!' }] })).rejects.toThrow(
      'users: rosa@example.com: The password is one of the most common ones; choose another one',
    );
    expect(await machine.sql(`select email from users where email = '${row.email}'`)).toEqual([]);

    const [password, key] = ['the ferry leaves at noon', newCredential('tpk').token];
    const platformKeys = [{ name: 'partner', scopes: ['data:geo:read'], token: key }];
    await provisioning.apply({ users: [{ ...row, password }], platformKeys });
    expect((await call(service, '/data/geo/v1/reference/languages?limit=1', { token: key })).status).toBe(200);
    const first = { email: owner.BOOTSTRAP_ADMIN_EMAIL, password: owner.BOOTSTRAP_ADMIN_PASSWORD };
    for (const known of [{ email: row.email, password }, first]) {
      const { body } = await call(service, SESSIONS, { body: known });
      const token = body.data?.token;
      expect((await call(service, USERS, { token })).body.code).toBe('password_change_required');
      const change = { currentPassword: known.password, newPassword: `${known.password} sharp` };
      expect((await call(service, OWN_PASSWORD, { token, body: change })).status).toBe(200);
      expect((await call(service, USERS, { token })).status).toBe(200);
    }
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

async function call(
  service: { url: () => Promise<string> },
  path: string,
  { token, body }: { token?: string | undefined; body?: object },
): Promise<{ status: number; body: { code?: string; data?: { token: string } } }> {
  const answer = await fetch(`${await service.url()}${path}`, {
    headers: { 'Content-Type': 'application/json', ...(token && { Authorization: `Bearer ${token}` }) },
    ...(body && { method: 'POST', body: JSON.stringify(body) }),
  });
  return { status: answer.status, body: (await answer.json()) as Awaited<ReturnType<typeof call>>['body'] };
}
