import { beforeAll, describe, expect, it } from '@jest/globals';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { PLATFORM } from '../identity/command.js';
import { hire, login, ME, uniqueEmail, type UserBody } from '../identity/staff.js';
import { startApp, type TestApp } from '../setup/app.js';
import { closeAfterTests } from '../setup/running.js';
import { newFolder, runProgram, type Script } from './folders.js';
import { eventually } from './wait.js';

let app: TestApp;
beforeAll(async () => {
  app = await startApp();
});

/** Starts a command with `--json` beside the running service. */
function begin(words: string[], env: NodeJS.ProcessEnv = {}): Script {
  return runProgram([...PLATFORM, ...words, '--json'], newFolder(), { ...process.env, ...env });
}

/** Its exit code and the document that it printed. */
async function run<T>(words: string[], env: NodeJS.ProcessEnv = {}): Promise<{ code: number | string; document: T }> {
  const script = begin(words, env);
  const code = await script.end();
  return { code, document: JSON.parse(script.standardOutput()) as T };
}

describe('platform users', () => {
  it('users that the operator adds, disables and enables are audited, and the running service knows it at once', async () => {
    const email = uniqueEmail();
    const added = await run<{ user: UserBody; password: string }>([
      'users',
      'add',
      email,
      '--name',
      'Maria Rossi',
      '--role',
      'viewer',
      '--role',
      'finance',
    ]);
    const { user, password } = added.document;
    expect([added.code, user]).toEqual([
      0,
      expect.objectContaining({ email, roles: ['finance', 'viewer'], active: true }),
    ]);
    const session = app.with(await login(app, email, password));
    expect((await session.get(ME)).status).toBe(200);

    expect(await run(['users', 'end-sessions', email])).toEqual({ code: 0, document: { endedSessions: 1 } });
    await eventually(async () => ((await session.get(ME)).status === 401 ? true : null));

    expect((await run(['users', 'disable', email.toUpperCase()])).code).toBe(0);
    await expect(login(app, email, password)).rejects.toThrow('401');
    const listed = await run<{ users: UserBody[] }>(['users', 'list', '--disabled', '--search', email]);
    expect(listed.document.users).toEqual([expect.objectContaining({ id: user.id, active: false })]);
    const enabled = await run<{ user: UserBody }>(['users', 'enable', email]);
    expect(enabled.document.user).toMatchObject({ id: user.id, active: true });

    const entries = await app.sql(
      `select action, actor_type as actor from action_ledger_entries entry
       where subject_id = $1 or subject_id in (select id from staff_sessions where user_id = $1) order by sequence`,
      [user.id],
    );
    expect(entries).toEqual([
      { action: 'identity.user.create', actor: 'system' },
      { action: 'identity.session.create', actor: 'user' },
      { action: 'identity.session.end', actor: 'system' },
      { action: 'identity.user.update', actor: 'system' },
      { action: 'identity.user.update', actor: 'system' },
    ]);
  });

  it('an invitation is queued for the running service and audited', async () => {
    const email = uniqueEmail();
    const { code, document } = await run<{ invitation: { id: string; status: string } }>([
      'users',
      'invite',
      email,
      '--name',
      'Maria Rossi',
      '--role',
      'owner',
    ]);
    expect([code, document.invitation.status]).toEqual([0, 'pending']);
    const { id } = document.invitation;
    expect(await app.sql('select action from action_ledger_entries where subject_id = $1', [id])).toEqual([
      { action: 'identity.invitation.create' },
    ]);
  });

  it('rejected changes end with 65 and print the error as JSON', async () => {
    const { user } = await hire(app, ['viewer']);
    expect(await run(['users', 'add', user.email, '--name', 'A', '--role', 'viewer'])).toEqual({
      code: 65,
      document: { error: { code: 'email_taken', message: 'Rejected: Another user already has this e-mail address' } },
    });
    expect(await run(['users', 'disable', uniqueEmail()])).toEqual({
      code: 65,
      document: { error: { code: 'not_found', message: 'No user has this address' } },
    });
  });
});

describe('--json', () => {
  it.each([
    [['migrate'], { applied: [], schemaVersion: expect.any(Number) }],
    [['reindex'], { slices: expect.any(Number), documents: expect.any(Number), vectors: 0 }],
  ])('%j prints one JSON document beside the running service', async (words, result) => {
    expect(await run(words)).toEqual({ code: 0, document: expect.objectContaining(result) });
  });

  it('reindex builds a stored index by itself if no process of the service does, and is audited', async () => {
    const { code, document } = await run<{ id: string; documents: number }>(['reindex', '--vertical', 'products'], {
      SEARCH_ADAPTER: 'postgres',
    });
    expect([code, document.documents > 0]).toEqual([0, true]);
    const [stored] = await app.sql<{ documents: number }>(
      `select sum(documents)::int as documents from catalog_search_index i join catalog_slice s on s.id = i.slice_id
       where searched and vertical = 'products'`,
    );
    // A document that is no longer active is stored, but not searched.
    const [hidden] = await app.sql<{ documents: number }>(
      `select count(*)::int as documents from catalog_document d join catalog_slice s on s.id = d.slice_id
       where d.deleted_at is null and vertical = 'products' and d.fields ->> 'status' in ('draft', 'archived')`,
    );
    expect([hidden?.documents, Number(stored?.documents) + Number(hidden?.documents)]).toEqual([1, document.documents]);
    expect(await app.sql('select action from action_ledger_entries where subject_id = $1', [document.id])).toEqual([
      { action: 'catalog.reindex.start' },
    ]);
  });

  it('provision prints generated secrets in its JSON document', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'platform-'));
    closeAfterTests(() => rm(folder, { recursive: true }));
    const email = uniqueEmail();
    await writeFile(join(folder, 'rows.json'), JSON.stringify({ users: [{ email, name: 'Rosa', roles: ['sales'] }] }));
    expect(await run(['provision', join(folder, 'rows.json')])).toEqual({
      code: 0,
      document: {
        sections: [{ name: 'users', rows: 1 }],
        secrets: [{ kind: 'password', owner: email, secret: expect.stringMatching(/^\w{20}$/) }],
      },
    });
  });

  it('faults of the words and of the configuration are printed as the only document', async () => {
    expect(await run(['keys', 'rotat'])).toEqual({
      code: 64,
      document: { error: { code: 'commander.unknownCommand', message: expect.stringContaining('mean rotate?') } },
    });
    const message = expect.stringMatching(/^The configuration has faults:\n {2}LOG_LEVEL: /);
    expect(await run(['keys', 'rotate'], { LOG_LEVEL: 'loud' })).toEqual({
      code: 78,
      document: { error: { message, details: { faults: [expect.stringContaining('LOG_LEVEL')] } } },
    });
  });
});

it('Ctrl-C ends a command with 130, and SIGTERM with 143', async () => {
  // Acts as another process that is migrating; an idle connection of a pool would end.
  const migrating = new pg.Client({ connectionString: process.env['MIGRATION_DATABASE_URL'] });
  await migrating.connect();
  await migrating.query('select pg_advisory_lock(7120001)');
  try {
    for (const [signal, code] of [
      ['SIGINT', 130],
      ['SIGTERM', 143],
    ] as const) {
      const script = begin(['migrate']);
      await eventually(() => (script.output().includes('Another process is migrating') ? true : null));
      script.child.kill(signal);
      expect(await script.end()).toBe(code);
      expect(JSON.parse(script.standardOutput())).toEqual({ error: { message: 'Stopped' } });
    }
  } finally {
    await migrating.end();
  }
});
