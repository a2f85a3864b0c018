/** @jest-environment-options {"application":"shared"} */
import { beforeAll, describe, expect, it } from '@jest/globals';
import { startApp, type TestApp } from '../setup/app.js';
import {
  actingAs,
  clientsOf,
  type CreatedClient,
  entriesOf,
  newClient,
  newOperator,
  type OAuthClient,
} from './partners.js';

let app: TestApp;
let operatorId: string;
let path: string;
beforeAll(async () => {
  app = await startApp();
  operatorId = await newOperator(app);
  path = clientsOf(operatorId);
});

const HOUR = 3_600_000;
const inHours = (hours: number) => new Date(app.now().getTime() + hours * HOUR).toISOString();

describe('POST /connect/v1/operators/{operatorId}/oauth-clients', () => {
  it('the POST creates an OAuth client of the operator and returns it without an envelope, with its secret', async () => {
    const expiresAt = inHours(24);
    const { status, body, headers } = await app.as('platform').post<OAuthClient>(path, {
      name: '  Booking sync  ',
      scopes: ['connect:bookings:write', 'connect:*:read', 'connect:flights:*', 'connect:*'],
      expiresAt,
    });

    expect(status).toBe(201);
    expect(body).toEqual({
      id: expect.stringMatching(/^oacl_[0-9a-z]{26}$/),
      operatorId,
      clientId: expect.stringMatching(/^occ_[0-9A-Za-z]{24}$/),
      clientSecret: expect.stringMatching(/^ocs_[0-9A-Za-z]{49}$/),
      name: 'Booking sync',
      scopes: ['connect:bookings:write', 'connect:*:read', 'connect:flights:*', 'connect:*'],
      grantId: null,
      expiresAt,
      active: true,
      createdAt: expect.any(String),
      revokedAt: null,
      warnings: ['connect:bookings:write', 'connect:flights:*'].map((scope) => ({
        code: 'scope_without_operation',
        scope,
      })),
    });
    expect(headers['location']).toBe(`${path}/${body.clientId}`);
    expect(headers['cache-control']).toBe('no-store');
    expect(headers['etag']).toBeUndefined();
  });

  it('a new client gets no warning for the scopes of operations, and one for each of an area or action that none has', async () => {
    const warnedOf = async (scopes: string[]) => {
      const { status, body } = await app.as('platform').post<CreatedClient>(path, { scopes });
      expect([status, body.scopes]).toEqual([201, scopes]);
      return body.warnings.map(({ scope }) => scope);
    };
    const url = '/.well-known/oauth-authorization-server/connect/v1';
    const { body } = await app.get<{ scopes_supported: string[] }>(url);
    expect(await warnedOf(body.scopes_supported)).toEqual([]);
    const unknown = ['connect:flights:read', 'connect:grants:delete', 'connect:*:archive', 'connect:flights:*'];
    expect(await warnedOf(['connect:grants:*', ...unknown])).toEqual(unknown);
  });

  it('a new client requires only scopes; omitted members and null are both stored as null', async () => {
    const left = await newClient(app, operatorId);
    const cleared = await newClient(app, operatorId, { name: null, grantId: null, expiresAt: null });

    for (const client of [left, cleared]) expect(client).toMatchObject({ name: null, grantId: null, expiresAt: null });
  });

  it('a new client accepts an end with any UTC offset and returns it in UTC', async () => {
    const { expiresAt } = await newClient(app, operatorId, { expiresAt: '2031-05-01T00:30:00+02:00' });
    expect(expiresAt).toBe('2031-04-30T22:30:00.000Z');
  });

  it('a new client has an entry in the action ledger', async () => {
    const { clientSecret: _secret, ...client } = await newClient(app, operatorId);
    expect(await entriesOf(app, client.id)).toEqual([
      {
        action: 'connect.oauth_client.create',
        subject_type: 'oauth_client',
        actor_type: 'api_key',
        actor_id: expect.any(String),
        before: null,
        after: client,
      },
    ]);
  });

  it('an OAuth client can create clients for its own operator', async () => {
    const caller = await newClient(app, operatorId, { scopes: ['connect:clients:write', 'connect:bookings:*'] });
    const { status, body } = await (
      await actingAs(app, caller)
    ).post<OAuthClient>(path, {
      scopes: ['connect:bookings:read'],
    });

    expect(status).toBe(201);
    expect(await entriesOf(app, body.id)).toMatchObject([{ actor_type: 'oauth_client', actor_id: caller.id }]);
  });
});
