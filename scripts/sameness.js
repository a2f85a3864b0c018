#!/usr/bin/env node
// @ts-check
import { chmod, mkdir, mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createTemplate, dropRun, freshCopy, newRun } from '../test/setup/databases.js';
import { startServer } from '../test/setup/server.js';
import { ensureBuilt } from './build.js';
import { runQuietly } from './child.js';
import { ROOT } from './environment.js';
import { EXIT_CONFIG } from './launch-error.js';
import { step } from './progress.js';
import { differences } from './sameness/compare.js';
import { factsOf } from './sameness/service.js';

/*
 * npm run sameness -- <git revision>: builds that revision and the working tree, starts each on an empty database, and compares
 * what a change of structure must keep: the API document without its texts, error codes, scopes, ledger actions, events, and
 * the schema of the database. Prints each difference as a line, then `same` or `N differences` (exit code 1). The database
 * server is an embedded one, or the one of TEST_DATABASE_URL.
 */
const [revision] = process.argv.slice(2);
if (revision === undefined) {
  process.stderr.write('Usage: npm run sameness -- <git revision>\n');
  process.exit(EXIT_CONFIG);
}

const stopping = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => stopping.abort());

// The embedded server may run as another user, who must be able to reach its data.
const folder = await mkdtemp(join(tmpdir(), 'travel-sameness-'));
await chmod(folder, 0o711);
try {
  const worktree = join(folder, 'worktree');
  await step(`checking out ${revision}`, () => checkOut(revision, worktree));
  await step('building it', () => build(worktree));
  await ensureBuilt({ signal: stopping.signal });
  const [before, after] = await compareOn(worktree);
  const lines = differences(before, after);
  for (const line of lines) process.stdout.write(`${line}\n`);
  process.stdout.write(lines.length === 0 ? 'same\n' : `${lines.length} difference${lines.length === 1 ? '' : 's'}\n`);
  process.exitCode = lines.length === 0 ? 0 : 1;
} finally {
  await rm(folder, { recursive: true, force: true });
  await git('worktree', 'prune');
}

/** @param {string} worktree the folder of the other build */
async function compareOn(worktree) {
  const { adminUrl, stop } = await startServer(folder);
  const run = newRun();
  try {
    const template = { adminUrl, run, ...(await createTemplate(adminUrl, run)) };
    const facts = [];
    for (const [name, root] of Object.entries({ before: worktree, after: ROOT })) {
      stopping.signal.throwIfAborted();
      const own = join(folder, name);
      await mkdir(own);
      const { MIGRATION_DATABASE_URL: databaseUrl } = await freshCopy(template, `${run}_${name}`);
      facts.push(await step(`reading ${name}`, () => factsOf({ root, databaseUrl, folder: own })));
    }
    return facts;
  } finally {
    await dropRun(adminUrl, run).finally(stop);
  }
}

/** @param {string} revision @param {string} worktree */
async function checkOut(revision, worktree) {
  await git('worktree', 'add', '--detach', worktree, revision);
  await symlink(join(ROOT, 'node_modules'), join(worktree, 'node_modules'));
}

/** @param {string} worktree */
async function build(worktree) {
  await run([process.execPath, join(ROOT, 'node_modules/@nestjs/cli/bin/nest.js'), 'build'], worktree);
}

/** @param {string[]} words */
async function git(...words) {
  await run(['git', ...words], ROOT);
}

/** @param {string[]} command @param {string} cwd */
async function run(command, cwd) {
  const signal = stopping.signal.aborted ? undefined : stopping.signal;
  const { code, output } = await runQuietly(command, { cwd, signal });
  if (code !== 0) throw new Error(`${command.join(' ')} ended with ${code}:\n${output}`);
}
