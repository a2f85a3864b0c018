import { beforeAll, describe, expect, it } from '@jest/globals';
import { startApp, type TestApp } from '../setup/app.js';
import type { TestClient } from '../setup/client.js';
import { hire, INVITATIONS, makeToken, errorBody, uniqueEmail, USERS } from './staff.js';

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
      ...['bookings:*', 'trips:*', 'notifications:write'],
      ...['operations:read', 'distribution:read', 'catalog:read', 'legal:read'],
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
});
