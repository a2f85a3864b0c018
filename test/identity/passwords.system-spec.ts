import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { PasswordsService } from '../../src/modules/identity/passwords/passwords.service.js';
import { DeliveryJobs } from '../../src/modules/notifications/deliveries/deliveries.jobs.js';
import { asSystem } from '../../src/platform/context/request-context.js';
import { Provisioning } from '../../src/platform/provisioning/provisioning.js';
import { type MailServer, startMailServer } from '../notifications/mail-server.js';
import { startApp, type TestApp } from '../setup/app.js';
import { tablesWith } from '../setup/tables.js';
import {
  ACCEPTANCE,
  errorBody,
  forgetFailures,
  hire,
  INVITATIONS,
  linkToken,
  login,
  makeToken,
  ME,
  OWN_PASSWORD,
  PASSWORD,
  RESETS,
  TOKENS,
  uniqueEmail,
  USERS,
} from './staff.js';

const NEW_PASSWORD = 'an entirely new sentence';
const COMPLETION = `${RESETS}/completion`;
const PAGE = 'https://office.example.com/account';

let server: MailServer;
let app: TestApp;
beforeAll(async () => {
  server = await startMailServer();
  app = await startApp({
    env: {
      JOBS: 'false',
      LOG_LEVEL: 'trace',
      SMTP_URL: server.url,
      ACCOUNT_LINK_URL: PAGE,
      MAIL_FROM: 'office@example.com',
    },
  });
});
beforeEach(() => forgetFailures(app));

interface CodeBody {
  code: string;
  data: { endedSessions: number; revokedTokens: number };
}

const change = (by: { post: TestApp['post'] }, currentPassword: string, more: object = {}) =>
  by.post<CodeBody>(OWN_PASSWORD, { currentPassword, newPassword: NEW_PASSWORD, ...more });
const complete = (token: string, password = NEW_PASSWORD) => app.post<CodeBody>(COMPLETION, { token, password });

/** Runs the jobs that the requests have added, once. */
async function runResetJobs(by: TestApp = app): Promise<void> {
  const jobs = await by.sql<{ payload: unknown }>(
    `delete from graphile_worker._private_jobs j using graphile_worker._private_tasks t
     where t.id = j.task_id and t.identifier = 'identity.password-reset' returning j.payload`,
  );
  const passwords = by.nest.get(PasswordsService, { strict: false });
  for (const { payload } of jobs) await asSystem(() => passwords.sendResetLink(payload));
}

const sendMails = () => asSystem(() => app.nest.get(DeliveryJobs, { strict: false }).sendDue());
const mailsTo = (recipient: string) => server.mails.filter((mail) => mail.recipient === recipient);
const linkIn = (text: string | undefined) => /https:\/\/\S+/.exec(text ?? '')?.[0] ?? '';

/** The token of a new reset link of the user. */
async function resetToken(email: string, userId: string): Promise<string> {
  expect((await app.post(RESETS, { email })).status).toBe(202);
  await runResetJobs();
  return linkToken(app, userId);
}

const actionsOf = async (userId: string) =>
  (
    await app.sql<{ action: string }>(
      'select action from action_ledger_entries where subject_id = $1 order by sequence',
      [userId],
    )
  ).map(({ action }) => action);

describe('a change of the own password', () => {
  it('a change of the own password ends all other sessions, keeps the tokens, and informs the user by mail', async () => {
    const member = await hire(app, ['owner']);
    const other = await login(app, member.user.email, PASSWORD);
    const { token } = await makeToken(member.client, ['identity:read']);
    const { status, body } = await change(member.client, PASSWORD);
    expect([status, body.data]).toEqual([200, { endedSessions: 1, revokedTokens: 0 }]);
    const statuses = [member.session, other, token].map(async (one) => (await app.with(one).get(ME)).status);
    expect(await Promise.all(statuses)).toEqual([200, 401, 200]);
    await expect(login(app, member.user.email, PASSWORD)).rejects.toThrow('login answered 401');
    await expect(login(app, member.user.email, NEW_PASSWORD)).resolves.toMatch(/^vss_/);
    expect((await actionsOf(member.user.id)).at(-1)).toBe('identity.user.password_change');
    await sendMails();
    expect(mailsTo(member.user.email).at(-1)?.subject).toBe('Your password was changed');
  });

  it('a change of the own password with revokeTokens also ends the API tokens', async () => {
    const member = await hire(app, ['owner']);
    const { token } = await makeToken(member.client, ['identity:read']);
    const { body } = await change(member.client, PASSWORD, { revokeTokens: true });
    expect(body.data).toEqual({ endedSessions: 0, revokedTokens: 1 });
    expect((await app.with(token).get(ME)).status).toBe(401);
  });

  it('a change of the own account or password needs a session: 403 session_required for a stolen API token', async () => {
    const member = await hire(app, ['owner']);
    const { token } = await makeToken(member.client, ['*']);
    const answers = [await change(app.with(token), PASSWORD), await app.with(token).patch(ME, { name: 'Stolen' })];
    for (const { status, body, headers } of answers) {
      const error = 'Requires a session: log in and use its token';
      expect([status, body]).toEqual([403, errorBody(headers, 'session_required', { error })]);
    }
    await expect(login(app, member.user.email, PASSWORD)).resolves.toMatch(/^vss_/);
  });

  it('a change of the own password with wrong passwords is limited for the session: 429 after ten, and a login is not', async () => {
    const { client, user } = await hire(app, ['viewer']);
    for (let attempt = 0; attempt < 10; attempt += 1) {
      const { status, body } = await change(client, `a wrong guess ${attempt}`);
      expect([status, body.code]).toEqual([422, 'current_password_wrong']);
    }
    expect((await change(client, PASSWORD)).status).toBe(429);
    await expect(login(app, user.email, PASSWORD)).resolves.toMatch(/^vss_/);
    const events = await app.sql(
      `select from security_events where user_id = $1 and kind = 'password_change_rejected'`,
      [user.id],
    );
    expect(events).toHaveLength(10);
  });

  it.each([
    ['the present one', PASSWORD, 422, 'password_unchanged'],
    ['a common one', 'password1234', 422, 'password_too_common'],
    ['the own name', 'Test Member!', 422, 'password_too_personal'],
    ['a short one', 'eleven char', 400, 'invalid_request'],
    ['one of 257 characters', 'x'.repeat(257), 400, 'invalid_request'],
  ])('a change of the own password to %s is rejected', async (...[, newPassword, status, code]) => {
    const { client, user } = await hire(app, ['viewer']);
    const answer = await change(client, PASSWORD, { newPassword });
    expect([answer.status, answer.body.code]).toEqual([status, code]);
    await expect(login(app, user.email, PASSWORD)).resolves.toMatch(/^vss_/);
  });

  it('a password of 256 characters can be chosen and used', async () => {
    const { client, user } = await hire(app, ['viewer']);
    const newPassword = 'long sentence '.repeat(19).slice(0, 256);
    expect((await change(client, PASSWORD, { newPassword })).status).toBe(200);
    await expect(login(app, user.email, newPassword)).resolves.toMatch(/^vss_/);
  });

  it('of two changes of the own password with the same present one at once, one succeeds', async () => {
    const { client } = await hire(app, ['viewer']);
    const sentences = ['a first new sentence', 'a second new sentence'];
    const answers = await Promise.all(sentences.map((newPassword) => change(client, PASSWORD, { newPassword })));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 422]);
  });
});

describe('the own account', () => {
  it('the own account can be changed in name and language with any role, and in nothing else', async () => {
    const { client, user } = await hire(app, ['viewer']);
    const { status, body, headers } = await client.patch(ME, { name: 'New Name', language: 'pt-BR' });
    expect([status, headers['etag']]).toEqual([200, '"2"']);
    expect(body).toEqual({
      data: { ...user, name: 'New Name', language: 'pt-BR', version: 2, updatedAt: expect.any(String) },
    });
    for (const more of [{ roles: ['owner'] }, { active: true }, { email: uniqueEmail() }, { password: NEW_PASSWORD }]) {
      expect((await client.patch(ME, more)).status).toBe(400);
    }
    expect((await client.patch(`${USERS}/${user.id}`, { name: 'x' })).status).toBe(403);
  });
});

describe('a password that somebody else has set', () => {
  it('a password that somebody else has set must be changed before anything else', async () => {
    const row = { email: uniqueEmail(), name: 'Rosa', roles: ['owner'], password: 'given from outside' };
    await app.nest.get(Provisioning).apply({ users: [row] });
    const session = app.with(await login(app, row.email, row.password));
    for (const path of [USERS, '/v1/admin/bookings', TOKENS]) {
      const { status, body, headers } = await session.get(path);
      const error = 'Change the password first: POST /v1/admin/identity/me/password';
      expect([status, body]).toEqual([403, errorBody(headers, 'password_change_required', { error })]);
    }
    // Other persons who know the password cannot change the account, or add a second factor that a reset would keep.
    for (const attempt of [
      session.patch(ME, { name: 'x' }),
      session.post(`${ME}/second-factor`, { currentPassword: row.password }),
    ]) {
      expect((await attempt).body).toMatchObject({ code: 'password_change_required' });
    }
    expect((await session.get<{ data: { scopes: string[] } }>(ME)).body.data.scopes).toEqual([]);
    expect((await change(session, row.password, { newPassword: row.password })).body.code).toBe('password_unchanged');
    expect((await change(session, row.password)).status).toBe(200);
    expect((await session.get(USERS)).status).toBe(200);
    // Applying the file again does not bring back the password that others know.
    await app.nest.get(Provisioning).apply({ users: [row] });
    await expect(login(app, row.email, row.password)).rejects.toThrow('login answered 401');
  });
});

describe('a request for a password reset', () => {
  it('a request for a password reset has the same response for known, unknown and disabled accounts', async () => {
    const [known, disabled] = [await hire(app, ['viewer']), await hire(app, ['viewer'])];
    await app.as('owner').patch(`${USERS}/${disabled.user.id}`, { active: false });
    const answers = [];
    for (const email of [known.user.email, known.user.email.toUpperCase(), disabled.user.email, uniqueEmail()]) {
      answers.push(await app.post(RESETS, { email }));
    }
    const variable = new Set(['x-request-id', 'date', 'ratelimit', 'ratelimit-policy']);
    const comparable = answers.map(({ status, text, headers }) => ({
      status,
      text,
      headers: Object.entries(headers).filter(([name]) => !variable.has(name)),
    }));
    expect(comparable[0]).toMatchObject({ status: 202, text: '{"data":{"accepted":true}}' });
    for (const answer of comparable) expect(answer).toEqual(comparable[0]);
    await runResetJobs();
    const links = await app.sql<{ user_id: string }>(
      `select user_id from account_links where purpose = 'password_reset' and user_id = any ($1)`,
      [[known.user.id, disabled.user.id]],
    );
    expect([...new Set(links.map((link) => link.user_id))]).toEqual([known.user.id]);
  });

  it('a request for a password reset writes the same rows for known and unknown accounts, and no mail before the response', async () => {
    const { user } = await hire(app, ['viewer']);
    const counts = async () => {
      const [row] = await app.sql<Record<string, number>>(
        `select (select count(*) from graphile_worker._private_jobs)::int as jobs,
           (select count(*) from security_events)::int as events, (select count(*) from account_links)::int as links,
           (select count(*) from notification_messages)::int as messages,
           (select count(*) from action_ledger_entries)::int as entries`,
      );
      return row ?? {};
    };
    const written = async (email: string) => {
      const before = await counts();
      await app.post(RESETS, { email });
      const after = await counts();
      return Object.fromEntries(Object.keys(after).map((name) => [name, (after[name] ?? 0) - (before[name] ?? 0)]));
    };
    const expected = { jobs: 1, events: 1, links: 0, messages: 0, entries: 0 };
    expect(await written(user.email)).toEqual(expected);
    expect(await written(uniqueEmail())).toEqual(expected);
    expect(await tablesWith(app, [user.email])).not.toContain('graphile_worker._private_jobs');
    await runResetJobs();
  });

  it('requests for a password reset send at most three links per hour to an account, without saying so', async () => {
    const { user } = await hire(app, ['viewer']);
    for (let request = 0; request < 6; request += 1) {
      expect((await app.post(RESETS, { email: user.email })).status).toBe(202);
      await runResetJobs();
    }
    expect(await app.sql('select from account_links where user_id = $1', [user.id])).toHaveLength(3);
    // The newest link works, so an attacker who requests many links does not lock the owner out.
    expect((await complete(await linkToken(app, user.id))).status).toBe(200);
  });

  it('requests for a password reset from one address are limited: 429', async () => {
    const limited = await startApp({ env: { JOBS: 'false', RATE_LIMIT_FACTOR: '1' } });
    const answers = [];
    for (let request = 0; request < 7; request += 1) answers.push(await limited.post(RESETS, { email: uniqueEmail() }));
    expect(answers.map(({ status }) => status)).toEqual([202, 202, 202, 202, 202, 429, 429]);
  });
});

describe('a reset of the password', () => {
  it('a reset of the password ends all sessions and API tokens, opens no session, and informs the user by mail', async () => {
    const member = await hire(app, ['owner']);
    const { token: apiToken } = await makeToken(member.client, ['*']);
    const { status, body, headers } = await complete(await resetToken(member.user.email, member.user.id));
    expect([status, body]).toEqual([
      200,
      { data: { endedSessions: 1, revokedTokens: 1, deviceToken: expect.any(String) } },
    ]);
    expect(headers['set-cookie']).toBeUndefined();
    for (const credential of [member.session, apiToken]) {
      expect((await app.with(credential).get(ME)).status).toBe(401);
    }
    await expect(login(app, member.user.email, PASSWORD)).rejects.toThrow('login answered 401');
    await expect(login(app, member.user.email, NEW_PASSWORD)).resolves.toMatch(/^vss_/);
    expect((await actionsOf(member.user.id)).slice(-2)).toEqual([
      'identity.user.password_reset_request',
      'identity.user.password_reset',
    ]);
    await sendMails();
    expect(mailsTo(member.user.email).map(({ subject }) => subject)).toContain('Your password was changed');
  });

  it('the link of a reset works once, also in ten parallel requests', async () => {
    const { user } = await hire(app, ['viewer']);
    const token = await resetToken(user.email, user.id);
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, index) => complete(token, `a new sentence of number ${index}`)),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array.from({ length: 9 }, () => 422)]);
    const won = answers.findIndex(({ status }) => status === 200);
    await expect(login(app, user.email, `a new sentence of number ${won}`)).resolves.toMatch(/^vss_/);
  });

  it('of several links of a reset only the newest works, and none after the password was changed', async () => {
    const { user, client } = await hire(app, ['viewer']);
    const old = await resetToken(user.email, user.id);
    const newest = await resetToken(user.email, user.id);
    expect((await complete(old)).body.code).toBe('link_invalid');
    expect((await change(client, PASSWORD)).status).toBe(200);
    expect((await complete(newest, 'taken over with an old link')).body.code).toBe('link_invalid');
  });

  it('the link of a reset ends after 60 minutes, and with the account', async () => {
    const { user } = await hire(app, ['viewer']);
    const token = await resetToken(user.email, user.id);
    app.travel({ hours: 1 });
    expect((await complete(token)).body.code).toBe('link_invalid');
    app.travel({ hours: -1 });
    await app.as('owner').patch(`${USERS}/${user.id}`, { active: false });
    expect((await complete(token)).body.code).toBe('link_invalid');
  });

  it('the link of a reset cannot be used to accept an invitation', async () => {
    const { user } = await hire(app, ['viewer']);
    const token = await resetToken(user.email, user.id);
    expect((await app.post<CodeBody>(ACCEPTANCE, { token, password: PASSWORD })).body.code).toBe('link_invalid');
  });
});

describe('a mail with a one-time link', () => {
  it('a one-time link is in the mail only: in no table, no log line and no response', async () => {
    const email = uniqueEmail();
    const invited = await app.as('owner').post<{ data: { id: string } }>(INVITATIONS, {
      email,
      name: 'Nina {{link}}',
      roles: ['viewer'],
    });
    await sendMails();
    const [mail] = mailsTo(email);
    const link = linkIn(mail?.text);
    expect(link).toBe(`${PAGE}#invitation=${await linkToken(app, invited.body.data.id)}`);
    expect(mail?.text?.split(link)).toHaveLength(2);
    const { user } = await hire(app, ['viewer']);
    await app.post(RESETS, { email: user.email });
    await runResetJobs();
    await sendMails();
    const reset = linkIn(mailsTo(user.email).find(({ subject }) => subject === 'Set a new password')?.text);
    expect(reset).toBe(`${PAGE}#password-reset=${await linkToken(app, user.id)}`);

    const tokens = [link, reset].map((text) => text.slice(text.indexOf('=') + 1));
    const macs = tokens.map((token) => token.split('.')[1] ?? '');
    expect(macs.every((mac) => mac.length === 22)).toBe(true);
    expect(await tablesWith(app, [...tokens, ...macs])).toEqual([]);
    const messages = await app.as('owner').get('/v1/admin/notifications/messages?limit=200');
    for (const text of [invited.text, messages.text, app.logs.join('\n')]) {
      for (const mac of macs) expect(text).not.toContain(mac);
    }
    expect(messages.text).toContain('{{link}}');
    // Both links are valid.
    expect((await app.post(ACCEPTANCE, { token: tokens[0], password: PASSWORD })).status).toBe(201);
    expect((await complete(tokens[1] ?? '')).status).toBe(200);
  });

  it('a mail whose link has ended is not sent', async () => {
    const email = uniqueEmail();
    const { body } = await app.as('owner').post<{ data: { id: string } }>(INVITATIONS, {
      email,
      name: 'Nina',
      roles: ['viewer'],
    });
    await app.as('owner').post(`${INVITATIONS}/${body.data.id}/revocation`);
    await sendMails();
    expect(mailsTo(email)).toEqual([]);
    const [message] = await app.sql('select status from notification_messages where recipient = $1', [email]);
    expect(message).toEqual({ status: 'cancelled' });
  });

  it('a mail that the server rejects with a quotation of the link leaves no link in the stored error', async () => {
    const email = `quoting-${uniqueEmail()}`;
    await app.as('owner').post(INVITATIONS, { email, name: 'Nina', roles: ['viewer'] });
    await sendMails();
    const [message] = await app.sql<{ status: string; error: string }>(
      'select status, error from notification_messages where recipient = $1',
      [email],
    );
    expect(message).toMatchObject({ status: 'failed', error: expect.stringContaining('{{link}}') });
    expect(message?.error).not.toContain('#invitation');
  });

  it('without a mail server the log shows the link outside production', async () => {
    const own = await startApp({ env: { JOBS: 'false', LOG_LEVEL: 'info' } });
    const { body } = await own.as('owner').post<{ data: { id: string } }>(INVITATIONS, {
      email: uniqueEmail(),
      name: 'Nina',
      roles: ['viewer'],
    });
    await asSystem(() => own.nest.get(DeliveryJobs, { strict: false }).sendDue());
    const line = own.logs.find((text) => text.includes('#invitation='));
    expect(line).toContain(await linkToken(own, body.data.id));
  });
});
