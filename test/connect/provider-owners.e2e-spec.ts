/** @jest-environment-options {"application":"shared"} */
import { beforeAll, describe, expect, it } from '@jest/globals';
import { startApp, type TestApp } from '../setup/app.js';
import type { TestClient } from '../setup/client.js';
import {
  actingAs,
  entriesOf,
  errorBody,
  newClient,
  newGrant,
  newOperator,
  provision,
  uniqueName,
  withKey,
} from './partners.js';

const PROVIDERS = '/connect/v1/connector-providers';
const FORM = { applicationFormSchema: { fields: [{ name: 'iban', label: 'IBAN' }] } };
const NOT_FOUND = errorBody('not_found', { resource: 'connector_provider' });

let app: TestApp;
let operatorId: string;
let otherId: string;
let callers: [string, TestClient][];

beforeAll(async () => {
  app = await startApp();
  [operatorId, otherId] = [await newOperator(app), await newOperator(app)];
  const grantId = await newGrant(app, operatorId, { scopes: ['connect:*'] });
  const client = await newClient(app, operatorId, { scopes: ['connect:*'], grantId });
  callers = [
    ['a platform key of the operator', await withKey(app, ['connect:*'], operatorId)],
    ['an access token of the operator', await actingAs(app, client)],
  ];
});

async function newProvider(values: object): Promise<string> {
  const key = uniqueName('p').replace('_', '-');
  await provision(app, { connectorProviders: [{ key, name: 'Provider', capabilities: [], ...values }] });
  return key;
}

const formOf = async (key: string) => {
  const rows = await app.sql<{ form: unknown; owner: string | null }>(
    'select application_form_schema as form, operator_id as owner from connector_providers where key = $1',
    [key],
  );
  return rows[0];
};

async function keysSeenBy(client: TestClient): Promise<string[]> {
  const { body } = await client.get<{ data: { key: string }[]; total: number }>(PROVIDERS);
  expect(body.total).toBe(body.data.length);
  return body.data.map(({ key }) => key);
}

describe('the connector providers of an operator', () => {
  it('the connector providers of an operator can be changed with its credentials', async () => {
    for (const [name, caller] of callers) {
      const key = await newProvider({ operatorId });
      const { status } = await caller.patch(`${PROVIDERS}/${key}`, FORM);
      expect([name, status]).toEqual([name, 200]);
      expect(await formOf(key)).toEqual({ form: FORM.applicationFormSchema, owner: operatorId });
    }
  });

  it('the connector providers of an operator cannot be changed with the credentials of another operator: 404 as for an unknown key, and the form stays', async () => {
    const theirs = await newProvider({ operatorId: otherId, applicationFormSchema: { fields: [] } });
    const platform = await newProvider({ applicationFormSchema: { fields: [] } });
    for (const [name, caller] of callers) {
      for (const key of [theirs, platform, 'demo-activities', 'unknown-provider']) {
        const { status, body } = await caller.patch(`${PROVIDERS}/${key}`, FORM);
        expect([name, key, status, body]).toEqual([name, key, 404, NOT_FOUND]);
        const stale = await caller.patch(`${PROVIDERS}/${key}`, FORM, { headers: { 'If-Match': '"99"' } });
        expect(stale.status).toBe(404);
      }
    }
    for (const key of [theirs, platform]) expect((await formOf(key))?.form).toEqual({ fields: [] });
  });

  it('the connector providers of an operator are listed for it together with those of the platform, and hidden from other operators', async () => {
    const [own, theirs, platform] = [
      await newProvider({ operatorId }),
      await newProvider({ operatorId: otherId }),
      await newProvider({}),
    ];
    for (const [, caller] of callers) {
      const seen = await keysSeenBy(caller);
      expect([own, theirs, platform].map((key) => seen.includes(key))).toEqual([true, false, true]);
    }
    expect(await keysSeenBy(app.as('platform'))).toEqual(expect.arrayContaining([own, theirs, platform]));
  });

  it('the connector providers of an operator can be changed with unbound credentials', async () => {
    const key = await newProvider({ operatorId });
    expect((await app.as('platform').patch(`${PROVIDERS}/${key}`, FORM)).status).toBe(200);
  });
});

describe('the owner of a connector provider in the provisioning file', () => {
  it('the owner of a connector provider in the provisioning file is set, kept if it is omitted, removed by null, and part of the ledger', async () => {
    const key = await newProvider({ operatorId });
    const row = { key, name: 'Provider', capabilities: ['bookings'] };
    await provision(app, { connectorProviders: [row] });
    expect((await formOf(key))?.owner).toBe(operatorId);
    await provision(app, { connectorProviders: [{ ...row, operatorId: null }] });
    expect((await formOf(key))?.owner).toBeNull();

    const entries = await entriesOf(app, key);
    expect(entries.map(({ after }) => (after as { operatorId: unknown }).operatorId)).toEqual([
      operatorId,
      operatorId,
      null,
    ]);
  });

  it('must exist', async () => {
    await expect(newProvider({ operatorId: uniqueName('op') })).rejects.toThrow('which does not exist');
  });

  it('the owner of a connector provider in the provisioning file is the demo operator for the provider of the demo data', async () => {
    expect((await formOf('demo-activities'))?.owner).toBe('op_demo');
    expect((await formOf('demo-transfers'))?.owner).toBeNull();
  });
});
