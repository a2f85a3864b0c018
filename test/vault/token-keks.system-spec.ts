import { randomBytes } from 'node:crypto';
import { chmodSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { runCommand } from '../identity/command.js';
import { until } from '../platform/locked-table.js';
import { endAll, ServiceProcess } from '../platform/service-process.js';
import { readCredentials } from '../setup/credentials.js';
import { SoftToken } from './soft-token.js';

const created = SoftToken.create();
const token = typeof created === 'string' ? null : created;
if (typeof created === 'string') process.stdout.write(`not run: ${created}\n`);

async function call(service: ServiceProcess, path: string, body: object): Promise<{ status: number; text: string }> {
  const headers = { authorization: `Bearer ${readCredentials().platformKey}`, 'content-type': 'application/json' };
  const response = await fetch(service.url + path, { method: 'POST', headers, body: JSON.stringify(body) });
  return { status: response.status, text: await response.text() };
}

async function encrypted(service: ServiceProcess, plaintext: string): Promise<string> {
  const { status, text } = await call(service, '/vault/v1/primary/encrypt', { plaintext });
  expect([status, text]).toEqual([200, text]);
  return (JSON.parse(text) as { data: { ciphertext: string } }).data.ciphertext;
}

async function decrypted(service: ServiceProcess, ciphertext: string): Promise<unknown> {
  const { status, text } = await call(service, '/vault/v1/primary/decrypt', { ciphertext });
  return status === 200 ? (JSON.parse(text) as { data: { plaintext: string } }).data.plaintext : status;
}

/** The key-encryption keys that stored keys need. */
async function neededKeks(): Promise<string[]> {
  const client = new pg.Client({ connectionString: process.env['MIGRATION_DATABASE_URL'] });
  await client.connect();
  const { rows } = await client.query<{ id: string }>(
    'select kek_id as id from service_keys union select kek_id from vault_key_versions where wrapped_key is not null order by 1',
  );
  await client.end();
  return rows.map(({ id }) => id);
}

/** Does the work with a service that has these settings. */
async function withService<T>(
  settings: Record<string, string>,
  work: (service: ServiceProcess) => Promise<T>,
): Promise<T> {
  const service = await ServiceProcess.start(settings);
  const result = await work(service);
  expect([await service.end(), service.output]).toEqual([0, service.output]);
  return result;
}

(token ? describe : describe.skip)('key-encryption keys in a PKCS#11 token', () => {
  const inToken = (primary: string) => ({ ...token?.settings, VAULT_KEK_PRIMARY: primary });
  afterEach(endAll);

  it('stored keys move to the token, to its next key and back to the environment, and every value stays readable', async () => {
    token?.createKeys('hsm2026');
    token?.createKeys('hsm2027');
    const first = await withService({}, (service) => encrypted(service, 'before'));

    const second = await withService(inToken('hsm2026'), async (service) => {
      expect(await decrypted(service, first)).toBe('before');
      return encrypted(service, 'in the token');
    });
    expect(await neededKeks()).toEqual(['hsm2026']);
    expect((await runCommand(['ledger', 'checkpoint'], inToken('hsm2026'))).code).toBe(0);
    expect(await runCommand(['ledger', 'verify'], inToken('hsm2026'))).toEqual({
      code: 0,
      output: expect.stringContaining('Verified '),
    });

    expect((await runCommand(['keys', 'rewrap'], inToken('hsm2027'))).code).toBe(0);
    expect(await neededKeks()).toEqual(['hsm2027']);

    const own = { VAULT_KEK_back: randomBytes(32).toString('base64'), VAULT_KEK_PRIMARY: 'back' };
    await withService({ ...inToken('hsm2027'), ...own, KEK_PROVIDER: 'environment' }, async (service) => {
      expect([await decrypted(service, first), await decrypted(service, second)]).toEqual(['before', 'in the token']);
    });
    expect(await neededKeks()).toEqual(['back']);
    await withService(own, async (service) => expect(await decrypted(service, second)).toBe('in the token'));
    await withService({ ...inToken('hsm2026'), VAULT_KEK_back: own.VAULT_KEK_back }, async (service) =>
      expect(await decrypted(service, second)).toBe('in the token'),
    );
    expect(await neededKeks()).toEqual(['hsm2026']);
  }, 240_000);

  it('without the token stored keys cannot be unwrapped: requests for them get 503', async () => {
    const other = { VAULT_KEK_other: randomBytes(32).toString('base64'), VAULT_KEK_PRIMARY: 'other' };
    const service = await ServiceProcess.start(other);
    expect((await call(service, '/vault/v1/primary/encrypt', { plaintext: 'x' })).status).toBe(503);
  });

  it('while the token is unavailable new keys get 503, and keys in memory work; afterwards new keys work again', async () => {
    const service = await ServiceProcess.start(inToken('hsm2026'));
    const ciphertext = await encrypted(service, 'x');
    const [tokens, away] = ['tokens', 'away'].map((name) => join(token?.folder ?? '', name)) as [string, string];
    renameSync(tokens, away);
    const during = await call(service, '/vault/v1/primary/keys', {});
    const read = await decrypted(service, ciphertext);
    renameSync(away, tokens);

    expect([during.status, read]).toEqual([503, 'x']);
    await until(async () => (await call(service, '/vault/v1/primary/keys', {})).status === 201);
  });

  it.each([
    [{ NODE_PATH: '' }, 'KEK_PKCS11_LIBRARY: needs the package pkcs11js, which is not installed; expected it beside'],
    [{ KEK_PKCS11_LIBRARY: '/no/library.so' }, 'KEK_PKCS11_LIBRARY: /no/library.so cannot be loaded ('],
    [
      { KEK_PKCS11_TOKEN: 'other' },
      "KEK_PKCS11_TOKEN: the token 'other' cannot be used (there is no token with this label)",
    ],
    [
      { VAULT_KEK_PRIMARY: 'missing' },
      "VAULT_KEK_PRIMARY: the token has no usable AES key 'missing' (no key is labelled",
    ],
    [{ KEK_PKCS11_PIN_FILE: '/no/pin' }, 'KEK_PKCS11_PIN_FILE: /no/pin cannot be read (ENOENT'],
    [{ KEK_PKCS11_PIN_FILE: '' }, 'KEK_PKCS11_PIN_FILE: is missing; expected the library, the label and the file'],
  ])('the start ends with a remedy with %j', async (variables, fault) => {
    const { code, output } = await runCommand(['keys', 'rewrap'], { ...inToken('hsm2026'), ...variables });

    expect([code, output]).toEqual([78, expect.stringContaining(fault)]);
  });

  it('the start ends with a remedy if the primary key can be extracted', async () => {
    token?.createKeys('open', { extractable: true });
    const { code, output } = await runCommand(['keys', 'rewrap'], inToken('open'));

    const fault = "VAULT_KEK_PRIMARY: the token has no usable AES key 'open' (it can be extracted)";
    expect([code, output]).toEqual([78, expect.stringContaining(fault)]);
  });

  it('the start ends with a remedy if others can read the PIN, or it is wrong', async () => {
    const { KEK_PKCS11_PIN_FILE: file = '' } = token?.settings ?? {};
    chmodSync(file, 0o644);
    const open = await runCommand(['keys', 'rewrap'], inToken('hsm2026'));
    chmodSync(file, 0o600);
    writeFileSync(file, '111111');
    const wrong = await runCommand(['keys', 'rewrap'], inToken('hsm2026'));

    expect([open.code, open.output]).toEqual([78, expect.stringContaining('can be read by others; expected the mode')]);
    expect([wrong.code, wrong.output]).toEqual([78, expect.stringContaining('cannot be used (CKR_PIN_INCORRECT)')]);
  });
});
