/** @jest-environment-options {"application":"shared"} */
import { beforeAll, describe, expect, it } from '@jest/globals';
import { startApp, type TestApp } from '../setup/app.js';
import {
  clientsOf,
  newClient,
  newGrant,
  newOperator,
  type OAuthClient,
  provision,
  uniqueName,
  errorBody,
} from './partners.js';

let app: TestApp;
beforeAll(async () => {
  app = await startApp();
});

const create = (operatorId: string, values: object = {}) =>
  app.as('platform').post<OAuthClient>(clientsOf(operatorId), { scopes: ['connect:bookings:read'], ...values });

describe('an operator', () => {
  it('an operator has at most 50 active clients: of two concurrent requests at the limit one gets 201, the other 409', async () => {
    const operatorId = await newOperator(app);
    for (let n = 0; n < 49; n += 1) await newClient(app, operatorId);

    const answers = await Promise.all([create(operatorId), create(operatorId)]);

    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409]);
    const loser = answers.find(({ status }) => status === 409);
    expect(loser?.body).toEqual(errorBody('client_limit_reached', { limit: 50 }));
    const { body: page } = await app.as('platform').get<{ total: number }>(`${clientsOf(operatorId)}?active=true`);
    expect(page.total).toBe(50);

    const winner = answers.find(({ status }) => status === 201)?.body.clientId ?? '';
    await app.as('platform').delete(`${clientsOf(operatorId)}/${winner}`);
    expect((await create(operatorId)).status).toBe(201);
  });

  it('an operator cannot get a client while it is inactive', async () => {
    const operatorId = await newOperator(app);
    await provision(app, { operators: [{ id: operatorId, name: 'Partner', status: 'inactive' }] });

    const { status, body } = await create(operatorId);

    expect(status).toBe(409);
    expect(body).toEqual(errorBody('operator_inactive'));
  });
});

describe('the grant of a new client', () => {
  it('the grant of a new client must belong to the operator; a grant of another operator gets the same 404 as an unknown one', async () => {
    const [operatorId, other] = [await newOperator(app), await newOperator(app)];
    const foreign = await newGrant(app, other, { scopes: ['connect:*'] });

    for (const grantId of [foreign, uniqueName('grant'), 'no such grant']) {
      const { status, body } = await create(operatorId, { grantId });
      expect(status).toBe(404);
      expect(body).toEqual(errorBody('not_found', { resource: 'grant' }));
    }
  });

  it('the grant of a new client must be active, cover the scopes, and not end earlier', async () => {
    const operatorId = await newOperator(app);
    const values = { scopes: ['connect:bookings:*'], expiresAt: '2031-01-01T00:00:00Z' };
    const grantId = await newGrant(app, operatorId, values);

    const { status, body } = await create(operatorId, {
      grantId,
      scopes: ['connect:bookings:read', 'connect:bookings:*'],
      expiresAt: '2031-01-01T00:00:00Z',
    });

    expect(status).toBe(201);
    expect(body).toMatchObject({ grantId, expiresAt: '2031-01-01T00:00:00.000Z' });
  });

  it('the grant of a new client limits the lifetime of a client without an expiry', async () => {
    const operatorId = await newOperator(app);
    const grantId = await newGrant(app, operatorId, { scopes: ['connect:*'], expiresAt: '2031-01-01T00:00:00Z' });
    expect((await create(operatorId, { grantId })).status).toBe(201);
  });

  it.each([
    { reason: 'inactive', grant: { scopes: ['connect:*'], status: 'paused' } },
    { reason: 'inactive', grant: { scopes: ['connect:*'], status: 'revoked' } },
    { reason: 'inactive', grant: { scopes: ['connect:*'], expiresAt: '2020-01-01T00:00:00Z' } },
    { reason: 'scopes', grant: { scopes: ['connect:bookings:write', 'connect:flights:*'] } },
    { reason: 'scopes', grant: { scopes: ['connect:bookings:read'] }, client: { scopes: ['connect:bookings:*'] } },
    {
      reason: 'expiry',
      grant: { scopes: ['connect:*'], expiresAt: '2031-01-01T00:00:00Z' },
      client: { expiresAt: '2031-01-01T00:00:01Z' },
    },
  ])(
    'the grant of a new client causes a conflict with reason $reason if it is $grant',
    async ({ reason, grant, client }) => {
      const operatorId = await newOperator(app);
      const grantId = await newGrant(app, operatorId, grant);

      const { status, body } = await create(operatorId, { grantId, ...client });

      expect(status).toBe(409);
      expect(body).toEqual(errorBody('grant_conflict', { reason }));
    },
  );
});
