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
  it('is rejected on every surface while the operator is inactive, and works again afterwards', async () => {
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

  it('cannot be provisioned for an unknown operator', async () => {
    const { token } = newCredential('tpk');
    const row = { name: uniqueName('key'), scopes: ['vault:read'], operatorId: uniqueName('op'), token };
    await expect(provision(app, { platformKeys: [row] })).rejects.toThrow(
      `platformKeys: ${row.name} is bound to the operator ${row.operatorId}, which does not exist`,
    );
    expect((await app.with(token).get('/vault/v1/primary/keys')).status).toBe(401);
  });
});
