import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { startApp, type TestApp } from '../setup/app.js';
import {
  forgetFailures,
  hire,
  login,
  ME,
  type Member,
  PASSWORD,
  errorBody,
  SESSIONS,
  unauthorizedBody,
  usedSince,
  USERS,
} from './staff.js';

let app: TestApp;
let member: Member;

beforeAll(async () => {
  app = await startApp({ env: { LOG_LEVEL: 'info' } });
  member = await hire(app, ['viewer']);
});
beforeEach(() => forgetFailures(app));

interface SessionBody {
  id: string;
  current: boolean;
  endedAt: string | null;
}
const sessionsOf = async ({ client }: Member) => (await client.get<{ data: SessionBody[] }>(SESSIONS)).body.data;
const DAY_MS = 24 * 60 * 60 * 1000;

describe('a login', () => {
  // Every test has failed logins from one address, whose limit cannot be configured.
  beforeEach(() => app.travel({ ms: 60_000 }));

  it('a login returns 201 with a token, its end and the user', async () => {
    const { status, body, headers } = await app.post<{ data: { token: string; expiresAt: string; user: object } }>(
      SESSIONS,
      { email: member.user.email.toUpperCase(), password: PASSWORD },
    );
    expect(status).toBe(201);
    expect(body.data.token).toMatch(/^vss_[0-9A-Za-z]{16}_[0-9A-Za-z]{49}$/);
    expect(body.data.user).toEqual(member.user);
    expect(Object.keys(body.data)).toEqual(['token', 'expiresAt', 'user', 'deviceToken']);
    const days = (Date.parse(body.data.expiresAt) - app.now().getTime()) / DAY_MS;
    expect(Math.round(days * 1000) / 1000).toBe(30);
    expect(headers['cache-control']).toBe('private, no-store');
    expect((await app.with(body.data.token).get(ME)).status).toBe(200);
  });

  it('a login accepts any characters in the password, and does not trim them', async () => {
    const answer = '  pass\u0001wörd 🦜 \t ';
    const { user } = await hire(app, ['viewer'], { password: answer });
    await expect(login(app, user.email, answer.trim())).rejects.toThrow('login answered 401');
    await expect(login(app, user.email, answer.normalize('NFD'))).resolves.toMatch(/^vss_/);
  });

  const disabled = async () => {
    const { user } = await hire(app, ['viewer']);
    await app.as('owner').patch(`${USERS}/${user.id}`, { active: false });
    return user.email;
  };
  it.each([
    ['an unknown address', async () => 'nobody@example.com', PASSWORD],
    ['a wrong password', async () => member.user.email, 'not the password'],
    ['an empty password', async () => member.user.email, ''],
    ['an empty address', async () => '', PASSWORD],
    ['an invalid address', async () => `' or 1=1 --`, PASSWORD],
    ['a disabled user', disabled, PASSWORD],
  ])('a login with %s is rejected with the same 401', async (_, email, password) => {
    const { status, body, headers } = await app.post(SESSIONS, { email: await email(), password });
    expect(status).toBe(401);
    expect(body).toEqual(errorBody(headers, 'unauthorized', { error: 'The e-mail address or the password is wrong' }));
    expect(headers['www-authenticate']).toBe('Bearer realm="staff"');
  });

  it('a login is recorded with the user, and a rejected one is logged without the password', async () => {
    const token = await login(app, member.user.email, PASSWORD);
    const [own] = (await sessionsOf({ ...member, client: app.with(token) })).filter(({ current }) => current);
    const entries = await app.sql(
      'select action, actor_type, actor_id from action_ledger_entries where subject_id = $1',
      [own?.id],
    );
    expect(entries).toEqual([{ action: 'identity.session.create', actor_type: 'user', actor_id: member.user.id }]);

    await app.post(SESSIONS, { email: member.user.email, password: 'planted-secret-4711' });
    expect(app.logs.some((line) => line.includes('login rejected') && line.includes(member.user.id))).toBe(true);
    expect(app.logs.join()).not.toContain('planted-secret-4711');
    expect(app.logs.join()).not.toContain(token);
  });

  it('a login without a password is rejected with 400', async () => {
    const { status, body, headers } = await app.post<{ details: { issues: { path: string; message: string }[] } }>(
      SESSIONS,
      { email: member.user.email },
    );
    expect(status).toBe(400);
    const { issues } = body.details;
    expect(new Set(issues.map(({ path }) => path))).toEqual(new Set(['password']));
    const fields = { password: issues.map(({ message }) => message) };
    expect(body).toEqual(
      errorBody(headers, 'invalid_request', { error: 'The request is invalid', details: { issues, fields } }),
    );
  });

  it('a login is rejected with 429 after ten failures of an account or an address, and successful logins do not count', async () => {
    const own = await startApp({ env: { RATE_LIMIT_FACTOR: '1' } });
    const { email } = (await hire(own, ['viewer'])).user;
    const attempt = (password: string) => own.post(SESSIONS, { email: email.toUpperCase(), password });
    for (let i = 0; i < 12; i += 1) expect((await attempt(PASSWORD)).status).toBe(201);
    const guesses = await Promise.all(Array.from({ length: 12 }, () => attempt('not the password')));
    expect(guesses.map(({ status }) => status).sort()).toEqual([
      401, 401, 401, 401, 401, 401, 401, 401, 401, 401, 429, 429,
    ]);

    const { status, body, headers } = await own.post<{ details: { retryAfterMs: number } }>(SESSIONS, {
      email: 'somebody.else@example.com',
      password: PASSWORD,
    });
    expect(status).toBe(429);
    const { retryAfterMs } = body.details;
    const error = 'Too many requests; wait before the next one';
    expect(body).toEqual(errorBody(headers, 'rate_limited', { error, details: { limit: 10, retryAfterMs } }));
    expect(headers['retry-after']).toBe(String(Math.ceil(retryAfterMs / 1000)));
    own.travel({ ms: retryAfterMs });
    expect((await attempt(PASSWORD)).status).toBe(201);
  });
});

describe('a session', () => {
  it('a session is listed only for its user, and marked if it is the current one', async () => {
    const own = await hire(app, ['viewer']);
    await login(app, own.user.email, PASSWORD);
    const sessions = await sessionsOf(own);
    expect(sessions).toHaveLength(2);
    expect(sessions.filter(({ current }) => current)).toHaveLength(1);
    const theirs = (await sessionsOf(member)).map(({ id }) => id);
    expect(theirs).not.toEqual(expect.arrayContaining([sessions[0]?.id]));
  });

  it('a session ends at once by logout', async () => {
    const { client } = await hire(app, ['viewer']);
    const { status, body } = await client.delete<{ data: SessionBody }>(`${SESSIONS}/current`);
    expect(status).toBe(200);
    expect(body.data.endedAt).not.toBeNull();
    const after = await client.get(ME);
    expect(after.status).toBe(401);
    expect(after.body).toEqual(unauthorizedBody(after.headers));
  });

  it('sessions are neither listed nor ended, and devices not forgotten, with an API token', async () => {
    const target = await hire(app, ['viewer']);
    const [session] = await sessionsOf(target);
    const owner = app.as('owner');
    const answers = [
      await owner.get<{ code: string }>(SESSIONS),
      await owner.get<{ code: string }>(`${SESSIONS}?userId=${target.user.id}`),
      await owner.delete<{ code: string }>(`${SESSIONS}/current`),
      await owner.delete<{ code: string }>(`${SESSIONS}/others`),
      await owner.delete<{ code: string }>(`${SESSIONS}/${session?.id}`),
    ];
    for (const { status, body } of answers) expect([status, body.code]).toEqual([403, 'session_required']);
    expect((await owner.get(ME)).status).toBe(200);
    expect((await target.client.get(ME)).status).toBe(200);
  });

  it('a session can be ended from another session of the user', async () => {
    const own = await hire(app, ['viewer']);
    const other = app.with(await login(app, own.user.email, PASSWORD));
    const [target] = (await sessionsOf({ ...own, client: other })).filter(({ current }) => !current);
    expect((await other.delete(`${SESSIONS}/${target?.id}`)).status).toBe(200);
    expect((await own.client.get(ME)).status).toBe(401);
    expect((await other.get(ME)).status).toBe(200);
    expect((await other.delete(`${SESSIONS}/${target?.id}`)).status).toBe(404);
  });

  it('a session of another user gets the same 404 as an unknown one', async () => {
    const [own] = await sessionsOf(await hire(app, ['viewer']));
    const foreign = await member.client.delete(`${SESSIONS}/${own?.id}`);
    const unknown = await member.client.delete(`${SESSIONS}/sess_01k0dem000e999999999999999`);
    const answer = await member.client.delete(`${SESSIONS}/1`);
    for (const { status, body, headers } of [foreign, unknown, answer]) {
      expect(status).toBe(404);
      expect(body).toEqual(errorBody(headers, 'not_found', { error: 'Not found' }));
    }
  });

  it('a session ends after twelve hours without use, and each use extends it', async () => {
    const own = await startApp();
    const { client } = await hire(own, ['viewer']);
    own.travel({ hours: 11 });
    const used = own.now();
    expect((await client.get(ME)).status).toBe(200);
    await usedSince(own, 'staff_sessions', used);
    own.travel({ hours: 11 });
    const usedAgain = own.now();
    expect((await client.get(ME)).status).toBe(200);
    await usedSince(own, 'staff_sessions', usedAgain);
    own.travel({ hours: 12 });
    expect((await client.get(ME)).status).toBe(401);
  });

  it('a session ends after thirty days even if it is used', async () => {
    const own = await startApp();
    const { client } = await hire(own, ['viewer']);
    await own.sql('update staff_sessions set last_used_at = $1', [new Date(Date.now() + 40 * DAY_MS)]);
    own.travel({ days: 29, hours: 23 });
    expect((await client.get(ME)).status).toBe(200);
    own.travel({ hours: 2 });
    expect((await client.get(ME)).status).toBe(401);
  });
});

describe('the sessions of a user', () => {
  it('the sessions of a user show the address and the user agent of the login', async () => {
    const { user } = await hire(app, ['viewer']);
    const call = { headers: { 'User-Agent': 'Desk/1.0' } };
    const opened = await app.post<{ data: { token: string } }>(
      SESSIONS,
      { email: user.email, password: PASSWORD },
      call,
    );
    const { body } = await app.with(opened.body.data.token).get<{ data: object[] }>(SESSIONS);
    expect(body.data[0]).toMatchObject({
      current: true,
      userAgent: 'Desk/1.0',
      address: expect.stringMatching(/127\.0\.0\.1$/),
      secondFactorAt: null,
    });
  });

  it('the other sessions of a user end together, and nobody else is affected', async () => {
    const own = await hire(app, ['viewer']);
    const others = [await login(app, own.user.email, PASSWORD), await login(app, own.user.email, PASSWORD)];
    const { status, body } = await own.client.delete(`${SESSIONS}/others`);
    expect([status, body]).toEqual([200, { data: { endedSessions: 2 } }]);
    for (const token of others) expect((await app.with(token).get(ME)).status).toBe(401);
    expect((await own.client.get(ME)).status).toBe(200);
    expect((await member.client.get(ME)).status).toBe(200);
  });

  it('the sessions of another user can be listed with identity:read and ended with identity:write', async () => {
    const target = await hire(app, ['viewer']);
    const path = `${SESSIONS}?userId=${target.user.id}`;
    expect((await member.client.get(path)).status).toBe(403);
    const manager = await hire(app, ['manager']);
    const listed = await manager.client.get<{ data: SessionBody[] }>(path);
    expect(listed.body.data.map(({ current }) => current)).toEqual([false]);
    const [session] = listed.body.data;
    expect((await manager.client.delete(`${SESSIONS}/${session?.id}`)).status).toBe(404);
    const owner = await hire(app, ['owner']);
    expect((await owner.client.delete(`${SESSIONS}/${session?.id}`)).status).toBe(200);
    expect((await target.client.get(ME)).status).toBe(401);
  });
});

describe('the current user', () => {
  it('the current user is returned with the type of the credential and its scopes', async () => {
    const { client, user } = await hire(app, ['sales']);
    const { status, body } = await client.get(ME);
    expect(status).toBe(200);
    const scopes = [
      ...['bookings:*', 'trips:*', 'customers:*', 'documents:*', 'notifications:write', 'finance:receivables'],
      ...['operations:read', 'distribution:read', 'octo:read', 'products:read', 'catalog:read', 'legal:read'],
      ...['desk:read', 'desk:write'],
    ];
    const organization = { timeZone: 'UTC', today: app.now().toISOString().slice(0, 10), currency: 'EUR' };
    expect(body).toEqual({ data: { user, credential: 'session', scopes, ...organization } });
  });

  it('the current user is returned for an API token as well', async () => {
    const { body } = await app.as('owner').get<{ data: { credential: string; scopes: string[] } }>(ME);
    expect(body.data).toMatchObject({ credential: 'api_token', scopes: ['*'] });
  });
});
