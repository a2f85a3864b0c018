/** @jest-environment-options {"application":"shared"} */
import { beforeAll, describe, expect, it } from '@jest/globals';
import { startApp, type TestApp } from '../setup/app.js';
import { clientsOf, entriesOf, newOperator, provision, uniqueName } from './partners.js';

let app: TestApp;
beforeAll(async () => {
  app = await startApp();
});

const actionsOf = async (id: string) => (await entriesOf(app, id)).map(({ action }) => action);

describe('the provisioning of operators, grants and connector providers', () => {
  it('the provisioning of the connect surface can be repeated: the second time nothing is written', async () => {
    const [operator, grant, key] = [uniqueName('op'), uniqueName('grant'), uniqueName('p').replace('_', '-')];
    const document = {
      connectorProviders: [{ key, name: 'Provider', capabilities: ['a', 'b'], applicationFormSchema: { z: 1, a: 2 } }],
      operatorGrants: [{ id: grant, operatorId: operator, scopes: ['connect:*'], expiresAt: '2031-01-01T00:00:00Z' }],
      operators: [{ id: operator, name: 'Partner' }],
    };

    const report = await provision(app, document);
    await provision(app, document);

    const names = ['operators', 'operatorGrants', 'connectorProviders'];
    expect(report).toEqual(names.map((name) => ({ name, rows: 1 })));
    expect(await actionsOf(operator)).toEqual(['connect.operator.create']);
    expect(await actionsOf(grant)).toEqual(['connect.operator_grant.create']);
    expect(await actionsOf(key)).toEqual(['connect.connector_provider.create']);
    expect((await app.as('platform').get(clientsOf(operator))).status).toBe(200);
  });

  it('the provisioning of the connect surface changes the members of a row and keeps those that it omits', async () => {
    const operator = await newOperator(app);
    const [grant, key] = [uniqueName('grant'), uniqueName('p').replace('_', '-')];
    const row = { id: grant, operatorId: operator, scopes: ['connect:*'] };
    await provision(app, {
      operators: [{ id: operator, name: 'Partner', status: 'inactive' }],
      operatorGrants: [{ ...row, status: 'paused', expiresAt: '2031-01-01T00:00:00Z' }],
      connectorProviders: [
        { key, name: 'Old', capabilities: ['a'], description: 'd', applicationFormSchema: { a: 1 } },
      ],
    });

    await provision(app, {
      operators: [{ id: operator, name: 'Renamed' }],
      operatorGrants: [{ ...row, scopes: ['connect:bookings:*'] }],
      connectorProviders: [{ key, name: 'New', capabilities: [], description: null }],
    });

    const [, , renamed] = await entriesOf(app, operator);
    expect(renamed).toMatchObject({
      action: 'connect.operator.update',
      before: { status: 'inactive' },
      after: { id: operator, name: 'Renamed', status: 'inactive' },
    });
    const [, narrowed] = await entriesOf(app, grant);
    expect(narrowed).toMatchObject({
      action: 'connect.operator_grant.update',
      after: { scopes: ['connect:bookings:*'], status: 'paused', expiresAt: '2031-01-01T00:00:00.000Z' },
    });
    const [, changed] = await entriesOf(app, key);
    expect(changed).toMatchObject({
      action: 'connect.connector_provider.update',
      after: { name: 'New', capabilities: [], description: null, applicationFormSchema: { a: 1 } },
    });
  });

  it.each([
    [{ operators: [{ id: 'a b', name: 'x' }] }, /operators\.0\.id/],
    [{ operators: [{ id: 'x'.repeat(65), name: 'x' }] }, /operators\.0\.id/],
    [{ operators: [{ id: 'op_x', name: '' }] }, /operators\.0\.name/],
    [{ operators: [{ id: 'op_x', name: 'x', status: 'gone' }] }, /status must be one of active, inactive/],
    [
      { operatorGrants: [{ id: 'g', operatorId: 'op_demo', scopes: ['vault:write'] }] },
      /scopes\.0 must start with connect:/,
    ],
    [{ operatorGrants: [{ id: 'g', operatorId: 'op_demo', scopes: [] }] }, /operatorGrants\.0\.scopes/],
    [
      { operatorGrants: [{ id: 'g', operatorId: 'op_unknown', scopes: ['connect:*'] }] },
      /op_unknown, which does not exist/,
    ],
    [{ connectorProviders: [{ key: 'A', name: 'x', capabilities: [] }] }, /connectorProviders\.0\.key/],
    [
      { connectorProviders: [{ key: 'a', name: 'x', capabilities: [], applicationFormSchema: [] }] },
      /applicationFormSchema/,
    ],
  ])('the provisioning of the connect surface rejects %j with a reason', async (document, why) => {
    await expect(provision(app, document)).rejects.toThrow(why);
  });

  it('the provisioning of the connect surface never moves a grant to another operator', async () => {
    const [one, other, id] = [await newOperator(app), await newOperator(app), uniqueName('grant')];
    await provision(app, { operatorGrants: [{ id, operatorId: one, scopes: ['connect:*'] }] });
    await expect(
      provision(app, { operatorGrants: [{ id, operatorId: other, scopes: ['connect:*'] }] }),
    ).rejects.toThrow(/belongs to another operator/);
    expect(await actionsOf(id)).toEqual(['connect.operator_grant.create']);
  });
});
