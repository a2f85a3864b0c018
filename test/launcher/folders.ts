import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, cpSync, mkdirSync, mkdtempSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export const PROJECT = join(import.meta.dirname, '../..');

/** A new folder that is accessible to its owner only, or to everybody if `open`. */
export function newFolder({ open = false } = {}): string {
  const folder = mkdtempSync(join(tmpdir(), 'travel-launcher-'));
  if (open) chmodSync(folder, 0o755);
  return folder;
}

/** The scripts of a clone, with a small service instead of the built one and no sources to build. */
export function newProject(): string {
  const folder = newFolder();
  cpSync(join(PROJECT, 'scripts'), join(folder, 'scripts'), { recursive: true });
  cpSync(join(PROJECT, 'package.json'), join(folder, 'package.json'));
  symlinkSync(join(PROJECT, 'node_modules'), join(folder, 'node_modules'));
  mkdirSync(join(folder, 'dist/src/commands'), { recursive: true });
  writeFileSync(join(folder, 'dist/src/main.js'), SERVICE);
  writeFileSync(join(folder, 'dist/src/commands/commands.js'), COMMAND);
  return folder;
}

/** Adds a row on every request and returns the number of rows; 503 while the database is unavailable. */
const SERVICE = `
import { createServer } from 'node:http';
import pg from 'pg';
const { DATABASE_URL, EMBEDDED_DATABASE, DATA_DIR, PORT, DRAIN_MS } = process.env;
const pool = new pg.Pool({ connectionString: DATABASE_URL });
pool.on('error', () => undefined);
if (EMBEDDED_DATABASE) {
  const owner = new pg.Client({ connectionString: process.env.MIGRATION_DATABASE_URL });
  await owner.connect();
  await owner.query('create table if not exists visit (number serial); grant all on visit, visit_number_seq to public');
  await owner.end();
}
const visit = () => pool.query('insert into visit default values returning number').then(({ rows }) => rows[0].number);
const server = createServer(async (request, response) => {
  const number = EMBEDDED_DATABASE ? await visit().catch(() => null) : 0;
  response.statusCode = number === null ? 503 : 200;
  response.end(JSON.stringify({ number, pid: process.pid, DATABASE_URL, DATA_DIR }));
});
server.listen(Number(PORT), '127.0.0.1', () => console.log('the service listens'));
for (const name of ['SIGINT', 'SIGTERM']) {
  process.on(name, () => {
    console.log('the service was told ' + name);
    setTimeout(() => server.close(), Number(DRAIN_MS ?? 0));
    setTimeout(() => process.exit(0), Number(DRAIN_MS ?? 0) + 100);
  });
}
`;

const COMMAND = `
import pg from 'pg';
export async function runCommand(name, options) {
  const client = new pg.Client({ connectionString: process.env.DATABASE_URL });
  await client.connect();
  const { rows } = await client.query('select current_user');
  await client.end();
  return { exitCode: 7, result: { name, options, user: rows[0].current_user }, lines: [] };
}
`;

export interface Script {
  readonly child: ChildProcess;
  /** Everything that was written so far to standard output and standard error. */
  output(): string;
  /** Everything that was written to standard output. */
  standardOutput(): string;
  /** Waits for the end; returns the exit code, or the name of the signal. */
  end(): Promise<number | string>;
}

/** Starts a Node program with a separate environment, without the settings of the test run. */
export function runScript(folder: string, words: string[], env: NodeJS.ProcessEnv = {}): Script {
  return runProgram([process.execPath, ...words], folder, env);
}

/** Starts any program in the same way. */
export function runProgram([program = '', ...words]: string[], folder: string, env: NodeJS.ProcessEnv = {}): Script {
  const { PATH, HOME } = process.env;
  const child = spawn(program, words, {
    cwd: folder,
    env: { PATH, HOME, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let [output, standardOutput] = ['', ''];
  child.stdout.on('data', (text: Buffer) => (standardOutput += text.toString()));
  child.stdout.on('data', (text: Buffer) => (output += text.toString()));
  child.stderr.on('data', (text: Buffer) => (output += text.toString()));
  const ended = once(child, 'exit').then(() => child.exitCode ?? child.signalCode ?? 'unknown');
  return { child, output: () => output, standardOutput: () => standardOutput, end: () => ended };
}
