import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { PasswordsService } from '../../src/modules/identity/passwords/passwords.service.js';
import { asSystem } from '../../src/platform/context/request-context.js';
import { startApp, type TestApp } from '../setup/app.js';
import { challengeOf, continueLogin, hireProtected, nextCode, type OpenedBody, wrongCode } from './second-factor.js';
import {
  ACCEPTANCE,
  forgetFailures,
  hire,
  INVITATIONS,
  linkToken,
  type Member,
  OWN_PASSWORD,
  PASSWORD,
  RESETS,
  SESSIONS,
  uniqueEmail,
} from './staff.js';

const NEW_PASSWORD = 'another sentence of mine';

let app: TestApp;
beforeAll(async () => {
  app = await startApp();
});
beforeEach(() => forgetFailures(app));

const attempt = (email: string, password: string, deviceToken?: string) =>
  app.post<OpenedBody>(SESSIONS, { email, password, ...(deviceToken === undefined ? {} : { deviceToken }) });

/** A user with the token of a known device. */
async function hireWithDevice(): Promise<Member & { deviceToken: string }> {
  const member = await hire(app, ['viewer']);
  const { body } = await attempt(member.user.email, PASSWORD);
  return { ...member, deviceToken: body.data.deviceToken };
}

/** An attacker guesses until the limit of the account (and of this address) is exhausted. */
async function exhaust(email: string): Promise<void> {
  const guesses = await Promise.all(Array.from({ length: 12 }, () => attempt(email, 'a wrong guess')));
  expect(guesses.filter(({ status }) => status === 429)).not.toHaveLength(0);
  expect((await attempt(email, PASSWORD)).status).toBe(429);
}

describe('a device token', () => {
  it('a device token lets its user log in while an attacker exhausts the limit of the account', async () => {
    const { user, deviceToken } = await hireWithDevice();
    await exhaust(user.email);
    const { status, body } = await attempt(user.email, PASSWORD, deviceToken);
    expect(status).toBe(201);
    expect(body.data.deviceToken).toBe(deviceToken);
  });

  it('a device token lets its user begin a login with a code while an attacker exhausts the limit, which codes are not part of', async () => {
    const member = await hireProtected(app, ['viewer']);
    const { email } = member.user;
    const first = await continueLogin(app, {
      challengeId: await challengeOf(app, member),
      code: nextCode(app, member.secret),
    });
    const { deviceToken } = first.body.data;
    await exhaust(email);
    const { body } = await app.post<{ details: { challengeId: string } }>(SESSIONS, {
      email,
      password: PASSWORD,
      deviceToken,
    });
    await exhaust(email);
    const second = { challengeId: body.details.challengeId, code: nextCode(app, member.secret) };
    expect((await continueLogin(app, second)).status).toBe(201);
  });

  it('a device token comes with a fresh reset or invitation link, and lets its user log in while the account is limited', async () => {
    const member = await hire(app, ['viewer']);
    await exhaust(member.user.email);
    await asSystem(() => app.nest.get(PasswordsService, { strict: false }).sendResetLink({ userId: member.user.id }));
    const reset = await app.post<OpenedBody>(`${RESETS}/completion`, {
      token: await linkToken(app, member.user.id),
      password: NEW_PASSWORD,
    });
    expect((await attempt(member.user.email, NEW_PASSWORD)).status).toBe(429);
    expect((await attempt(member.user.email, NEW_PASSWORD, reset.body.data.deviceToken)).status).toBe(201);

    const email = uniqueEmail();
    const invitation = { email, name: 'New Colleague', roles: ['viewer'] };
    const invited = await app.as('owner').post<{ data: { id: string } }>(INVITATIONS, invitation);
    const link = await linkToken(app, invited.body.data.id);
    const accepted = await app.post<OpenedBody>(ACCEPTANCE, { token: link, password: PASSWORD });
    await exhaust(email);
    expect((await attempt(email, PASSWORD, accepted.body.data.deviceToken)).status).toBe(201);
  });

  it('a device token has a failure limit of its own, for passwords and codes', async () => {
    const { user, deviceToken } = await hireWithDevice();
    const guesses = await Promise.all(
      Array.from({ length: 12 }, () => attempt(user.email, 'a wrong guess', deviceToken)),
    );
    expect(guesses.map(({ status }) => status).sort()).toEqual([...Array<number>(10).fill(401), 429, 429]);
    // The limit of the account is untouched.
    expect((await attempt(user.email, PASSWORD)).status).toBe(201);

    const member = await hireProtected(app, ['viewer']);
    const opened = await continueLogin(app, {
      challengeId: await challengeOf(app, member),
      code: nextCode(app, member.secret),
    });
    const own = { deviceToken: opened.body.data.deviceToken, code: wrongCode(app, member.secret) };
    const challenges = [await challengeOf(app, member), await challengeOf(app, member), await challengeOf(app, member)];
    const codes = await Promise.all(
      challenges.flatMap((challengeId) => [1, 2, 3, 4].map(() => continueLogin(app, { ...own, challengeId }))),
    );
    expect(codes.map(({ status }) => status).sort()).toEqual([...Array<number>(10).fill(401), 429, 429]);
  });

  it('a device token replaces neither the password nor a code, and is no credential', async () => {
    const { user, deviceToken } = await hireWithDevice();
    expect((await attempt(user.email, 'a wrong guess', deviceToken)).status).toBe(401);
    expect((await app.with(deviceToken).get(SESSIONS)).status).toBe(401);
  });

  it('a device token of another user has no effect: the limit of the account applies, and a new token is issued', async () => {
    const [attacker, victim] = [await hireWithDevice(), await hireWithDevice()];
    const { email } = victim.user;
    const { body } = await attempt(email, PASSWORD, attacker.deviceToken);
    expect(body.data.deviceToken).not.toBe(attacker.deviceToken);
    await exhaust(email);
    expect((await attempt(email, PASSWORD, attacker.deviceToken)).status).toBe(429);
  });

  it.each(['', 'vsd_unknown', 'x'.repeat(200)])('the unknown device token %j is ignored', async (deviceToken) => {
    const { user } = await hire(app, ['viewer']);
    const { status, body } = await attempt(user.email, PASSWORD, deviceToken);
    expect(status).toBe(201);
    expect(body.data.deviceToken).toMatch(/^vsd_[0-9A-Za-z]{49}$/);
  });

  it('a device token is stored as a hash', async () => {
    const { deviceToken } = await hireWithDevice();
    expect(JSON.stringify(await app.sql('select * from device_tokens'))).not.toContain(deviceToken);
  });

  it('a device token ends 90 days after the last login with it', async () => {
    const { user, deviceToken } = await hireWithDevice();
    app.travel({ days: 89 });
    expect((await attempt(user.email, PASSWORD, deviceToken)).body.data.deviceToken).toBe(deviceToken);
    app.travel({ days: 89 });
    expect((await attempt(user.email, PASSWORD, deviceToken)).body.data.deviceToken).toBe(deviceToken);
    app.travel({ days: 90 });
    expect((await attempt(user.email, PASSWORD, deviceToken)).body.data.deviceToken).not.toBe(deviceToken);
  });

  it('a device token ends with a new password, except that of the session that set it', async () => {
    const { user, deviceToken } = await hireWithDevice();
    const opened = await attempt(user.email, PASSWORD);
    const own = opened.body.data.deviceToken;
    const newPassword = 'another sentence of mine';
    const client = app.with(opened.body.data.token);
    expect((await client.post(OWN_PASSWORD, { currentPassword: PASSWORD, newPassword })).status).toBe(200);
    expect((await attempt(user.email, newPassword, own)).body.data.deviceToken).toBe(own);
    expect((await attempt(user.email, newPassword, deviceToken)).body.data.deviceToken).not.toBe(deviceToken);
  });

  it('a device token ends when its session is ended from another one, and not by a logout', async () => {
    const { user } = await hire(app, ['viewer']);
    const [lost, kept] = [await attempt(user.email, PASSWORD), await attempt(user.email, PASSWORD)];
    const client = app.with(kept.body.data.token);
    const { body } = await app.with(lost.body.data.token).get<{ data: { id: string; current: boolean }[] }>(SESSIONS);
    const session = body.data.find(({ current }) => current);
    expect((await client.delete(`${SESSIONS}/${session?.id}`)).status).toBe(200);
    expect((await client.delete(`${SESSIONS}/current`)).status).toBe(200);
    const tokenAfter = async ({ deviceToken }: OpenedBody['data']) =>
      (await attempt(user.email, PASSWORD, deviceToken)).body.data.deviceToken;
    expect(await tokenAfter(lost.body.data)).not.toBe(lost.body.data.deviceToken);
    expect(await tokenAfter(kept.body.data)).toBe(kept.body.data.deviceToken);
  });

  it('a user has at most fifty known devices', async () => {
    const { user, deviceToken } = await hireWithDevice();
    await app.sql(
      `insert into device_tokens (id, user_id, token_hash, created_at, last_used_at, expires_at)
       select 'devc_' || gen_random_uuid(), $1, sha256(gen_random_uuid()::text::bytea), now, now, now + interval '90 days'
       from (select $2::timestamptz + interval '1 second' as now) as t, generate_series(1, 60)`,
      [user.id, app.now()],
    );
    app.travel({ ms: 5_000 });
    expect((await attempt(user.email, PASSWORD)).status).toBe(201);
    const [{ count } = { count: 0 }] = await app.sql<{ count: number }>(
      'select count(*)::int as count from device_tokens where user_id = $1',
      [user.id],
    );
    expect(count).toBe(50);
    expect((await attempt(user.email, PASSWORD, deviceToken)).body.data.deviceToken).not.toBe(deviceToken);
  });
});
