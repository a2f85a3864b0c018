import { beforeAll, describe, expect, it } from '@jest/globals';
import { startApp, type TestApp } from '../setup/app.js';
import { tablesWith } from '../setup/tables.js';
import { requestToken, clientsOf, newOperator, type OAuthClient } from './partners.js';

let app: TestApp;
let operatorId: string;
beforeAll(async () => {
  app = await startApp({ env: { LOG_LEVEL: 'trace' } });
  operatorId = await newOperator(app);
});

const KEY = { 'Idempotency-Key': 'create-a-client-once' };
const WANTED = { scopes: ['connect:bookings:read'], name: 'Secret keeper' };

describe('the secret of a client', () => {
  it('the secret of a client is in the response of the creation, and in no idempotent replay of it', async () => {
    const first = await app.as('platform').post<OAuthClient>(clientsOf(operatorId), WANTED, { headers: KEY });
    const replay = await app.as('platform').post<OAuthClient>(clientsOf(operatorId), WANTED, { headers: KEY });

    const { clientSecret, ...client } = first.body;
    expect(clientSecret).toMatch(/^ocs_/);
    expect(replay.status).toBe(201);
    expect(replay.body).toEqual(client);
    expect(replay.text).not.toContain(clientSecret);
    expect(replay.headers).toMatchObject({
      'idempotent-replayed': 'true',
      location: first.headers['location'],
      'cache-control': 'no-store',
    });
    const { body: page } = await app.as('platform').get<{ total: number }>(clientsOf(operatorId));
    expect(page.total).toBe(1);
    expect((await requestToken(app, first.body)).status).toBe(200);
  });

  it('the secret of a client and its tokens appear in no table, log line or later response', async () => {
    const headers = { 'Idempotency-Key': 'create-another-client' };
    const { body: client } = await app.as('platform').post<OAuthClient>(clientsOf(operatorId), WANTED, { headers });
    const { body: token } = await requestToken(app, client);
    const wrong = await requestToken(app, { ...client, clientSecret: `${client.clientSecret}-and-more` });
    const answers = [
      wrong,
      await app.with(token.access_token).get(clientsOf(operatorId)),
      await app.as('platform').delete(`${clientsOf(operatorId)}/${client.id}`, { headers: KEY }),
    ];

    const bare = [client.clientSecret.slice(4, 47), token.access_token.slice(21, 64)];
    for (const secret of bare) {
      expect(answers.filter(({ text }) => text.includes(secret))).toEqual([]);
      expect(app.logs.filter((line) => line.includes(secret))).toEqual([]);
    }
    expect(await tablesWith(app, bare)).toEqual([]);
    // Control: the search finds stored values, and the log contains these requests.
    expect(await tablesWith(app, [client.clientId])).toEqual(
      expect.arrayContaining(['public.oauth_clients', 'public.ledger_payloads']),
    );
    expect(app.logs.filter((line) => line.includes('/connect/v1/oauth/token'))).not.toEqual([]);
  });
});
