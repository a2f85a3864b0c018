import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { PasswordsService } from '../../src/modules/identity/passwords/passwords.service.js';
import { asSystem } from '../../src/platform/context/request-context.js';
import { startApp, type TestApp } from '../setup/app.js';
import { runCommand } from './command.js';
import {
  challengeOf,
  codeNow,
  continueLogin,
  hireProtected,
  nextCode,
  protect,
  SECOND_FACTOR,
  secretOf,
  wrongCode,
} from './second-factor.js';
import {
  errorBody,
  forgetFailures,
  hire,
  linkToken,
  login,
  makeToken,
  ME,
  type Member,
  OWN_PASSWORD,
  PASSWORD,
  RESETS,
  SESSIONS,
  USERS,
} from './staff.js';

let app: TestApp;
beforeAll(async () => {
  app = await startApp({ env: { LOG_LEVEL: 'info' } });
});
beforeEach(() => forgetFailures(app));

const setUp = ({ client, password }: Member) =>
  client.post<{ data: { otpauthUri: string } }>(SECOND_FACTOR, { currentPassword: password });

const statuses = (answers: { status: number }[]) => answers.map(({ status }) => status).sort();
const kindsOf = async (userId: string) =>
  (
    await app.sql<{ kind: string }>('select kind from security_events where user_id = $1 order by created_at, id', [
      userId,
    ])
  ).map(({ kind }) => kind);
const actionsOf = async (userId: string) =>
  (
    await app.sql<{ action: string }>(
      `select action from action_ledger_entries where subject_type = 'second_factor' and subject_id = $1 order by sequence`,
      [userId],
    )
  ).map(({ action }) => action);

describe('setting up a second factor', () => {
  it('setting up a second factor returns an otpauth URI with 160 bits, and logins need a code from the activation on', async () => {
    const member = await hire(app, ['viewer']);
    const { status, body } = await setUp(member);
    expect(status).toBe(201);
    const uri = new URL(body.data.otpauthUri);
    expect(uri.protocol).toBe('otpauth:');
    expect(uri.searchParams.get('algorithm')).toBe('SHA1');
    expect([uri.searchParams.get('digits'), uri.searchParams.get('period')]).toEqual(['6', '30']);
    expect(decodeURIComponent(uri.pathname)).toContain(member.user.email);
    expect(secretOf(uri.href)).toHaveLength(20);
    await expect(login(app, member.user.email, member.password)).resolves.toMatch(/^vss_/);

    const { recoveryCodes } = await protect(app, member);
    expect(new Set(recoveryCodes).size).toBe(10);
    await challengeOf(app, member);
    const own = await member.client.get(SECOND_FACTOR);
    expect(own.body).toMatchObject({ data: { active: true, recoveryCodesLeft: 10 } });
  });

  it('setting up a second factor stores neither the secret nor a recovery code in readable form', async () => {
    const { secret, recoveryCodes, user } = await hireProtected(app, ['viewer']);
    const [stored] = await app.sql<{ sealed_secret: Buffer }>('select * from second_factors where user_id = $1', [
      user.id,
    ]);
    expect(stored?.sealed_secret.includes(secret)).toBe(false);
    const dump = JSON.stringify([
      await app.sql('select * from recovery_codes where user_id = $1', [user.id]),
      await app.sql('select * from ledger_payloads'),
      await app.sql('select * from security_events where user_id = $1', [user.id]),
      app.logs,
    ]);
    for (const code of recoveryCodes) expect(dump).not.toContain(code);
    expect(dump).not.toContain(secret.toString('hex'));
    expect(dump).not.toContain('otpauth');
  });

  it('setting up a second factor replaces the secret until it is activated, and is rejected with 409 afterwards', async () => {
    const member = await hire(app, ['viewer']);
    const first = await setUp(member);
    const { client } = await protect(app, member);
    const old = codeNow(app, secretOf(first.body.data.otpauthUri));
    for (const path of [SECOND_FACTOR, `${SECOND_FACTOR}/activation`]) {
      const { status, body } = await client.post<{ code: string }>(
        path,
        path === SECOND_FACTOR ? { currentPassword: member.password } : { code: old },
      );
      expect([status, body.code]).toEqual([409, 'second_factor_active']);
    }
  });

  it('setting up a second factor ends the other sessions, which were opened without a code', async () => {
    const member = await hire(app, ['viewer']);
    const stolen = app.with(await login(app, member.user.email, member.password));
    await protect(app, member);
    expect((await stolen.get(ME)).status).toBe(401);
    expect((await member.client.get(ME)).status).toBe(200);
  });

  it('setting up a second factor needs a session: an API token is rejected with 403', async () => {
    const { client } = await hire(app, ['owner']);
    const { token } = await makeToken(client, ['identity:write']);
    const { status, body } = await app.with(token).post<{ code: string }>(SECOND_FACTOR, { currentPassword: PASSWORD });
    expect([status, body.code]).toEqual([403, 'session_required']);
  });

  it('setting up a second factor needs the current password, which a stolen session does not have', async () => {
    const { client, user } = await hire(app, ['viewer']);
    expect((await client.post(SECOND_FACTOR, {})).status).toBe(400);
    for (let guess = 0; guess < 10; guess += 1) {
      const { status, body } = await client.post<{ code: string }>(SECOND_FACTOR, {
        currentPassword: `guess ${guess}`,
      });
      expect([status, body.code]).toEqual([422, 'current_password_wrong']);
    }
    expect((await client.post(SECOND_FACTOR, { currentPassword: PASSWORD })).status).toBe(429);
    expect(await app.sql('select from second_factors where user_id = $1', [user.id])).toEqual([]);
    expect((await kindsOf(user.id)).filter((kind) => kind === 'second_factor_setup_rejected')).toHaveLength(10);
  });

  it('an activation with a wrong code is rejected with 422, and ten of them limit the session', async () => {
    const member = await hire(app, ['viewer']);
    const { client } = member;
    const setup = await setUp(member);
    const code = wrongCode(app, secretOf(setup.body.data.otpauthUri));
    const answers = await Promise.all(
      Array.from({ length: 12 }, () => client.post(`${SECOND_FACTOR}/activation`, { code })),
    );
    expect(statuses(answers)).toEqual([...Array<number>(10).fill(422), 429, 429]);
    expect(answers.find(({ status }) => status === 422)?.body).toMatchObject({ code: 'second_factor_code_wrong' });
  });

  it('an API token of a user with a second factor works without a code', async () => {
    const member = await hire(app, ['owner']);
    const { token } = await makeToken(member.client, ['identity:read']);
    await protect(app, member);
    expect((await app.with(token).get(USERS)).status).toBe(200);
  });
});

describe('a login with a second factor', () => {
  it('a login with a second factor opens a session only with the code', async () => {
    const member = await hireProtected(app, ['viewer']);
    const first = await app.post<{ details: { challengeId: string } }>(SESSIONS, {
      email: member.user.email,
      password: member.password,
    });
    expect(first.status).toBe(401);
    const { challengeId } = first.body.details;
    expect(first.body).toEqual(
      errorBody(first.headers, 'second_factor_required', {
        error: 'A second-factor code is required to complete the login',
        details: { challengeId },
      }),
    );
    const { status, body } = await continueLogin(app, { challengeId, code: nextCode(app, member.secret) });
    expect(status).toBe(201);
    expect((await app.with(body.data.token).get(ME)).status).toBe(200);
  });

  it('a challenge of a login is no credential, and is stored as a hash', async () => {
    const member = await hireProtected(app, ['viewer']);
    const challengeId = await challengeOf(app, member);
    expect((await app.with(challengeId).get(ME)).status).toBe(401);
    expect(JSON.stringify(await app.sql('select * from login_challenges'))).not.toContain(challengeId);
  });

  it.each([
    ['neither a code nor a recovery code', {}],
    ['both', { code: '123456', recoveryCode: 'x' }],
    ['a code of five digits', { code: '12345' }],
  ])('a login with %s is rejected with 400', async (_, proof) => {
    const { status } = await continueLogin(app, { challengeId: 'unknown', ...proof });
    expect(status).toBe(400);
  });

  it('a code is accepted one step before and after its own, and once only', async () => {
    const member = await hireProtected(app, ['viewer']);
    app.travel({ ms: 300_000 });
    const attempt = async (code: string) =>
      (await continueLogin(app, { challengeId: await challengeOf(app, member), code })).status;
    expect(await attempt(codeNow(app, member.secret, -2))).toBe(401);
    expect(await attempt(codeNow(app, member.secret, -1))).toBe(201);
    expect(await attempt(codeNow(app, member.secret, -1))).toBe(401);
    expect(await attempt(codeNow(app, member.secret, 2))).toBe(401);
    const ahead = codeNow(app, member.secret, 1);
    expect(await attempt(ahead)).toBe(201);
    expect(await attempt(ahead)).toBe(401);
    // Its own step is earlier than the one that was used.
    expect(await attempt(codeNow(app, member.secret))).toBe(401);
  });

  it('a code that is sent several times in parallel opens one session', async () => {
    const member = await hireProtected(app, ['viewer']);
    const challenges = await Promise.all(Array.from({ length: 4 }, () => challengeOf(app, member)));
    const code = nextCode(app, member.secret);
    const answers = await Promise.all(challenges.map((challengeId) => continueLogin(app, { challengeId, code })));
    expect(statuses(answers)).toEqual([201, 401, 401, 401]);
  });

  it('a challenge that is continued in parallel with several right proofs opens one session', async () => {
    const member = await hireProtected(app, ['viewer']);
    const challengeId = await challengeOf(app, member);
    const proofs = [
      { code: nextCode(app, member.secret) },
      ...member.recoveryCodes.slice(0, 3).map((recoveryCode) => ({ recoveryCode })),
    ];
    const answers = await Promise.all(proofs.map((proof) => continueLogin(app, { challengeId, ...proof })));
    expect(statuses(answers)).toEqual([201, 401, 401, 401]);
  });

  it('a recovery code is accepted in any spelling, once, also in parallel', async () => {
    const member = await hireProtected(app, ['viewer']);
    const [recoveryCode = ''] = member.recoveryCodes;
    const spelled = recoveryCode.toUpperCase().replaceAll('-', ' ').replaceAll('0', 'O').replaceAll('1', 'L');
    const challenges = await Promise.all(Array.from({ length: 4 }, () => challengeOf(app, member)));
    const answers = await Promise.all(
      challenges.map((challengeId) => continueLogin(app, { challengeId, recoveryCode: spelled })),
    );
    expect(statuses(answers)).toEqual([201, 401, 401, 401]);
    const own = await member.client.get<{ data: { recoveryCodesLeft: number } }>(SECOND_FACTOR);
    expect(own.body.data.recoveryCodesLeft).toBe(9);
    expect(await kindsOf(member.user.id)).toContain('recovery_code_used');
  });

  it('a challenge has five tries, also in parallel, and the right code comes too late then', async () => {
    const member = await hireProtected(app, ['viewer']);
    const challengeId = await challengeOf(app, member);
    const code = wrongCode(app, member.secret);
    const guesses = await Promise.all(Array.from({ length: 5 }, () => continueLogin(app, { challengeId, code })));
    expect(statuses(guesses)).toEqual([401, 401, 401, 401, 401]);
    const late = await continueLogin(app, { challengeId, code: nextCode(app, member.secret) });
    expect(late.status).toBe(401);
    expect(late.body).toEqual(
      errorBody(late.headers, 'unauthorized', { error: 'The code is wrong, or the login must be started again' }),
    );
    const unknown = await continueLogin(app, { challengeId: 'x'.repeat(49), code });
    expect({ ...unknown.body, requestId: '' }).toEqual({ ...late.body, requestId: '' });
  });

  it('a challenge ends after five minutes', async () => {
    const member = await hireProtected(app, ['viewer']);
    const challengeId = await challengeOf(app, member);
    app.travel({ ms: 5 * 60_000 });
    expect((await continueLogin(app, { challengeId, code: codeNow(app, member.secret) })).status).toBe(401);
  });

  it('a password reset keeps the second factor: a login with the new password needs a code', async () => {
    const member = await hireProtected(app, ['viewer']);
    await asSystem(() => app.nest.get(PasswordsService, { strict: false }).sendResetLink({ userId: member.user.id }));
    const body = { token: await linkToken(app, member.user.id), password: 'a new and longer sentence' };
    expect((await app.post(`${RESETS}/completion`, body)).status).toBe(200);
    const challengeId = await challengeOf(app, { ...member, password: body.password });
    expect((await continueLogin(app, { challengeId, code: nextCode(app, member.secret) })).status).toBe(201);
  });

  it('a challenge ends with a new password and with the disabling of the user', async () => {
    const member = await hireProtected(app, ['viewer']);
    const challenges = [await challengeOf(app, member)];
    const body = { currentPassword: member.password, newPassword: 'a new and longer sentence' };
    expect((await member.client.post(OWN_PASSWORD, body)).status).toBe(200);
    challenges.push(await challengeOf(app, { ...member, password: body.newPassword }));
    await app.as('owner').patch(`${USERS}/${member.user.id}`, { active: false });
    for (const challengeId of challenges) {
      expect((await continueLogin(app, { challengeId, code: nextCode(app, member.secret) })).status).toBe(401);
    }
  });

  it('the right password alone counts as no failure', async () => {
    const member = await hireProtected(app, ['viewer']);
    for (let i = 0; i < 12; i += 1) await challengeOf(app, member);
  });

  it('a copied secret opens no login of another user', async () => {
    const [member, other] = [await hireProtected(app, ['viewer']), await hireProtected(app, ['viewer'])];
    await app.sql(
      `update second_factors set sealed_secret = (select sealed_secret from second_factors where user_id = $2)
       where user_id = $1`,
      [other.user.id, member.user.id],
    );
    const challengeId = await challengeOf(app, other);
    const { status } = await continueLogin(app, { challengeId, code: nextCode(app, member.secret) });
    expect(status).toBe(500);
  });
});

describe('removing a second factor', () => {
  it('removing a second factor needs a fresh code, and logins need none afterwards', async () => {
    const member = await hireProtected(app, ['viewer']);
    const removal = (body: object) => member.client.post<{ code: string }>(`${SECOND_FACTOR}/removal`, body);
    const used = await removal({ code: codeNow(app, member.secret) });
    expect([used.status, used.body.code]).toEqual([422, 'second_factor_code_wrong']);
    expect((await removal({})).status).toBe(400);
    const { status, body } = await removal({ code: nextCode(app, member.secret) });
    expect([status, body]).toEqual([200, { data: { active: false, activatedAt: null, recoveryCodesLeft: 0 } }]);
    await expect(login(app, member.user.email, member.password)).resolves.toMatch(/^vss_/);
    const again = await removal({ code: nextCode(app, member.secret) });
    expect([again.status, again.body.code]).toEqual([409, 'second_factor_inactive']);
    expect(await actionsOf(member.user.id)).toEqual([
      'identity.second_factor.create',
      'identity.second_factor.activate',
      'identity.second_factor.remove',
    ]);
    expect(await kindsOf(member.user.id)).toEqual(
      expect.arrayContaining(['second_factor_activated', 'second_factor_rejected', 'second_factor_removed']),
    );
  });

  it('removing a second factor of a colleague is open to an owner, ends the sessions and informs by mail', async () => {
    const member = await hireProtected(app, ['viewer']);
    const path = `${USERS}/${member.user.id}/second-factor`;
    const viewer = await hire(app, ['viewer']);
    expect((await viewer.client.delete(path)).status).toBe(403);
    expect((await app.as('owner').delete(path)).status).toBe(200);
    expect((await member.client.get(ME)).status).toBe(401);
    await expect(login(app, member.user.email, member.password)).resolves.toMatch(/^vss_/);
    expect((await app.as('owner').delete(path)).status).toBe(404);
    const mails = await app.sql<{ subject: string }>(
      `select subject from notification_messages where kind = 'account' and recipient = $1 order by created_at`,
      [member.user.email],
    );
    expect(mails.map(({ subject }) => subject)).toEqual(
      expect.arrayContaining(['Your second factor is active', 'Your second factor was removed']),
    );
  });

  it('removing the own second factor without a code is rejected, with a session and with an API token', async () => {
    const member = await hire(app, ['owner']);
    const { token } = await makeToken(member.client, ['*']);
    await protect(app, member);
    for (const client of [member.client, app.with(token)]) {
      const { status, body } = await client.delete<{ code: string }>(`${USERS}/${member.user.id}/second-factor`);
      expect([status, body.code]).toEqual([409, 'own_second_factor']);
    }
  });

  it('the command that removes a second factor works for a sole owner, ends the sessions and is recorded', async () => {
    const member = await hireProtected(app, ['owner']);
    const { code, output } = await runCommand(['users', 'remove-second-factor', member.user.email.toUpperCase()]);
    expect([code, output]).toEqual([0, 'Removed the second factor and ended all sessions of the user\n']);
    expect((await member.client.get(ME)).status).toBe(401);
    await expect(login(app, member.user.email, member.password)).resolves.toMatch(/^vss_/);
    expect((await actionsOf(member.user.id)).at(-1)).toBe('identity.second_factor.remove');
    expect(await kindsOf(member.user.id)).toContain('second_factor_removed');

    const again = await runCommand(['users', 'remove-second-factor', member.user.email]);
    expect([again.code, again.output]).toEqual([65, 'No active user with a second factor has this address\n']);
    expect((await runCommand(['users', 'remove-second-factor'])).code).toBe(64);
  });

  it('removing the second factor of an owner is rejected for a token with fewer scopes', async () => {
    const { client } = await hire(app, ['owner']);
    const { token } = await makeToken(client, ['identity:write']);
    const owner = await hireProtected(app, ['owner']);
    expect((await app.with(token).delete(`${USERS}/${owner.user.id}/second-factor`)).status).toBe(403);
  });
});

it('replaced recovery codes are invalid, and the new ones work', async () => {
  const member = await hireProtected(app, ['viewer']);
  const { status, body } = await member.client.post<{ data: { recoveryCodes: string[] } }>(
    `${SECOND_FACTOR}/recovery-codes`,
    { code: nextCode(app, member.secret) },
  );
  expect(status).toBe(200);
  const challengeId = await challengeOf(app, member);
  const [old, recoveryCode] = [member.recoveryCodes[0], body.data.recoveryCodes[0]];
  expect((await continueLogin(app, { challengeId, recoveryCode: old })).status).toBe(401);
  expect((await continueLogin(app, { challengeId, recoveryCode })).status).toBe(201);
});
