import { beforeAll, describe, expect, it } from '@jest/globals';
import { setTimeout } from 'node:timers/promises';
import { startApp, type TestApp } from '../setup/app.js';
import { decrypt, encrypted, UNDECRYPTABLE } from './vaults.js';

type Encrypted = { data: { ciphertext: string } };
const NOT_CONTEXT = { error: 'context: context must be well-formed Unicode of 1 to 1024 bytes in UTF-8' };

let app: TestApp;
beforeAll(async () => {
  app = await startApp();
});

const bound = async (slug: string, context: string): Promise<string> => {
  const { body } = await app.as('platform').post<Encrypted>(`/vault/v1/${slug}/encrypt`, { plaintext: 'x', context });
  return body.data.ciphertext;
};
const opened = (slug: string, ciphertext: string, context?: string) =>
  app.as('platform').post(`/vault/v1/${slug}/decrypt`, { ciphertext, context });
const idOf = async (slug: string) =>
  (await app.sql<{ id: string }>('select id from vaults where slug = $1', [slug]))[0]?.id ?? '';

describe('a value that was encrypted with a context', () => {
  it('decrypts with the same context, byte for byte, and its ciphertext has the same form', async () => {
    for (const context of ['customer:42', 'é', 'e\u0301', ' padded ', 'x'.repeat(1024), '🧳'.repeat(256), '|']) {
      const ciphertext = await bound('primary', context);
      expect(Buffer.from(ciphertext, 'base64').length).toBe(1 + 28);
      const { status, body } = await opened('primary', ciphertext, context);
      expect([status, body]).toEqual([200, { data: { plaintext: 'x' } }]);
    }
  });

  it.each([
    ['a different context', 'customer:43'],
    ['no context', undefined],
    ['the context in another case', 'Customer:42'],
    ['a longer context', 'customer:42 '],
    ['a shorter context', 'customer:4'],
  ])(
    'decrypting a value that was encrypted with a context is the same 400 as any invalid ciphertext with %s',
    async (_, context) => {
      const { status, body } = await opened('primary', await bound('primary', 'customer:42'), context);
      expect([status, body]).toEqual([400, UNDECRYPTABLE]);
    },
  );

  it('a value that was encrypted with a context is told apart by the composition of its characters: nothing is normalized', async () => {
    const { body } = await opened('primary', await bound('primary', 'é'), 'e\u0301');
    expect(body).toEqual(UNDECRYPTABLE);
  });

  it('a value that was encrypted with a context does not decrypt in another vault', async () => {
    await encrypted(app.as('platform'), 'foreign', 'x');
    const { body } = await opened('foreign', await bound('primary', 'customer:42'), 'customer:42');
    expect(body).toEqual(UNDECRYPTABLE);
  });

  it('a value that was encrypted with a context keeps its context when it is rewrapped', async () => {
    const ciphertext = await bound('primary', 'customer:42');
    const path = '/vault/v1/primary/rewrap';
    const without = await app.as('platform').post(path, { ciphertext });
    const { body } = await app.as('platform').post<Encrypted>(path, { ciphertext, context: 'customer:42' });

    expect([without.status, without.body]).toEqual([400, UNDECRYPTABLE]);
    expect((await opened('primary', body.data.ciphertext, 'customer:42')).status).toBe(200);
    expect((await opened('primary', body.data.ciphertext)).status).toBe(400);
  });
});

describe('a context', () => {
  it('a context does not open a value that was encrypted without one', async () => {
    const ciphertext = await encrypted(app.as('platform'), 'primary', 'x');
    expect((await decrypt(app.as('platform'), 'primary', ciphertext)).status).toBe(200);
    for (const context of ['x', '|', '1']) {
      expect((await opened('primary', ciphertext, context)).body).toEqual(UNDECRYPTABLE);
    }
  });

  it('a context cannot imitate another version of the same key', async () => {
    const slug = 'imitated';
    await encrypted(app.as('platform'), slug, 'x');
    const id = await idOf(slug);
    // A naive concatenation of version and context would read these contexts as version 12, or as another vault.
    const ciphertexts = [await bound(slug, '2'), await bound(slug, `|context|y`), await bound(slug, `${id}|2`)];
    for (const ciphertext of ciphertexts) {
      for (const context of [undefined, 'y', '|y', `|${id}|2`, 'context|y', '|context|']) {
        expect((await opened(slug, ciphertext, context)).body).toEqual(UNDECRYPTABLE);
      }
    }
  });

  it.each([[''], ['x'.repeat(1025)], ['🧳'.repeat(257)], [1], [null], [['x']], [{ a: 'x' }]])(
    'a context is rejected by both operations if it is %j',
    async (context) => {
      for (const [verb, value] of [
        ['encrypt', { plaintext: 'x' }],
        ['decrypt', { ciphertext: 'AAAA' }],
        ['rewrap', { ciphertext: 'AAAA' }],
      ] as const) {
        const { status, body } = await app.as('platform').post(`/vault/v1/primary/${verb}`, { ...value, context });
        expect(status).toBe(400);
        expect(JSON.stringify(body)).toContain('context');
        expect(body).not.toEqual(UNDECRYPTABLE);
      }
    },
  );

  it('a context of 1,025 bytes is rejected with its limit', async () => {
    const context = 'é'.repeat(513);
    const { body } = await app.as('platform').post('/vault/v1/primary/encrypt', { plaintext: 'x', context });
    expect(body).toEqual(NOT_CONTEXT);
  });

  it('a context is neither audited nor logged', async () => {
    const node = await startApp({ env: { LOG_LEVEL: 'trace', DATABASE_POOL_SIZE: '4' } });
    const context = 'a-very-private-context';
    const path = '/vault/v1/unrecorded';
    const { body } = await node.as('platform').post<Encrypted>(`${path}/encrypt`, { plaintext: 'x', context });
    await node.as('platform').post(`${path}/decrypt`, { ...body.data, context });
    await node.as('platform').post(`${path}/decrypt`, { ...body.data, context: `${context}!` });
    await node.close();
    await setTimeout(600);
    const rows = await app.sql('select vault_audit::text as row from vault_audit where vault_id = $1', [
      await idOf('unrecorded'),
    ]);

    expect(rows.length).toBeGreaterThanOrEqual(3);
    expect(JSON.stringify(rows)).not.toContain(context);
    expect(node.logs.join('')).not.toContain(context);
  });
});
