import { beforeAll, describe, expect, it } from '@jest/globals';
import { Provisioning } from '../../src/platform/provisioning/provisioning.js';
import { startApp, type TestApp } from '../setup/app.js';
import type { TestClient } from '../setup/client.js';
import { hire, INVITATIONS, makeToken, ME, errorBody, uniqueEmail, type UserBody, USERS } from './staff.js';

let app: TestApp;
let owner: TestClient;

beforeAll(async () => {
  app = await startApp();
  owner = app.as('owner');
});

describe('a caller without the scopes of a role', () => {
  it('a caller without the scopes of a role can neither invite an owner nor change one: 403 with the excess scopes', async () => {
    const { token } = await makeToken(owner, ['identity:*']);
    const clerk = app.with(token);
    const { user } = await hire(app, ['owner']);
    const answers = [
      await clerk.post(INVITATIONS, { email: uniqueEmail(), name: 'Nina', roles: ['owner'] }),
      await clerk.patch(`${USERS}/${user.id}`, { active: false }),
      await clerk.patch(`${USERS}/${user.id}`, { roles: ['viewer'] }),
    ];
    for (const { status, body, headers } of answers) {
      expect(status).toBe(403);
      const details = { excessScopes: expect.arrayContaining(['*']) };
      const error = 'The roles or scopes exceed the scopes of the caller';
      expect(body).toEqual(errorBody(headers, 'forbidden', { error, details }));
    }
  });

  it('a caller without the scopes of a role cannot change the name of a user with that role', async () => {
    const { token } = await makeToken(owner, ['identity:*']);
    const { user } = await hire(app, ['sales']);
    const { status, body, headers } = await app.with(token).patch(`${USERS}/${user.id}`, { name: 'Other' });
    expect(status).toBe(403);
    const excessScopes = [
      ...['bookings:*', 'trips:*', 'customers:*', 'documents:*', 'notifications:write', 'finance:receivables'],
      ...['operations:read', 'distribution:read', 'octo:read', 'products:read', 'catalog:read', 'legal:read'],
      ...['desk:read', 'desk:write'],
    ];
    const error = 'The roles or scopes exceed the scopes of the caller';
    expect(body).toEqual(errorBody(headers, 'forbidden', { error, details: { excessScopes } }));
  });
});

describe('the last owner', () => {
  /** Demotes every owner in the database of this worker except these. */
  const onlyOwners = (ids: string[]) =>
    app.sql(`update users set roles = '{viewer}' where 'owner' = any (roles) and id <> all ($1)`, [ids]);

  it('the last owner cannot be demoted or disabled: 409 last_owner', async () => {
    const last = await hire(app, ['owner']);
    await onlyOwners([last.user.id]);
    for (const change of [{ roles: ['viewer'] }, { active: false }]) {
      const { status, body, headers } = await last.client.patch(`${USERS}/${last.user.id}`, change);
      expect(status).toBe(409);
      expect(body).toEqual(
        errorBody(headers, 'last_owner', { error: 'The last active owner cannot be disabled or lose the role' }),
      );
    }
    await app.sql(`update users set roles = '{owner}' where email = $1`, [app.credentials.staff.email]);
  });

  it('the last owner remains if two owners demote each other concurrently', async () => {
    for (let round = 0; round < 5; round += 1) {
      const [one, two] = [await hire(app, ['owner']), await hire(app, ['owner'])];
      await onlyOwners([one.user.id, two.user.id]);
      const answers = await Promise.all([
        one.client.patch(`${USERS}/${two.user.id}`, { roles: ['viewer'] }),
        two.client.patch(`${USERS}/${one.user.id}`, { roles: ['viewer'] }),
      ]);
      const owners = await app.sql(`select id from users where active and 'owner' = any (roles)`);
      await app.sql(`update users set roles = '{owner}' where email = $1`, [app.credentials.staff.email]);
      expect(owners).toHaveLength(1);
      expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    }
  });

  it('the last owner remains if a role change of one owner and its reversal compete with the demotion of the other', async () => {
    for (let round = 0; round < 5; round += 1) {
      const [one, two] = [await hire(app, ['viewer']), await hire(app, ['owner'])];
      await owner.patch(`${USERS}/${one.user.id}`, { roles: ['owner'] });
      const [entry] = await app.sql<{ id: string }>(
        `select id from action_ledger_entries where subject_id = $1 and action = 'identity.user.update'`,
        [one.user.id],
      );
      await onlyOwners([one.user.id, two.user.id]);
      const [reversed, demoted] = await Promise.all([
        // Makes the first one a viewer again.
        two.client.post<{ code: string }>(`/v1/admin/action-ledger/entries/${entry?.id}/reversals`, {
          reason: 'Wrong',
        }),
        one.client.patch(`${USERS}/${two.user.id}`, { roles: ['viewer'] }),
      ]);
      const owners = await app.sql(`select id from users where active and 'owner' = any (roles)`);
      await app.sql(`update users set roles = '{owner}' where email = $1`, [app.credentials.staff.email]);
      expect(owners).toHaveLength(1);
      expect([reversed.status === 201, demoted.status === 200].filter(Boolean)).toHaveLength(1);
    }
  });

  it('the last owner can neither be disabled nor demoted by the reversal of a change', async () => {
    const last = await hire(app, ['viewer']);
    await owner.patch(`${USERS}/${last.user.id}`, { roles: ['owner'] });
    const [entry] = await app.sql<{ id: string }>(
      `select id from action_ledger_entries where subject_id = $1 and action = 'identity.user.update'`,
      [last.user.id],
    );
    await onlyOwners([last.user.id]);
    const path = `/v1/admin/action-ledger/entries/${entry?.id}/reversals`;
    const { status, body } = await last.client.post<{ details: { reason: string } }>(path, { reason: 'Wrong' });
    await app.sql(`update users set roles = '{owner}' where email = $1`, [app.credentials.staff.email]);
    expect([status, body.details.reason]).toEqual([409, 'last_owner']);
  });

  it('the last owner keeps access by provisioning: a file that disables or demotes the last owner is rejected', async () => {
    const last = await hire(app, ['owner']);
    await onlyOwners([last.user.id]);
    const row = { email: last.user.email, name: 'Test Member', roles: ['owner'] };
    for (const change of [{ active: false }, { roles: ['manager'] }]) {
      const applied = app.nest.get(Provisioning).apply({ users: [{ ...row, ...change }] });
      await expect(applied).rejects.toThrow('The last active owner cannot be disabled or lose the role');
    }
    await app.sql(`update users set roles = '{owner}' where email = $1`, [app.credentials.staff.email]);
    expect((await last.client.get(USERS)).status).toBe(200);
  });
});

describe('a change of roles', () => {
  it('a change of roles can be reversed, by a caller with the scopes of both, and only while nothing else has changed', async () => {
    const { user } = await hire(app, ['viewer']);
    await owner.patch(`${USERS}/${user.id}`, { roles: ['finance'] });
    const [entry] = await app.sql<{ id: string }>(
      `select id from action_ledger_entries where subject_id = $1 and action = 'identity.user.update'`,
      [user.id],
    );
    const path = `/v1/admin/action-ledger/entries/${entry?.id}/reversals`;
    const { token } = await makeToken(owner, ['identity:*', 'action-ledger:*', 'action-ledger:reverse']);
    const excess = await app.with(token).post(path, { reason: 'Wrong' });
    expect(excess.status).not.toBe(201);
    expect((await owner.post(path, { reason: 'Wrong person' })).status).toBe(201);
    const { body } = await owner.get<{ data: UserBody }>(`${USERS}/${user.id}`);
    expect(body.data.roles).toEqual(['viewer']);
  });

  it('a change of roles applies to the API tokens of the user within a second, also in another process', async () => {
    const other = await startApp();
    const member = await hire(app, ['owner']);
    const { token } = await makeToken(member.client, ['finance:*', 'identity:read']);
    const scopesIn = async (service: TestApp) =>
      (await service.with(token).get<{ data: { scopes: string[] } }>(ME)).body.data.scopes;
    expect(await scopesIn(other)).toEqual(['finance:*', 'identity:read']);
    await owner.patch(`${USERS}/${member.user.id}`, { roles: ['sales'] });
    expect(await scopesIn(app)).toEqual(['finance:receivables']);
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    expect(await scopesIn(other)).toEqual(['finance:receivables']);
  });
});
