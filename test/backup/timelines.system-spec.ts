import { afterAll, expect, it } from '@jest/globals';
import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { startPostgres } from '../../scripts/embedded-postgres/index.js';
import { newFolder, type Script } from '../launcher/folders.js';
import { until } from '../platform/locked-table.js';
import { connected, Rehearsal } from './rehearsal.js';

const root = newFolder({ open: true });
const [dataDir, backupDir] = [join(root, 'data'), join(root, 'backups')];
const databases = join(dataDir, 'postgres');
mkdirSync(dataDir);
const checkpoints = join(root, 'checkpoints.jsonl');
writeFileSync(checkpoints, '{}\n');

const environment = {
  DATA_DIR: dataDir,
  FILES_DIR: join(dataDir, 'files'),
  LEDGER_CHECKPOINT_FILE: checkpoints,
  BACKUP_DIR: backupDir,
};
const commands = new Rehearsal(environment);

type Server = Awaited<ReturnType<typeof startPostgres>>;
let server: Server | null = null;

/** Does work on the embedded server, which archives everything until it has stopped. */
async function running<T>(work: (server: Server) => Promise<T>): Promise<T> {
  server = await startPostgres({ dataDir: databases, logFile: join(root, 'postgres.log'), backupDir });
  try {
    return await work(server);
  } finally {
    await server.stop();
    server = null;
  }
}

/** Adds a note and returns a moment after it that is before the next one. */
async function write({ ownerUrl }: Server, note: string): Promise<string> {
  await connected(ownerUrl, async (client) => {
    await client.query('create table if not exists notes (note text)');
    await client.query('insert into notes values ($1)', [note]);
  });
  await pause(50);
  const moment = new Date().toISOString();
  await pause(50);
  return moment;
}

/** The notes of the present database, without starting another timeline. */
async function notes(): Promise<string> {
  return running(({ ownerUrl }) =>
    connected(ownerUrl, async (client) => {
      const { rows } = await client.query<{ note: string }>('select note from notes order by note');
      return rows.map(({ note }) => note).join('');
    }),
  );
}

async function restored(...words: string[]): Promise<string> {
  await commands.succeed('restore', ['--replace', ...words]);
  return notes();
}

/** The names of the archive that belong to a later timeline than the first one. */
function laterTimelines(): string[] {
  const archive = readdirSync(backupDir).find((name) => name.startsWith('wal-')) ?? '';
  return readdirSync(join(backupDir, archive)).filter((name) => !name.startsWith('00000001'));
}

function drafts(): string[] {
  return readdirSync(databases).filter((name) => name.includes('.draft-'));
}

/** Waits until the server of a restore has replayed the log and begun another timeline. */
async function promoted(): Promise<void> {
  await until(async () => drafts().some((draft) => existsSync(join(databases, draft, 'pg_wal/00000002.history'))));
}

afterAll(async () => {
  await server?.stop();
  rmSync(root, { recursive: true, force: true });
});

const moments: Record<string, string> = {};

it('a restore that fails, is stopped or is killed after the replay leaves nothing in the archive', async () => {
  await running(async (running) => {
    moments['a'] = await write(running, 'a');
    await commands.succeed('backup');
    for (const note of ['b', 'c', 'd']) {
      moments[note] = await write(running, note);
      if (note === 'c') await commands.succeed('backup');
    }
  });
  const words = ['--replace', '--at', moments['b'] ?? ''];
  const failing = new Rehearsal({ ...environment, LEDGER_CHECKPOINT_FILE: '/dev/null/checkpoints.jsonl' });
  expect((await failing.run('restore', words)).code).toBe(1);
  const interrupted = async (end: (script: Script) => boolean) => {
    const script = commands.begin('restore', words);
    await promoted();
    end(script);
    return script.end();
  };
  expect(await interrupted(({ child }) => child.kill('SIGINT'))).toBe(130);
  expect(drafts()).toEqual([]);
  expect(await interrupted(({ child }) => child.kill('SIGKILL'))).toBe('SIGKILL');
  expect(drafts()).toHaveLength(1);
  expect(laterTimelines()).toEqual([]);

  expect(await restored()).toBe('abcd');
  expect(drafts()).toEqual([]);
}, 120_000);

it('a restore to a point in time has the state that the database had at that moment, on every branch of its history', async () => {
  expect(await restored('--at', moments['b'] ?? '')).toBe('ab');
  await running(async (running) => {
    moments['e'] = await write(running, 'e');
    await write(running, 'f');
  });
  // The newest backup is not on this branch.
  expect(await restored()).toBe('abef');
  expect(await restored('--at', moments['c'] ?? '')).toBe('abc');
  expect(await restored('--at', moments['e'] ?? '')).toBe('abe');
}, 120_000);

it('a restored database that was lost before its first start leaves the history before it', async () => {
  await running((running) => write(running, 'g'));
  await commands.succeed('restore', ['--replace', '--at', moments['b'] ?? '']);
  rmSync(databases, { recursive: true });
  expect(await restored()).toBe('abeg');
}, 120_000);

it('a restored database that was lost before its log was archived is the end of the history before it', async () => {
  expect(await restored('--at', moments['c'] ?? '')).toBe('abc');
  const archive = join(backupDir, readdirSync(backupDir).find((name) => name.startsWith('wal-')) ?? '');
  const newest = readdirSync(archive).filter((name) => name.endsWith('.history.gz'));
  const timeline = newest.sort().at(-1)?.slice(0, 8) ?? '';
  for (const name of readdirSync(archive)) {
    if (name.startsWith(timeline) && !name.includes('history')) rmSync(join(archive, name));
  }
  rmSync(databases, { recursive: true });
  expect(await restored()).toBe('abc');
}, 120_000);
