import { beforeAll, describe, expect, it } from '@jest/globals';
import { setTimeout } from 'node:timers/promises';
import { startApp, type TestApp } from '../setup/app.js';
import type { TestClient } from '../setup/client.js';
import { hire, login, makeToken, ME, PASSWORD, errorBody, TOKENS, uniqueEmail, type UserBody, USERS } from './staff.js';

let app: TestApp;
let owner: TestClient;

interface Rejected {
  details: { issues: { path: string }[] };
}

beforeAll(async () => {
  app = await startApp();
  owner = app.as('owner');
});

const ledgerOf = (id: string) =>
  app.sql<{ action: string; before: UserBody | null; after: Record<string, unknown> }>(
    `select e.action, p.before, p.after from action_ledger_entries e
     join ledger_payloads p on p.entry_id = e.id where e.subject_id = $1 order by e.sequence`,
    [id],
  );

describe('a user', () => {
  it('a user is shown as its acceptance of the invitation returned it, without the password', async () => {
    const { user } = await hire(app, ['viewer', 'finance']);
    expect(user).toEqual({
      id: expect.stringMatching(/^user_/),
      email: expect.stringContaining('@example.com'),
      name: 'Test Member',
      roles: ['finance', 'viewer'],
      active: true,
      language: null,
      passwordChangeRequired: false,
      version: 1,
      createdAt: expect.any(String),
      updatedAt: expect.any(String),
    });
    const { headers, body } = await owner.get(`${USERS}/${user.id}`);
    expect(headers['etag']).toBe('"1"');
    expect(body).toEqual({ data: user });
    const stored = await app.sql('select * from users where id = $1', [user.id]);
    expect(JSON.stringify([stored, await ledgerOf(user.id)])).not.toContain(PASSWORD);
  });

  it('a user cannot be created with a password that an administrator chooses: there is no such operation (405)', async () => {
    const body = { email: uniqueEmail(), name: 'Nina', roles: ['viewer'], password: PASSWORD };
    expect((await owner.post(USERS, body)).status).toBe(405);
  });

  it('a user is found by part of the name or address, by role and by status', async () => {
    const { user } = await hire(app, ['sales']);
    const body = await owner.patch<{ data: UserBody }>(`${USERS}/${user.id}`, { name: 'Ottilie 100%_x' });
    const { data } = body.body;
    const search = async (query: string) =>
      (await owner.get<{ data: UserBody[]; total: number }>(`${USERS}?${query}`)).body;
    expect(await search('search=otTilie%20100%25_')).toEqual({ data: [data], total: 1, limit: 50, offset: 0 });
    expect((await search(`search=${data.email.slice(0, 20)}`)).total).toBe(1);
    expect((await search('search=100%25_&role=finance')).total).toBe(0);
    expect((await search('search=100%25_&role=finance,sales')).total).toBe(1);
    expect((await search('search=100%25_&active=false')).total).toBe(0);
    const names = (await search('sort=name&limit=200')).data.map(({ name }) => name);
    expect(names.length).toBeGreaterThan(1);
    expect(names).toEqual((await search('sort=-name&limit=200')).data.map(({ name }) => name).reverse());
  });

  it('a user cannot be searched with an invalid query: 400', async () => {
    expect((await owner.get(`${USERS}?role=boss`)).status).toBe(400);
  });

  it('a user that is unknown is not found (404)', async () => {
    for (const id of ['user_01k0dem000e999999999999999', 'x', '..%2F']) {
      const { status, body, headers } = await owner.get(`${USERS}/${id}`);
      expect(status).toBe(404);
      expect(body).toEqual(errorBody(headers, 'not_found', { error: 'Not found' }));
    }
  });
});

describe('a change of a user', () => {
  it('a change of a user changes only the fields that are sent and the version', async () => {
    const { user } = await hire(app, ['viewer']);
    const { status, body, headers } = await owner.patch<{ data: UserBody }>(`${USERS}/${user.id}`, { name: 'New' });
    expect(status).toBe(200);
    expect(body.data).toEqual({ ...user, name: 'New', version: 2, updatedAt: expect.any(String) });
    expect(headers['etag']).toBe('"2"');
    const [, change] = await ledgerOf(user.id);
    const { id, createdAt, updatedAt } = user;
    const before = { id, name: 'Test Member', roles: ['viewer'], active: true, language: null, version: 1, createdAt };
    expect(change).toEqual({
      action: 'identity.user.update',
      before: { ...before, updatedAt },
      after: { ...before, name: 'New', version: 2, updatedAt: body.data.updatedAt },
    });
  });

  it('a change of a user with an invalid body is rejected with 400, and changes nothing', async () => {
    const { user } = await hire(app, ['viewer']);
    const before = (await owner.get(`${USERS}/${user.id}`)).body;
    expect((await owner.patch(`${USERS}/${user.id}`, { email: 'new@example.com' })).status).toBe(400);
    expect((await owner.get(`${USERS}/${user.id}`)).body).toEqual(before);
  });

  it('disabling a user ends sessions and tokens at once and permanently, and is recorded in the ledger', async () => {
    const member = await hire(app, ['owner']);
    const { token } = await makeToken(member.client, ['identity:read']);
    await owner.patch(`${USERS}/${member.user.id}`, { active: false });
    for (const credential of [member.session, token]) {
      expect((await app.with(credential).get(ME)).status).toBe(401);
    }
    await owner.patch(`${USERS}/${member.user.id}`, { active: true });
    for (const credential of [member.session, token]) {
      expect((await app.with(credential).get(ME)).status).toBe(401);
    }
    await expect(login(app, member.user.email, PASSWORD)).resolves.toMatch(/^vss_/);
    const [, disabling] = await ledgerOf(member.user.id);
    expect(disabling?.after).toMatchObject({ active: false, endedSessions: 1, revokedTokens: 1 });
  });

  it('disabling a user also ends sessions and tokens that are created concurrently', async () => {
    const member = await hire(app, ['owner']);
    const attempts = Promise.allSettled(Array.from({ length: 6 }, () => login(app, member.user.email, PASSWORD)));
    const tokens = Array.from({ length: 6 }, () => member.client.post(TOKENS, { name: 'x', scopes: ['trips:read'] }));
    await setTimeout(20);
    await owner.patch(`${USERS}/${member.user.id}`, { active: false });
    await Promise.all([attempts, ...tokens]);
    const left = await app.sql(
      `select id from staff_sessions where user_id = $1 and ended_at is null
       union all select id from api_tokens where user_id = $1 and revoked_at is null`,
      [member.user.id],
    );
    expect(left).toEqual([]);
  });

  it('a change of the password of a user is rejected, also by an owner and also of the own one: 400 for an unknown member', async () => {
    const member = await hire(app, ['owner']);
    for (const client of [owner, member.client]) {
      const answer = await client.patch<Rejected>(`${USERS}/${member.user.id}`, { password: 'an entirely new one' });
      expect(answer.status).toBe(400);
      expect(answer.body.details.issues.map(({ path }) => path)).toEqual(['password']);
    }
    await expect(login(app, member.user.email, PASSWORD)).resolves.toMatch(/^vss_/);
  });

  it('a change of the roles of a user takes effect with the next request', async () => {
    const { client, user } = await hire(app, ['manager']);
    expect((await client.get(USERS)).status).toBe(200);
    await owner.patch(`${USERS}/${user.id}`, { roles: ['sales'] });
    const { status, body, headers } = await client.get(USERS);
    expect(status).toBe(403);
    const details = { requiredScope: 'identity:read' };
    expect(body).toEqual(errorBody(headers, 'forbidden', { error: 'Requires the scope identity:read', details }));
  });
});

describe('the current user', () => {
  it('the current user is shown with the time zone of the organization, the day there and the currency of its accounts', async () => {
    const zones = ['Pacific/Kiritimati', 'Pacific/Pago_Pago'];
    const apps = await Promise.all(zones.map((zone) => startApp({ env: { ORG_TIME_ZONE: zone } })));
    const read = async (one: TestApp) => {
      const { status, body } = await one.as('owner').get<{ data: Record<string, unknown> }>(ME);
      const { timeZone, today, currency } = body.data;
      return [status, timeZone, today, currency];
    };
    const dayIn = (timeZone: string, one: TestApp) =>
      new Intl.DateTimeFormat('en-CA', { timeZone, dateStyle: 'short' }).format(one.now());
    for (const [index, one] of apps.entries()) {
      const zone = zones[index] ?? '';
      expect(await read(one)).toEqual([200, zone, dayIn(zone, one), 'EUR']);
    }
    await app.sql(`update finance_settings set base_currency = 'CHF'`);
    expect((await read(app))[3]).toBe('CHF');
    await app.sql(`update finance_settings set base_currency = 'EUR'`);
  });
});
