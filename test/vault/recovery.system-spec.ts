import { expect, it } from '@jest/globals';
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { startApp } from '../setup/app.js';
import { encrypted } from './vaults.js';

const PAGE = join(import.meta.dirname, '../../docs/operations/keys.md');

/** The statement and the program of the section on recovery. */
async function documented(): Promise<{ statement: string; program: string }> {
  const page = await readFile(PAGE, 'utf8');
  const section = page.slice(page.indexOf('## Recovery of a vault without the service'));
  const block = (language: string) => new RegExp(`\`\`\`${language}\\n(.*?)\`\`\``, 's').exec(section)?.[1] ?? '';
  return { statement: block('sql').replaceAll(":'slug'", '$1'), program: block('js') };
}

/** Runs the program as an operator does; returns its output. */
async function recovered(program: string, keys: object[], kek: string, args: string[]): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'recovery-'));
  try {
    await writeFile(join(directory, 'recover.mjs'), program);
    const child = promisify(execFile)(process.execPath, ['recover.mjs', ...args], {
      cwd: directory,
      env: { KEK: kek },
      timeout: 20_000,
    });
    child.child.stdin?.end(JSON.stringify(keys));
    return (await child).stdout;
  } finally {
    await rm(directory, { recursive: true });
  }
}

it('the documented program decrypts values of every key version, with and without a context, from the database and the KEK alone', async () => {
  const kek = randomBytes(32).toString('base64');
  const app = await startApp({ env: { VAULT_KEK_recovery: kek, VAULT_KEK_PRIMARY: 'recovery' } });
  const client = app.as('platform');
  const { statement, program } = await documented();
  const context = { plaintext: 'with a context', context: 'customer:42' };

  const first = await encrypted(client, 'recovery', 'of version 1 – é');
  expect((await client.post('/vault/v1/recovery/keys')).status).toBe(201);
  app.travel({ ms: 5 * 60_000 });
  expect((await client.get('/vault/v1/recovery/keys')).body).toMatchObject({
    data: [{ version: 2, state: 'primary' }, {}],
  });
  const second = await encrypted(client, 'recovery', 'of version 2');
  const { body } = await client.post<{ data: { ciphertext: string } }>('/vault/v1/recovery/encrypt', context);
  const bound = body.data.ciphertext;
  const keys = await app.sql(statement, ['recovery']);

  expect(keys).toHaveLength(2);
  expect(await recovered(program, keys, kek, [first])).toBe('of version 1 – é');
  expect(await recovered(program, keys, kek, [second])).toBe('of version 2');
  expect(await recovered(program, keys, kek, [bound, 'customer:42'])).toBe('with a context');
  expect(await recovered(program, keys, kek, [bound])).toBe('');
  expect(await recovered(program, keys, randomBytes(32).toString('base64'), [first])).toBe('');
});
