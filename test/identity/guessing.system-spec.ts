import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { startApp, type TestApp } from '../setup/app.js';
import {
  challengeOf,
  continueLogin,
  hireProtected,
  nextCode,
  type ProtectedMember,
  REAUTHENTICATION,
  SECOND_FACTOR,
  wrongCode,
} from './second-factor.js';
import { forgetFailures, hire, OWN_PASSWORD, PASSWORD, SESSIONS, USERS } from './staff.js';

let app: TestApp;
beforeAll(async () => {
  app = await startApp();
});
beforeEach(() => forgetFailures(app));

/** The second step of a login with a right code. */
async function secondStep(member: ProtectedMember): Promise<{ challengeId: string; code: string }> {
  return { challengeId: await challengeOf(app, member), code: nextCode(app, member.secret) };
}

/** Sends twelve parallel logins with the right password and a wrong code. */
async function guessTwelveTimes(member: ProtectedMember): Promise<{ status: number }[]> {
  const code = wrongCode(app, member.secret);
  const challenges = [await challengeOf(app, member), await challengeOf(app, member), await challengeOf(app, member)];
  return Promise.all(
    challenges.flatMap((challengeId) => [1, 2, 3, 4].map(() => continueLogin(app, { challengeId, code }))),
  );
}

const statuses = (answers: { status: number }[]) => answers.map(({ status }) => status).sort();
const kindsOf = async (userId: string) =>
  (
    await app.sql<{ kind: string }>('select kind from security_events where user_id = $1 order by created_at, id', [
      userId,
    ])
  ).map(({ kind }) => kind);

describe('an attacker who knows the address of a user', () => {
  it('a change of the own password is open to its user while an attacker who knows the address exhausts the account', async () => {
    const { client, user } = await hire(app, ['viewer']);
    const guess = () => app.post(SESSIONS, { email: user.email, password: 'a wrong guess' });
    const guesses = await Promise.all(Array.from({ length: 12 }, guess));
    expect(guesses.map(({ status }) => status)).toContain(429);
    expect(
      (await client.post(OWN_PASSWORD, { currentPassword: PASSWORD, newPassword: 'a new and longer sentence' })).status,
    ).toBe(200);
  });

  it('an attacker who knows the address of a user does not stop proofs of the second factor in a session', async () => {
    const member = await hireProtected(app, ['viewer']);
    const guess = () => app.post(SESSIONS, { email: member.user.email, password: 'a wrong guess' });
    const guesses = await Promise.all(Array.from({ length: 12 }, guess));
    expect(guesses.map(({ status }) => status)).toContain(429);
    const { client, secret } = member;
    expect((await client.post(REAUTHENTICATION, { code: nextCode(app, secret) })).status).toBe(200);
    const removal = await client.post(`${SECOND_FACTOR}/removal`, { code: nextCode(app, secret) });
    expect(removal.status).toBe(200);
  });
});

describe('an attacker who knows the password of a user', () => {
  it('ten wrong codes in a row stop codes for an hour, over all challenges and in parallel, and leave recovery codes', async () => {
    const member = await hireProtected(app, ['viewer']);
    const known = (await continueLogin(app, await secondStep(member))).body.data.deviceToken;
    expect(statuses(await guessTwelveTimes(member))).toEqual([...Array<number>(10).fill(401), 429, 429]);
    expect((await kindsOf(member.user.id)).filter((kind) => kind === 'second_factor_rejected')).toHaveLength(10);

    // The limits of addresses and accounts end within a minute, so they no longer apply here.
    await forgetFailures(app);
    const { status, body, headers } = await continueLogin(app, await secondStep(member));
    expect([status, body]).toMatchObject([429, { code: 'rate_limited' }]);
    expect(Number(headers['retry-after'])).toBeGreaterThan(3_000);
    expect((await continueLogin(app, { ...(await secondStep(member)), deviceToken: known })).status).toBe(201);
    const [recoveryCode] = member.recoveryCodes;
    const challengeId = await challengeOf(app, member);
    expect((await continueLogin(app, { challengeId, recoveryCode })).status).toBe(201);

    app.travel({ hours: 1 });
    expect((await continueLogin(app, await secondStep(member))).status).toBe(201);
  });

  it('wrong codes leave a recovery code that is sent from the same address within the same minute', async () => {
    const member = await hireProtected(app, ['viewer']);
    await guessTwelveTimes(member);
    const challengeId = await challengeOf(app, member);
    const { status } = await continueLogin(app, { challengeId, recoveryCode: member.recoveryCodes[0] });
    expect(status).toBe(201);
  });

  it('a mail follows the fifth wrong code in a row, and after the tenth a new password is required', async () => {
    const member = await hireProtected(app, ['owner']);
    const guess = async (times: number) => {
      for (let sent = 0; sent < times; sent += 1) {
        const challengeId = await challengeOf(app, member);
        const code = wrongCode(app, member.secret);
        expect((await continueLogin(app, { challengeId, code })).status).toBe(401);
        await forgetFailures(app);
      }
    };
    const mails = async () =>
      app.sql(`select from notification_messages where recipient = $1 and subject = 'Wrong codes for your account'`, [
        member.user.email,
      ]);
    await guess(4);
    // A right code ends the row.
    expect((await continueLogin(app, await secondStep(member))).status).toBe(201);
    await guess(4);
    expect(await mails()).toHaveLength(0);
    await guess(1);
    expect(await mails()).toHaveLength(1);
    expect((await member.client.get(USERS)).status).toBe(200);
    await guess(5);
    expect(await mails()).toHaveLength(1);
    const stopped = await member.client.get<{ code: string }>(USERS);
    expect([stopped.status, stopped.body.code]).toEqual([403, 'password_change_required']);
    expect(await kindsOf(member.user.id)).toEqual(
      expect.arrayContaining(['second_factor_stopped', 'password_change_required']),
    );
    const entries = await app.sql<{ action: string }>(
      `select action from action_ledger_entries where subject_type = 'user' and subject_id = $1 order by sequence`,
      [member.user.id],
    );
    expect(entries.at(-1)).toEqual({ action: 'identity.user.require_password_change' });

    const body = { currentPassword: member.password, newPassword: 'a new and longer sentence' };
    expect((await member.client.post(OWN_PASSWORD, body)).status).toBe(200);
    expect((await member.client.get(USERS)).status).toBe(200);
  });

  it('wrong codes of a session count in the same row, and stop neither other sessions nor recovery codes', async () => {
    const [thief, member] = [await hireProtected(app, ['viewer']), await hireProtected(app, ['viewer'])];
    const codes = `${SECOND_FACTOR}/recovery-codes`;
    const code = wrongCode(app, member.secret);
    const guesses = await Promise.all(Array.from({ length: 9 }, () => member.client.post(codes, { code })));
    expect(statuses(guesses)).toEqual(Array<number>(9).fill(422));
    expect((await continueLogin(app, { challengeId: await challengeOf(app, member), code })).status).toBe(401);
    await forgetFailures(app);
    expect((await continueLogin(app, await secondStep(member))).status).toBe(429);
    expect((await thief.client.post(codes, { code: nextCode(app, thief.secret) })).status).toBe(200);
  });
});
