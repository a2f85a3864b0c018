import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { newCredential } from '../../src/platform/ids/credentials.js';
import { Provisioning } from '../../src/platform/provisioning/provisioning.js';
import { startApp, type TestApp } from '../setup/app.js';
import { runCommand } from './command.js';
import { login, ME, uniqueEmail } from './staff.js';

let app: TestApp;

beforeAll(async () => {
  app = await startApp();
});

/** Applies a document; returns the generated secrets, of which the command prints a line each. */
async function provision(document: object): Promise<string[]> {
  const secrets: string[] = [];
  await app.nest.get(Provisioning).apply(document, ({ secret }) => secrets.push(secret));
  return secrets;
}

const actionsOf = async (id: unknown) =>
  (await app.sql('select action from action_ledger_entries where subject_id = $1 order by sequence', [id])).map(
    ({ action }) => action as string,
  );

describe('the section users', () => {
  it('provisioning creates a user with a generated password that is shown once, and can be repeated', async () => {
    const row = { email: uniqueEmail(), name: 'Rosa', roles: ['sales'] };
    const [password = ''] = await provision({ users: [row] });
    expect(password).toHaveLength(20);
    await expect(login(app, row.email, password)).resolves.toMatch(/^vss_/);

    expect(await provision({ users: [{ ...row, email: row.email.toUpperCase() }] })).toEqual([]);
    const [user] = await app.sql('select id, version from users where email = $1', [row.email]);
    expect(user?.['version']).toBe(1);
    expect(await actionsOf(user?.['id'])).toEqual(['identity.user.create']);
  });

  it('provisioning of users writes only changes, and records them as the system', async () => {
    const row = { email: uniqueEmail(), name: 'Rosa', roles: ['sales'], password: 'given from outside' };
    await provision({ users: [row] });
    const session = await login(app, row.email, row.password);
    await provision({ users: [{ ...row, name: 'Rosa B.', active: false }] });
    expect((await app.with(session).get(ME)).status).toBe(401);
    const [user] = await app.sql('select id, name, active from users where email = $1', [row.email]);
    expect(user).toMatchObject({ name: 'Rosa B.', active: false });
    expect(await actionsOf(user?.['id'])).toEqual(['identity.user.create', 'identity.user.update']);
  });
});

describe('the section platformKeys', () => {
  const LANGUAGES = '/data/geo/v1/reference/languages?limit=1';

  it('provisioning creates a platform key whose generated token is shown once, and can be repeated', async () => {
    const row = { name: `partner ${randomUUID()}`, scopes: ['data:geo:read'] };
    const [token = ''] = await provision({ platformKeys: [row] });
    expect(token).toMatch(/^tpk_/);
    expect((await app.with(token).get(LANGUAGES)).status).toBe(200);
    expect(await provision({ platformKeys: [row] })).toEqual([]);
    const [key] = await app.sql('select id, version from api_tokens where name = $1', [row.name]);
    expect(key?.['version']).toBe(1);
    expect(await actionsOf(key?.['id'])).toEqual(['identity.platform_key.create']);
  });

  it('provisioning replaces the token of a platform key: the old one is rejected, and the ID of the key stays', async () => {
    const [old, next] = [newCredential('tpk').token, newCredential('tpk').token];
    const row = { name: `partner ${randomUUID()}`, scopes: ['data:geo:read'] };
    await provision({ platformKeys: [{ ...row, token: old }] });
    const idOf = async () =>
      (await app.sql('select id from api_tokens where name = $1', [row.name]))[0]?.['id'] as string;
    const id = await idOf();
    expect(await provision({ platformKeys: [{ ...row, token: next }] })).toEqual([]);
    expect((await app.with(old).get(LANGUAGES)).status).toBe(401);
    expect((await app.with(next).get(LANGUAGES)).status).toBe(200);
    expect(await idOf()).toBe(id);
    expect(await actionsOf(id)).toEqual(['identity.platform_key.create', 'identity.platform_key.update']);
    const payloads = await app.sql(
      'select p.* from ledger_payloads p join action_ledger_entries e on e.id = p.entry_id',
    );
    expect(JSON.stringify(payloads)).not.toContain(next.slice(21));
  });

  it('provisioning revokes a platform key', async () => {
    const token = newCredential('tpk').token;
    const row = { name: `partner ${randomUUID()}`, scopes: ['data:geo:read'], token };
    await provision({ platformKeys: [row] });
    await provision({ platformKeys: [{ ...row, revoked: true }] });
    expect((await app.with(token).get(LANGUAGES)).status).toBe(401);
  });
});

describe('the command provision', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'provision-'));
  });
  afterAll(() => rm(folder, { recursive: true }));

  async function run(text: string): Promise<{ code: number; output: string }> {
    const file = join(folder, 'rows.json');
    await writeFile(file, text);
    const { code, output } = await runCommand(['provision', file]);
    return { code, output: output.replaceAll(file, 'rows.json') };
  }

  it('the command provision prints the number of applied rows of each section', async () => {
    const users = [{ email: uniqueEmail(), name: 'Rosa', roles: ['sales'], password: 'given from outside' }];
    expect(await run(JSON.stringify({ users }))).toEqual({ code: 0, output: '  users: 1\n' });
  });

  it('the command provision rejects the complete document if it has errors, prints every error, and exits with 65', async () => {
    const email = uniqueEmail();
    const fine = { email, name: 'Fine', roles: ['sales'] };
    const faulty = { email: 'none', name: '', roles: ['boss'], password: 'short' };
    const key = { name: 'x', scopes: ['connect:flights'], token: 'tpk_x' };
    const { code, output } = await run(JSON.stringify({ users: [fine, faulty], platformKeys: [key], staff: [] }));
    expect(code).toBe(65);
    const faults = output.trim().split('\n');
    expect(faults.map((line) => line.trim().split(':', 1)[0])).toEqual([
      'rows.json could not be applied',
      'users.1.email',
      'users.1.name',
      'users.1.roles',
      'users.1.password',
      'platformKeys.0.scopes',
      'platformKeys.0.token',
      'staff',
    ]);
    expect(await app.sql('select from users where email = $1', [email])).toEqual([]);
  });

  it('the command provision rejects a file that is not a document', async () => {
    for (const document of [[], null, 'users', { users: {} }, { users: [null] }]) {
      await expect(app.nest.get(Provisioning).apply(document)).rejects.toThrow(/must be/);
    }
    expect(await run('{"users":')).toMatchObject({ code: 65 });
  });
});
