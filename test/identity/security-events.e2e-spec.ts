import { beforeAll, describe, expect, it } from '@jest/globals';
import { SecurityEventsService } from '../../src/modules/identity/security-events/security-events.service.js';
import { asSystem } from '../../src/platform/context/request-context.js';
import { startApp, type TestApp } from '../setup/app.js';
import { forgetFailures, hire, makeToken, SESSIONS, TOKENS, uniqueEmail, USERS } from './staff.js';

let app: TestApp;

beforeAll(async () => {
  app = await startApp();
});

interface EventRow {
  kind: string;
  user_id: string | null;
  actor_id: string | null;
  subject_id: string | null;
  address: string;
  user_agent: string | null;
}

const eventsOf = (userId: string) =>
  app.sql<EventRow>('select * from security_events where user_id = $1 order by created_at, id', [userId]);
const kindsOf = async (userId: string) => (await eventsOf(userId)).map(({ kind }) => kind);

describe('a security event', () => {
  it('the security event of a login contains the user, the session, the address and the user agent', async () => {
    const { user, password } = await hire(app, ['viewer']);
    const before = (await eventsOf(user.id)).length;
    const call = { headers: { 'User-Agent': 'Desk/1.0' } };
    const { status } = await app.post(SESSIONS, { email: user.email, password }, call);
    expect(status).toBe(201);
    const [session] = await app.sql<{ id: string }>(
      'select id from staff_sessions where user_id = $1 order by created_at desc limit 1',
      [user.id],
    );
    const events = (await eventsOf(user.id)).slice(before);
    expect(events.find(({ kind }) => kind === 'login')).toMatchObject({
      kind: 'login',
      actor_id: null,
      subject_id: session?.id,
      address: expect.stringMatching(/^(::ffff:)?127\.0\.0\.1$/),
      user_agent: 'Desk/1.0',
    });
  });

  it('the security event of a rejected login is kept although the login fails, without the e-mail address', async () => {
    const { user } = await hire(app, ['viewer']);
    const unknown = uniqueEmail();
    const before = await app.sql<{ count: number }>(
      `select count(*)::int as count from security_events where kind = 'login_rejected' and user_id is null`,
    );
    for (const email of [user.email, unknown]) {
      expect((await app.post(SESSIONS, { email, password: 'a wrong password' })).status).toBe(401);
    }
    await forgetFailures(app);
    expect(await kindsOf(user.id)).toContain('login_rejected');
    const after = await app.sql<{ count: number }>(
      `select count(*)::int as count from security_events where kind = 'login_rejected' and user_id is null`,
    );
    expect((after[0]?.count ?? 0) - (before[0]?.count ?? 0)).toBe(1);
    const all = JSON.stringify(await app.sql('select * from security_events'));
    expect(all).not.toContain(user.email);
    expect(all).not.toContain(unknown);
    expect(all).not.toContain('@');
  });

  it('a security event is recorded for tokens, roles, disabling and the end of a session', async () => {
    const { user, client } = await hire(app, ['owner']);
    const { id } = await makeToken(client, ['identity:read']);
    await client.delete(`${TOKENS}/${id}`);
    const owner = app.as('owner');
    await owner.patch(`${USERS}/${user.id}`, { roles: ['viewer'] });
    await owner.patch(`${USERS}/${user.id}`, { name: 'Another name' });
    await client.delete(`${SESSIONS}/current`);
    await owner.patch(`${USERS}/${user.id}`, { active: false });
    await owner.patch(`${USERS}/${user.id}`, { active: true });
    const events = await eventsOf(user.id);
    const expected = [
      'token_created',
      'token_revoked',
      'roles_changed',
      'session_ended',
      'user_disabled',
      'user_enabled',
    ];
    expect(events.map(({ kind }) => kind).slice(-6)).toEqual(expected);
    expect(events.filter(({ kind }) => kind.startsWith('token')).map((event) => event.subject_id)).toEqual([id, id]);
    expect(events.at(-6)?.actor_id).toBe(user.id);
  });
});

interface EventBody {
  id: string;
  kind: string;
  userId: string | null;
  createdAt: string;
}

describe('the list of security events', () => {
  const EVENTS = '/v1/admin/identity/security-events';
  const OWN = '/v1/admin/identity/me/security-events';

  it('the list of security events can be filtered by kind, user and period, newest first', async () => {
    const { user, client } = await hire(app, ['viewer']);
    const started = app.now().toISOString();
    app.travel({ ms: 1_000 });
    await app.post(SESSIONS, { email: user.email, password: 'a wrong password' });
    app.travel({ ms: 1_000 });
    await client.delete(`${SESSIONS}/current`);
    const listed = async (query: string) =>
      (await app.as('owner').get<{ data: EventBody[] }>(`${EVENTS}?userId=${user.id}${query}`)).body.data;
    const all = await listed('');
    expect(all.slice(0, 2).map(({ kind }) => kind)).toEqual(['session_ended', 'login_rejected']);
    expect(new Set(all.map(({ userId }) => userId))).toEqual(new Set([user.id]));
    expect((await listed('&kind=login_rejected')).map(({ kind }) => kind)).toEqual(['login_rejected']);
    expect(await listed(`&from=${started}`)).toHaveLength(2);
    expect(await listed(`&to=${started}`)).toEqual(all.slice(2));
    expect(JSON.stringify(all)).not.toContain(user.email);
    await forgetFailures(app);
  });

  it('the list of security events needs identity:read, except for the own ones', async () => {
    const [member, other] = [await hire(app, ['viewer']), await hire(app, ['viewer'])];
    expect((await member.client.get(EVENTS)).status).toBe(403);
    const { status, body } = await member.client.get<{ data: EventBody[] }>(OWN);
    expect(status).toBe(200);
    expect(body.data.map(({ userId }) => userId)).toContain(member.user.id);
    expect(body.data.map(({ userId }) => userId)).not.toContain(other.user.id);
    expect((await member.client.get(`${OWN}?userId=${other.user.id}`)).status).toBe(400);
    const byToken = await app.as('owner').get<{ code: string }>(OWN);
    expect([byToken.status, byToken.body.code]).toEqual([403, 'session_required']);
  });

  it('the list of security events covers 90 days: a job deletes older ones in batches', async () => {
    const own = await startApp();
    const { user } = await hire(own, ['viewer']);
    await own.sql(
      `insert into security_events (id, kind, user_id, created_at)
       select 'sevt_' || gen_random_uuid(), 'login', $1, $2::timestamptz - interval '89 days' from generate_series(1, 2500)`,
      [user.id, own.now()],
    );
    const count = async () => (await own.sql('select from security_events where user_id = $1', [user.id])).length;
    const before = await count();
    const purge = () => asSystem(() => own.nest.get(SecurityEventsService, { strict: false }).purge());
    await purge();
    expect(await count()).toBe(before);
    own.travel({ days: 2 });
    await purge();
    expect(await count()).toBe(before - 2_500);
  });
});
