import { beforeAll, describe, expect, it } from '@jest/globals';
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtemp, readFile, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { startApp, type TestApp } from '../setup/app.js';
import { decrypt, decrypted, encrypt, encrypted, setVersion, versionsOf } from './vaults.js';

/** Nodes are restarted to read their keys again; a small pool each, and closed at the end of the test. */
const SMALL = { DATABASE_POOL_SIZE: '4' };
const MODULE = join(import.meta.dirname, '../../dist/src/platform/keys/local-kek.js');

let app: TestApp;

beforeAll(async () => {
  app = await startApp();
});

describe('a data-encryption key', () => {
  it('a data-encryption key is stored wrapped, as 60 bytes', async () => {
    await encrypted(app.as('platform'), 'wrapped', 'x');
    const [row] = await app.sql(`
      select length(wrapped_key) as bytes, kek_id from vault_key_versions
      where vault_id = (select id from vaults where slug = 'wrapped')`);

    expect(row).toEqual({ bytes: 60, kek_id: expect.stringMatching(/^local[0-9A-Za-z]{8}$/) });
  });

  it('a data-encryption key copied to another vault cannot be unwrapped there: 503', async () => {
    await Promise.all([encrypted(app.as('platform'), 'giver', 'x'), encrypted(app.as('platform'), 'taker', 'x')]);
    await setVersion(
      app,
      'taker',
      `wrapped_key = (select wrapped_key from vault_key_versions join vaults on id = vault_id where slug = 'giver')`,
    );
    const node = await startApp({ env: SMALL });
    const { status } = await encrypt(node.as('platform'), 'taker', 'x');
    await node.close();

    expect(status).toBe(503);
  });

  it('a data-encryption key answers 503 with retryAfterMs if its key-encryption key is missing, and the start logs it', async () => {
    const ciphertext = await encrypted(app.as('platform'), 'orphan', 'x');
    await setVersion(app, 'orphan', `kek_id = 'gone'`);
    const node = await startApp({ env: { ...SMALL, LOG_LEVEL: 'error' } });
    const answers = [
      await encrypt(node.as('platform'), 'orphan', 'x'),
      await decrypt(node.as('platform'), 'orphan', ciphertext),
    ];

    for (const { status, body, headers } of answers) {
      expect([status, body]).toEqual([
        503,
        { error: 'The key-encryption key is missing', retryAfterMs: expect.any(Number) },
      ]);
      expect(headers['retry-after']).toBe('1');
    }
    expect(node.logs.filter((line) => line.includes('its key-encryption key gone is missing or wrong'))).toHaveLength(
      1,
    );
    expect((await encrypt(node.as('platform'), 'primary', 'x')).status).toBe(200);
    await node.close();
  });
});

describe('a new key-encryption key', () => {
  it('a new key-encryption key rewraps every key at the next start, once on two processes, and the data does not change', async () => {
    const env = { ...SMALL, VAULT_KEK_PRIMARY: 'next', VAULT_KEK_next: randomBytes(32).toString('base64') };
    const ciphertext = await encrypted(app.as('platform'), 'rewrapped', 'old data');
    const nodes = await Promise.all([startApp({ env }), startApp({ env })]);

    expect((await versionsOf(app, 'rewrapped')).map(({ kek_id }) => kek_id)).toEqual(['next']);
    expect(
      await app.sql(`select from vault_audit where operation = 'rewrap' and vault_id =
      (select id from vaults where slug = 'rewrapped')`),
    ).toHaveLength(1);
    for (const node of nodes) expect(await decrypted(node.as('platform'), 'rewrapped', ciphertext)).toBe('old data');

    // The old key is no longer needed; production does not even read the local one.
    const required = { NODE_ENV: 'production', RATE_LIMIT_FACTOR: '100', BASE_URL: 'https://office.acme.test' };
    const production = await startApp({ env: { ...env, ...required } });
    expect(await decrypted(production.as('platform'), 'rewrapped', ciphertext)).toBe('old data');
    expect(await encrypt(production.as('platform'), 'made-up', 'x')).toMatchObject({
      status: 404,
      body: { error: 'Not found' },
    });
    for (const node of [...nodes, production]) await node.close();
  });
});

describe('the local key-encryption key', () => {
  it('the local key-encryption key is the same for processes that start at the same time', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'vault-kek-'));
    const script = `const { makeLocalKek } = await import(process.argv[1]); console.log(makeLocalKek(process.argv[2]).id)`;
    const run = promisify(execFile);
    const ids = await Promise.all(
      Array.from({ length: 8 }, async () => {
        const args = ['--input-type=module', '-e', script, MODULE, join(folder, 'data')];
        const { stdout } = await run(process.execPath, args);
        return stdout.trim();
      }),
    );
    const kept = JSON.parse(await readFile(join(folder, 'data/vault-kek.json'), 'utf8')) as { id: string };

    expect(ids).toEqual(Array.from({ length: 8 }, () => kept.id));
    expect(await readdir(join(folder, 'data'))).toEqual(['vault-kek.json']);
    await rm(folder, { recursive: true });
  });
});
