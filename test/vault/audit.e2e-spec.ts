import { beforeAll, describe, expect, it, jest } from '@jest/globals';
import { setTimeout } from 'node:timers/promises';
import { Database } from '../../src/platform/database/database.js';
import { Provisioning } from '../../src/platform/provisioning/provisioning.js';
import { startApp, type TestApp } from '../setup/app.js';
import { decrypt, encrypt, encrypted, setVersion, withScopes } from './vaults.js';

let app: TestApp;

beforeAll(async () => {
  app = await startApp();
});

interface Row {
  operation: string;
  key_version: number | null;
  bytes: number;
  outcome: string;
}

function recorded(slug: string): Promise<Row[]> {
  return app.sql(
    `select operation, key_version, bytes, outcome from vault_audit
     where vault_id = (select id from vaults where slug = $1) order by id`,
    [slug],
  );
}

/**
 * The audit of the vault, as soon as it has `count` rows. It is written half a second late; a busy machine adds to
 * that.
 */
async function eventually(slug: string, rows: number): Promise<Row[]> {
  for (let waited = 0; waited < 5_000; waited += 50) {
    const found = await recorded(slug);
    if (found.length >= rows) return found;
    await setTimeout(50);
  }
  return recorded(slug);
}

describe('the audit of a vault', () => {
  it('the audit of a vault records the actor, the operation, the request and the number of bytes, never the value', async () => {
    const client = await withScopes(app, 'vault:write');
    const headers = { 'X-Request-Id': 'recorded-request-1' };
    const { status } = await client.post('/vault/v1/watched/encrypt', { plaintext: 'Zürich ☂' }, { headers });
    expect(status).toBe(200);
    await eventually('watched', 2);
    const rows = await app.sql<{ vault_audit: string; actor_id: string; key: string; recorded_at: Date }>(
      `select vault_audit::text, actor_type, actor_id, operation, key_version, bytes, request_id, outcome, recorded_at,
         (select id from api_tokens where scopes = array['vault:write']) as key
       from vault_audit where request_id = 'recorded-request-1' order by id`,
    );

    const common = {
      vault_audit: expect.any(String),
      actor_type: 'api_key',
      actor_id: rows[0]?.key,
      request_id: 'recorded-request-1',
      key_version: 1,
      outcome: 'done',
      recorded_at: expect.any(Date),
      key: expect.stringMatching(/./),
    };
    expect(rows).toEqual(
      expect.arrayContaining([
        { ...common, operation: 'create', bytes: 0 },
        { ...common, operation: 'encrypt', bytes: 11 },
      ]),
    );
    expect(rows).toHaveLength(2);
    expect(JSON.stringify(rows)).not.toMatch(/Zürich|WsO8cmljaCDimII/);
  });

  it('the audit of a vault records rejected operations with their error code', async () => {
    const client = app.as('platform');
    const ciphertext = await encrypted(client, 'refusing', 'four');
    await decrypt(client, 'refusing', ciphertext);
    await decrypt(client, 'refusing', 'AAAA');
    await setVersion(app, 'refusing', `state = 'disabled'`);
    app.travel({ ms: 1_000 });
    await encrypt(client, 'refusing', 'four');
    await app.nest.get(Provisioning).apply({ vaults: [{ slug: 'refusing', archived: true }] });
    await encrypt(client, 'refusing', 'four');
    await decrypt(client, 'refusing', ciphertext);

    const rows = await eventually('refusing', 8);
    expect(rows.filter(({ operation }) => /crypt/.test(operation))).toEqual([
      { operation: 'encrypt', key_version: 1, bytes: 4, outcome: 'done' },
      { operation: 'decrypt', key_version: 1, bytes: 4, outcome: 'done' },
      { operation: 'decrypt', key_version: null, bytes: 0, outcome: 'undecryptable' },
      { operation: 'encrypt', key_version: null, bytes: 4, outcome: 'no_usable_key' },
      { operation: 'encrypt', key_version: null, bytes: 4, outcome: 'vault_archived' },
      { operation: 'decrypt', key_version: null, bytes: 0, outcome: 'vault_archived' },
    ]);
    expect(rows.map(({ operation }) => operation)).toEqual(expect.arrayContaining(['create', 'change']));
  });

  it('the audit of a vault is complete when the service has stopped', async () => {
    const node = await startApp();
    await Promise.all(Array.from({ length: 50 }, () => encrypted(node.as('platform'), 'stopping', 'x')));
    await node.close();

    expect((await recorded('stopping')).filter(({ operation }) => operation === 'encrypt')).toHaveLength(50);
  });

  it('the audit of a vault is written later if the table is unavailable, and responses do not wait', async () => {
    const node = await startApp({ env: { LOG_LEVEL: 'warn' } });
    await encrypted(node.as('platform'), 'patient', 'x');
    await eventually('patient', 2);
    await app.sql('alter table vault_audit rename to vault_audit_away');
    const { status } = await encrypt(node.as('platform'), 'patient', 'x');
    while (!node.logs.some((line) => line.includes('cannot write the vault audit; will retry'))) await setTimeout(20);
    await app.sql('alter table vault_audit_away rename to vault_audit');

    await eventually('patient', 3);
    await node.close();

    expect(status).toBe(200);
    const rows = await recorded('patient');
    expect(rows.filter(({ operation }) => operation === 'encrypt')).toHaveLength(2);
  });

  it.each([`update vault_audit set bytes = 0`, `delete from vault_audit`, `truncate vault_audit`])(
    'the audit of a vault is append-only: %s is rejected',
    async (statement) => {
      await expect(app.sql(statement)).rejects.toThrow('vault_audit is append-only');
    },
  );
});

describe('encryption', () => {
  it('encryption needs no statement per call: the vault is cached, and the audit is written in batches', async () => {
    const client = app.as('platform');
    await encrypted(client, 'hot', 'x');
    const query = jest.spyOn(app.nest.get(Database).pool(), 'query');
    for (let i = 0; i < 20; i += 1) {
      await Promise.all(Array.from({ length: 20 }, () => encrypted(client, 'hot', 'x')));
    }

    const vaultQueries = query.mock.calls.filter((call) => /vault/.test(JSON.stringify(call)));
    query.mockRestore();
    // Some lookups and bulk inserts a second, where one statement per call would be more than 400.
    expect(vaultQueries.length).toBeGreaterThan(0);
    expect(vaultQueries.length).toBeLessThan(100);
    const rows = await eventually('hot', 402);
    expect(rows.filter(({ operation }) => operation === 'encrypt')).toHaveLength(401);
  });

  it('encryption and decryption log no value and no ciphertext at any level', async () => {
    const node = await startApp({ env: { LOG_LEVEL: 'trace' } });
    const client = node.as('platform');
    const plaintext = 'a-very-secret-passport-number';
    const ciphertext = await encrypted(client, 'silent', plaintext);
    await decrypt(client, 'silent', ciphertext);
    await decrypt(client, 'primary', ciphertext);
    await client.post('/vault/v1/silent/encrypt', { plaintext, odd: plaintext });
    await client.post('/vault/v1/silent/encrypt', undefined, {
      raw: `{"plaintext": "${plaintext}`,
      headers: { 'Content-Type': 'application/json' },
    });
    await node.close();
    const log = node.logs.join('');

    expect(log).toContain('/vault/v1/silent/decrypt');
    expect(log).not.toContain(plaintext);
    expect(log).not.toContain(ciphertext);
  });
});
