import { beforeAll, describe, expect, it } from '@jest/globals';
import { setTimeout } from 'node:timers/promises';
import { CHANNELS, type Entry, newChannel, page, unique } from '../action-ledger/ledger.js';
import { startApp, type TestApp } from '../setup/app.js';

const CHOSEN = { headers: { 'X-Request-Id': 'chosen-by-an-attacker' } };
const GENERATED = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$/;

let app: TestApp;
beforeAll(async () => {
  app = await startApp({ env: { LOG_LEVEL: 'info' } });
});

describe('the X-Request-Id that a client chooses', () => {
  it('the X-Request-Id that a client chooses is echoed and logged, and two requests with the same one have ledger entries with different ids of the service', async () => {
    const entries: Entry[] = [];
    for (const name of [unique('One'), unique('Two')]) {
      const answer = await app.as('owner').post<{ data: { id: string } }>(CHANNELS, { name }, CHOSEN);
      expect(answer.headers['x-request-id']).toBe('chosen-by-an-attacker');
      entries.push(...(await page(app, { subjectId: answer.body.data.id })).data);
    }
    const ids = entries.map(({ serverRequestId }) => serverRequestId);
    expect(entries.map(({ correlationId }) => correlationId)).toEqual([
      'chosen-by-an-attacker',
      'chosen-by-an-attacker',
    ]);
    expect(ids).toEqual([expect.stringMatching(GENERATED), expect.stringMatching(GENERATED)]);
    expect(new Set(ids).size).toBe(2);

    const lines = app.logs.map((line) => JSON.parse(line) as Record<string, unknown>);
    const logged = lines.filter(({ requestId }) => requestId === 'chosen-by-an-attacker');
    expect(logged.map(({ serverRequestId }) => serverRequestId)).toEqual(ids);
  });

  it('the X-Request-Id that a client chooses cannot repeat the id that the service generated for another request', async () => {
    const first = await app.as('owner').patch(`${CHANNELS}/${await newChannel(app)}`, { description: 'First' });
    const headers = { 'X-Request-Id': first.headers['x-request-id'] ?? '' };
    const { body } = await app.as('owner').post<{ data: { id: string } }>(CHANNELS, { name: unique('x') }, { headers });
    const [entry] = (await page(app, { subjectId: body.data.id })).data;

    expect(entry?.correlationId).toBe(first.headers['x-request-id']);
    expect(entry?.serverRequestId).not.toBe(first.headers['x-request-id']);
  });

  it('the X-Request-Id that a client chooses does not identify records of the vault or security events either', async () => {
    const { vaultSlug, staff } = app.credentials;
    for (const plaintext of ['one', 'two']) {
      await app.as('platform').post(`/vault/v1/${vaultSlug}/encrypt`, { plaintext }, CHOSEN);
    }
    for (let n = 0; n < 2; n += 1) {
      await app.post('/v1/admin/identity/sessions', { email: staff.email, password: staff.password }, CHOSEN);
    }
    const idsIn = async (table: string, condition: string) =>
      app.sql<{ id: string }>(`select server_request_id as id from ${table} where ${condition}`);
    const vault = async () => idsIn('vault_audit', `request_id = 'chosen-by-an-attacker'`);
    for (let waited = 0; (await vault()).length < 2 && waited < 5_000; waited += 50) await setTimeout(50);

    for (const rows of [await vault(), await idsIn('security_events', `kind = 'login'`)]) {
      const ids = rows.map(({ id }) => id);
      expect(ids.length).toBeGreaterThan(1);
      expect(ids).toEqual(ids.map(() => expect.stringMatching(GENERATED)));
      expect(new Set(ids).size).toBe(ids.length);
    }
  });
});
