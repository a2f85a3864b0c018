import { beforeAll, describe, expect, it } from '@jest/globals';
import { ConnectionsService } from '../../src/modules/octo/connections/connections.service.js';
import { newClient, newKey, newOperator } from '../connect/partners.js';
import { newChannel } from '../distribution/channels.js';
import { startApp, type TestApp } from '../setup/app.js';
import { BOOKINGS, order, reserve } from './orders.js';
import { newShop } from './shop.js';
import { CONNECTIONS, newConnection, octoConnection } from './connections.js';

let app: TestApp;
beforeAll(async () => {
  app = await startApp();
});

const post = (body: object) => app.as('owner').post<{ data: Record<string, unknown> }>(CONNECTIONS, body);
const keyIdOf = async (token: string) => {
  const [row] = await app.sql<{ id: string }>('select id from api_tokens where public_id = $1', [
    token.split('_')[1] ?? '',
  ]);
  return row?.id ?? '';
};

describe('a connection', () => {
  it('a new connection has the defaults, and a change with a stale version is rejected', async () => {
    const body = await octoConnection(app);
    const answer = await post(body);
    expect([answer.status, answer.body.data]).toEqual([
      201,
      {
        ...body,
        id: expect.stringMatching(/^ocon_/),
        oauthClientId: null,
        apiTokenId: null,
        catalogue: 'all',
        productIds: [],
        poolPolicy: 'allotment_then_pool',
        settlement: 'commission',
        commissionBasisPoints: 0,
        showNet: true,
        holdMinutes: 30,
        maxHoldMinutes: 120,
        active: true,
        version: 1,
        createdAt: expect.any(String),
        updatedAt: expect.any(String),
      },
    ]);
    const path = `${CONNECTIONS}/${String(answer.body.data['id'])}`;
    const changed = await app.as('owner').patch<{ data: object }>(path, { showNet: false, settlement: 'net' });
    expect(changed.body.data).toMatchObject({ showNet: false, settlement: 'net', version: 2 });
    const stale = await app.as('owner').patch(path, { showNet: true }, { headers: { 'If-Match': '"1"' } });
    expect(stale.status).toBe(412);
    const listed = await app.as('owner').get(`${CONNECTIONS}?channelId=${String(body['channelId'])}&active=true`);
    expect(listed.body).toMatchObject({ total: 1, data: [{ channelName: expect.any(String), showNet: false }] });
  });

  it('a connection is bound to one operator, client or key, each of which has one active connection', async () => {
    const body = await octoConnection(app);
    const both = await post({ ...body, oauthClientId: 'oacl_01k0dem000e000000000000001' });
    const { operatorId, ...unbound } = body;
    const none = await post(unbound);
    for (const { status, body: error } of [both, none]) {
      expect([status, error]).toMatchObject([400, { code: 'invalid_request' }]);
    }
    const first = await newConnection(app, { operatorId });
    const second = await post(body);
    expect([second.status, second.body]).toMatchObject([409, { code: 'connection_exists' }]);
    const later = await app.as('owner').patch(`${CONNECTIONS}/${first.id}`, { active: false });
    expect([later.status, (await post(body)).status]).toEqual([200, 201]);
    const again = await app.as('owner').patch(`${CONNECTIONS}/${first.id}`, { active: true });
    expect([again.status, again.body]).toMatchObject([409, { code: 'connection_exists' }]);
  });

  it('a connection of an unknown operator, client, key or channel is rejected and names the member', async () => {
    const body = await octoConnection(app);
    const { operatorId: _, ...unbound } = body;
    const unknown = [
      [{ ...body, operatorId: 'op_unknown' }, 'operatorId'],
      [{ ...unbound, oauthClientId: 'oacl_01k0dem000e000000000009999' }, 'oauthClientId'],
      [{ ...unbound, apiTokenId: 'atok_01k0dem000e000000000009999' }, 'apiTokenId'],
      [{ ...body, channelId: 'chan_01k0dem000e000000000009999' }, 'channelId'],
    ] as const;
    for (const [one, field] of unknown) {
      const { status, body: error } = await post(one);
      expect([status, error]).toMatchObject([404, { code: 'not_found', details: { field } }]);
    }
  });

  it('channel and settlement cannot change while the reseller has reservations on hold', async () => {
    const shop = await newShop(app);
    const owner = app.as('owner');
    const path = `${CONNECTIONS}/${shop.connection.id}`;
    const { id: channelId } = await newChannel(app);
    const { uuid } = await reserve(shop, [shop.adult]);
    for (const terms of [{ channelId }, { settlement: 'net' }]) {
      const { status, body } = await owner.patch(path, terms);
      expect([status, body]).toMatchObject([409, { code: 'connection_in_use' }]);
    }
    const same = { channelId: shop.connection.channelId, settlement: 'commission', holdMinutes: 20 };
    expect((await owner.patch(path, same)).status).toBe(200);
    await shop.reseller.post(`${BOOKINGS}/${uuid}/cancel`, {});
    expect((await owner.patch(path, { channelId, settlement: 'net' })).status).toBe(200);
    const answers = await Promise.all([
      ...Array.from({ length: 6 }, () => shop.reseller.post(BOOKINGS, order(shop, [shop.adult]))),
      owner.patch(path, { settlement: 'commission' }),
    ]);
    expect(answers.every(({ status }) => [200, 400, 409].includes(status))).toBe(true);
    const [foreign] = await app.sql<{ count: number }>(
      `select count(*)::int as count from octo_bookings octo join octo_connections connection
         on connection.id = octo.connection_id
       where connection.id = $1 and octo.status = 'ON_HOLD' and octo.settlement <> connection.settlement`,
      [shop.connection.id],
    );
    expect(foreign?.count).toBe(0);
  });

  it('contradictory terms of a connection are rejected', async () => {
    const terms = [
      [{ holdMinutes: 60, maxHoldMinutes: 30 }, 'hold_too_long', 'holdMinutes'],
      [{ catalogue: 'listed' }, 'catalogue_mismatch', 'productIds'],
      [{ productIds: ['tour-1'] }, 'catalogue_mismatch', 'productIds'],
    ] as const;
    for (const [one, code, field] of terms) {
      const { status, body } = await post(await octoConnection(app, one));
      expect([status, body]).toMatchObject([422, { code, details: { field } }]);
    }
  });
});

describe('the connection of a caller', () => {
  it('a caller has the connection of its own key or client before that of its operator', async () => {
    const connections = app.nest.get(ConnectionsService, { strict: false });
    const operatorId = await newOperator(app);
    const [ofOperator, ofKey, ofClient] = await Promise.all([newChannel(app), newChannel(app), newChannel(app)]);
    const [keyed, plain] = [await newKey(app, ['connect:*'], operatorId), await newKey(app, ['connect:*'], operatorId)];
    const client = await newClient(app, operatorId);
    const whole = await newConnection(app, { operatorId, channelId: ofOperator.id });
    const own = { operatorId: undefined };
    const key = { ...own, apiTokenId: await keyIdOf(keyed), channelId: ofKey.id };
    const ofTheKey = await newConnection(app, key);
    const ofTheClient = await newConnection(app, { ...own, oauthClientId: client.id, channelId: ofClient.id });

    const found = await Promise.all([
      connections.findFor({ type: 'api_key', id: key.apiTokenId, operatorId }),
      connections.findFor({ type: 'api_key', id: await keyIdOf(plain), operatorId }),
      connections.findFor({ type: 'oauth_client', id: client.id, operatorId }),
      connections.findFor({ type: 'api_key', id: await keyIdOf(plain), operatorId: await newOperator(app) }),
      connections.findFor({ type: 'user', id: client.id, operatorId }),
    ]);
    expect(found.map((one) => one?.id)).toEqual([ofTheKey.id, whole.id, ofTheClient.id, undefined, undefined]);
    expect(await connections.listFor({ type: 'oauth_client', id: 'none', operatorId })).toEqual(
      [ofOperator.id, ofKey.id, ofClient.id].sort(),
    );
  });
});
