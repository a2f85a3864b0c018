/** @jest-environment-options {"application":"shared"} */
import { beforeAll, describe, expect, it } from '@jest/globals';
import { newCredential } from '../../src/platform/ids/credentials.js';
import { newOperator, provision, uniqueName, withKey } from '../connect/partners.js';
import { startApp, type TestApp } from '../setup/app.js';
import type { TestClient } from '../setup/client.js';

const SCOPES = ['connect:*', 'vault:keys', 'realtime:subscribe', 'data:geo:read', 'data:hotels:read'];

let app: TestApp;
beforeAll(async () => {
  app = await startApp();
});

/** The status of one request to each surface that accepts platform keys. */
async function statusesOf(client: TestClient, operatorId: string): Promise<number[]> {
  const paths = [
    `/connect/v1/operators/${operatorId}`,
    `/connect/v1/connector-providers`,
    `/vault/v1/${operatorId.toLowerCase().replace('_', '-')}/keys`,
    `/realtime/v1/channels/${operatorId}.news/messages`,
    '/data/geo/v1/reference/languages',
    '/data/hotels/v1/reviewsite/reference/languages',
  ];
  const answers = await Promise.all(paths.map((path) => client.get(path)));
  return answers.map(({ status }) => status);
}

describe('a platform key that is bound to an operator', () => {
  it('a platform key that is bound to an operator is rejected on every surface while the operator is inactive, and works again afterwards', async () => {
    const operatorId = await newOperator(app);
    const key = await withKey(app, SCOPES, operatorId);
    const working = [200, 200, 404, 200, 200, 200];
    expect(await statusesOf(key, operatorId)).toEqual(working);

    const path = `/connect/v1/operators/${operatorId}`;
    await app.as('platform').patch(path, { status: 'inactive' });
    expect(await statusesOf(key, operatorId)).toEqual(working.map(() => 401));

    await app.as('platform').patch(path, { status: 'active' });
    expect(await statusesOf(key, operatorId)).toEqual(working);
  });

  it('a platform key that is bound to an operator cannot be provisioned for an unknown operator', async () => {
    const { token } = newCredential('tpk');
    const row = { name: uniqueName('key'), scopes: ['vault:read'], operatorId: uniqueName('op'), token };
    await expect(provision(app, { platformKeys: [row] })).rejects.toThrow(
      `platformKeys: ${row.name} is bound to the operator ${row.operatorId}, which does not exist`,
    );
    expect((await app.with(token).get('/vault/v1/primary/keys')).status).toBe(401);
  });

  it('a platform key that is bound to an operator stays bound when its token is replaced by a row without the operator', async () => {
    const [operatorId, name] = [await newOperator(app), uniqueName('key')];
    const [old, next] = [newCredential('tpk').token, newCredential('tpk').token];
    const scopes = ['connect:*'];
    await provision(app, { platformKeys: [{ name, scopes, operatorId, token: old }] });
    await provision(app, { platformKeys: [{ name, scopes, token: next }] });
    expect((await app.with(next).get(`/connect/v1/operators/${operatorId}`)).status).toBe(200);
    expect((await app.with(next).get(`/connect/v1/operators/${await newOperator(app)}`)).status).toBe(404);
  });
});

describe('a platform key that is provisioned again', () => {
  it('a platform key that is provisioned again stays revoked and keeps its end, unless the row changes them', async () => {
    const expiresAt = new Date(Date.now() + 3_600_000).toISOString();
    const row = { name: uniqueName('key'), scopes: ['data:geo:read'] };
    const stateOf = async () => {
      const columns = 'expires_at as "expiresAt", revoked_at is not null as revoked';
      return (await app.sql(`select ${columns} from api_tokens where name = $1`, [row.name]))[0];
    };
    await provision(app, { platformKeys: [{ ...row, expiresAt, revoked: true, token: newCredential('tpk').token }] });
    await provision(app, { platformKeys: [{ ...row, token: newCredential('tpk').token }] });
    expect(await stateOf()).toEqual({ expiresAt: new Date(expiresAt), revoked: true });
    await provision(app, { platformKeys: [{ ...row, expiresAt: null, revoked: false }] });
    expect(await stateOf()).toEqual({ expiresAt: null, revoked: false });
  });
});
