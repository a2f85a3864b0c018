import { beforeAll, describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { PasswordsService } from '../../src/modules/identity/passwords/passwords.service.js';
import { asSystem } from '../../src/platform/context/request-context.js';
import { startApp, type TestApp } from '../setup/app.js';
import type { TestClient } from '../setup/client.js';
import {
  ACCEPTANCE,
  errorBody,
  hire,
  INVITATIONS,
  linkToken,
  login,
  makeToken,
  PASSWORD,
  uniqueEmail,
  type UserBody,
  USERS,
} from './staff.js';

let app: TestApp;
let owner: TestClient;
beforeAll(async () => {
  app = await startApp({ env: { JOBS: 'false' } });
  owner = app.as('owner');
});

interface InvitationBody {
  id: string;
  email: string;
  status: string;
  version: number;
  invitedBy: string | null;
  userId: string | null;
}

interface CodeBody {
  code: string;
  details?: { issues?: { path: string }[] };
}

const invitation = (more: object = {}) => ({ email: uniqueEmail(), name: 'Nina Novak', roles: ['viewer'], ...more });

async function invite(more: object = {}, by = owner): Promise<InvitationBody> {
  const { status, body, text } = await by.post<{ data: InvitationBody }>(INVITATIONS, invitation(more));
  if (status !== 201) throw new Error(`inviting answered ${status} ${text}`);
  return body.data;
}

const accept = (token: string, password = PASSWORD, by: TestApp = app) =>
  by.post<{ data: UserBody } & CodeBody>(ACCEPTANCE, { token, password });

function expectInvalidLink({ status, body, headers }: Awaited<ReturnType<typeof accept>>): void {
  const error = 'The link is invalid, was used already or has expired; request a new one';
  expect([status, body]).toEqual([422, errorBody(headers, 'link_invalid', { error, details: { field: 'token' } })]);
}

describe('an invitation', () => {
  it('an invitation is shown without its link, and its acceptance creates the user, who can log in', async () => {
    const roles = ['viewer', 'finance'];
    const { status, headers, body } = await owner.post<{ data: InvitationBody }>(INVITATIONS, invitation({ roles }));
    const { data } = body;
    const [inviter] = await app.sql<{ id: string }>('select id from users where email = $1', [
      app.credentials.staff.email,
    ]);
    expect([status, headers['location'], headers['etag']]).toEqual([201, `${INVITATIONS}/${data.id}`, '"1"']);
    expect(data).toEqual({
      id: expect.stringMatching(/^invt_/),
      email: data.email,
      name: 'Nina Novak',
      roles: ['finance', 'viewer'],
      status: 'pending',
      invitedBy: inviter?.id,
      userId: null,
      expiresAt: expect.any(String),
      version: 1,
      createdAt: expect.any(String),
      updatedAt: expect.any(String),
    });
    const accepted = await accept(await linkToken(app, data.id));
    expect(accepted.status).toBe(201);
    expect(accepted.headers['location']).toBe(`${USERS}/${accepted.body.data.id}`);
    expect(accepted.body.data).toMatchObject({ email: data.email, name: 'Nina Novak', roles: ['finance', 'viewer'] });
    await expect(login(app, data.email, PASSWORD)).resolves.toMatch(/^vss_/);
    const after = await owner.get<{ data: InvitationBody }>(`${INVITATIONS}/${data.id}`);
    expect(after.body.data).toMatchObject({ status: 'accepted', userId: accepted.body.data.id });
    const entries = await app.sql<{ action: string; actor_id: string }>(
      'select action, actor_id from action_ledger_entries where subject_id = any ($1) order by sequence',
      [[data.id, accepted.body.data.id]],
    );
    expect(
      entries
        .map(({ action }) => action)
        .slice(0, 3)
        .sort(),
    ).toEqual(['identity.invitation.accept', 'identity.invitation.create', 'identity.user.create']);
  });

  it('an invitation is rejected if a user has the address or an invitation to it is open, ignoring case', async () => {
    const { user } = await hire(app, ['viewer']);
    const taken = await owner.post<CodeBody>(INVITATIONS, invitation({ email: user.email.toUpperCase() }));
    expect([taken.status, taken.body.code]).toEqual([409, 'email_taken']);
    const email = uniqueEmail();
    const answers = await Promise.all(
      [email, email.toUpperCase()].map((text) => owner.post<CodeBody>(INVITATIONS, invitation({ email: text }))),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409]);
    expect(answers.find(({ status }) => status === 409)?.body.code).toBe('invitation_pending');
  });

  it('an invitation never has roles beyond the scopes of the caller: 403 with the excess scopes', async () => {
    const { token } = await makeToken(owner, ['identity:*', 'finance:*']);
    for (const roles of [['owner'], ['manager'], ['finance'], ['viewer', 'owner']]) {
      const { status, body } = await app.with(token).post<CodeBody>(INVITATIONS, invitation({ roles }));
      expect([roles, status, body.code]).toEqual([roles, 403, 'forbidden']);
    }
    const { client } = await hire(app, ['manager']);
    expect((await client.post(INVITATIONS, invitation())).status).toBe(403);
  });

  it('an invitation with higher roles is not sent again by a caller without their scopes: 403', async () => {
    const { id } = await invite({ roles: ['owner'] });
    const { token } = await makeToken(owner, ['identity:*']);
    const { status, body } = await app.with(token).post<CodeBody>(`${INVITATIONS}/${id}/resend`);
    expect([status, body.code]).toEqual([403, 'forbidden']);
  });

  it('an invitation is listed by its status, which includes expired', async () => {
    const own = await startApp({ env: { JOBS: 'false' } });
    const [pending, revoked] = [await invite(), await invite()];
    await owner.post(`${INVITATIONS}/${revoked.id}/revocation`);
    const idsOf = async (status: string) => {
      const { body } = await own
        .as('owner')
        .get<{ data: InvitationBody[] }>(`${INVITATIONS}?status=${status}&limit=200`);
      return body.data.map(({ id }) => id);
    };
    expect(await idsOf('pending')).toContain(pending.id);
    expect(await idsOf('revoked')).toContain(revoked.id);
    expect(await idsOf('pending,revoked')).toEqual(expect.arrayContaining([pending.id, revoked.id]));
    own.travel({ hours: 1 });
    expect(await idsOf('pending,revoked')).not.toContain(pending.id);
    expect(await idsOf('pending')).not.toContain(pending.id);
    expect(await idsOf('expired')).toContain(pending.id);
    own.travel({ hours: -1 });
  });
});

describe('the link of an invitation', () => {
  it('the link of an invitation works once, also in ten parallel requests', async () => {
    const { id, email } = await invite();
    const token = await linkToken(app, id);
    const answers = await Promise.all(Array.from({ length: 10 }, () => accept(token)));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array.from({ length: 9 }, () => 422)]);
    for (const answer of answers.filter(({ status }) => status === 422)) expectInvalidLink(answer);
    expect(await app.sql('select from users where email = $1', [email])).toHaveLength(1);
    expectInvalidLink(await accept(token, 'a second password for it'));
  });

  it('the link of an invitation ends when a newer one is sent, and only the newest works', async () => {
    const { id } = await invite();
    const old = await linkToken(app, id);
    const resent = await owner.post<{ data: InvitationBody }>(`${INVITATIONS}/${id}/resend`);
    expect([resent.status, resent.body.data.version]).toEqual([200, 2]);
    expectInvalidLink(await accept(old));
    expect((await accept(await linkToken(app, id))).status).toBe(201);
    const closed = await owner.post<CodeBody>(`${INVITATIONS}/${id}/resend`);
    expect([closed.status, closed.body.code]).toEqual([409, 'invitation_closed']);
  });

  it('one link of an invitation is open after ten parallel requests to send it again', async () => {
    const { id } = await invite();
    const answers = await Promise.all(Array.from({ length: 10 }, () => owner.post(`${INVITATIONS}/${id}/resend`)));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    const open = await app.sql('select from account_links where invitation_id = $1 and ended_at is null', [id]);
    expect(open).toHaveLength(1);
  });

  it('the link of an invitation ends when the invitation is revoked or its creation is reversed', async () => {
    const [revoked, reversed] = [await invite(), await invite()];
    const tokens = [await linkToken(app, revoked.id), await linkToken(app, reversed.id)];
    expect((await owner.post(`${INVITATIONS}/${revoked.id}/revocation`)).status).toBe(200);
    const [entry] = await app.sql<{ id: string }>('select id from action_ledger_entries where subject_id = $1', [
      reversed.id,
    ]);
    const reversal = await owner.post(`/v1/admin/action-ledger/entries/${entry?.id}/reversals`, {
      reason: 'A mistake',
    });
    expect(reversal.status).toBe(201);
    for (const token of tokens) expectInvalidLink(await accept(token));
    const again = await owner.post<CodeBody>(`${INVITATIONS}/${revoked.id}/revocation`);
    expect([again.status, again.body.code]).toEqual([409, 'invitation_closed']);
  });

  it('the link of an invitation is either accepted or revoked if both happen at once', async () => {
    for (let round = 0; round < 5; round += 1) {
      const { id, email } = await invite();
      const token = await linkToken(app, id);
      const [accepted, revoked] = await Promise.all([accept(token), owner.post(`${INVITATIONS}/${id}/revocation`)]);
      const users = await app.sql('select from users where email = $1', [email]);
      expect([
        [201, 409, 1],
        [422, 200, 0],
      ]).toContainEqual([accepted.status, revoked.status, users.length]);
    }
  });

  it('the link of an invitation ends after 60 minutes', async () => {
    const own = await startApp({ env: { JOBS: 'false' } });
    const { id } = await invite({}, own.as('owner'));
    const token = await linkToken(own, id);
    own.travel({ ms: 59 * 60_000 });
    expect((await accept(token, 'password1234', own)).body.code).toBe('password_too_common');
    own.travel({ ms: 60_000 });
    expectInvalidLink(await accept(token, PASSWORD, own));
    own.travel({ hours: -1 });
  });

  it('the link of an invitation cannot be forged, changed or used for a password reset', async () => {
    const { id } = await invite();
    const token = await linkToken(app, id);
    const [payload = '', mac = ''] = token.split('.');
    const other = Buffer.from(JSON.stringify(`alnk_${'0'.repeat(26)}`)).toString('base64url');
    const changed = `${payload}.${mac.startsWith('A') ? 'B' : 'A'}${mac.slice(1)}`;
    for (const forged of [payload, `${payload}.`, changed, `${other}.${mac}`, `${token}.`, randomUUID(), id]) {
      expectInvalidLink(await accept(forged));
    }
    const completion = '/v1/admin/identity/password-resets/completion';
    expect((await app.post<CodeBody>(completion, { token, password: PASSWORD })).body.code).toBe('link_invalid');
    expect((await accept(token)).status).toBe(201);
  });

  it('the link of an invitation ends with the permission of the person who sent it', async () => {
    const changes = [{ active: false }, { roles: ['manager'] }, { roles: ['viewer'] }];
    for (const change of changes) {
      const { client, user } = await hire(app, ['owner']);
      const { id, email } = await invite({ roles: ['owner'] }, client);
      const token = await linkToken(app, id);
      await owner.patch(`${USERS}/${user.id}`, change);
      expectInvalidLink(await accept(token));
      expect(await app.sql('select from users where email = $1', [email])).toEqual([]);
      // Another owner sends it again and vouches for it.
      await owner.post(`${INVITATIONS}/${id}/resend`);
      expect((await accept(await linkToken(app, id))).status).toBe(201);
    }
  });

  it('the links of invitations and resets end when their user is disabled, also if the user is enabled again', async () => {
    const { client, user } = await hire(app, ['owner']);
    const { id } = await invite({}, client);
    await asSystem(() => app.nest.get(PasswordsService, { strict: false }).sendResetLink({ userId: user.id }));
    const [invitation, reset] = [await linkToken(app, id), await linkToken(app, user.id)];
    for (const active of [false, true]) await owner.patch(`${USERS}/${user.id}`, { active });
    expectInvalidLink(await accept(invitation));
    const completion = '/v1/admin/identity/password-resets/completion';
    const { status, body } = await app.post<CodeBody>(completion, { token: reset, password: PASSWORD });
    expect([status, body.code]).toEqual([422, 'link_invalid']);
  });

  it('the link of an invitation remains usable after a password that is rejected', async () => {
    const { id, email } = await invite({ name: 'Nina Novakova' });
    const token = await linkToken(app, id);
    const rejected = async (password: string) => {
      const { status, body } = await accept(token, password);
      return [status, body.code];
    };
    expect(await rejected('password1234')).toEqual([422, 'password_too_common']);
    expect(await rejected('nina novakova')).toEqual([422, 'password_too_personal']);
    expect(await rejected(email)).toEqual([422, 'password_too_personal']);
    expect(await rejected(email.split('@')[0] ?? '')).toEqual([422, 'password_too_personal']);
    expect(await rejected('eleven char')).toEqual([400, 'invalid_request']);
    expect((await accept(token, 'twelve chars')).status).toBe(201);
  });
});
