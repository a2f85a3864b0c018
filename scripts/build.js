// @ts-check
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { runQuietly } from './child.js';
import { hasSources, ROOT } from './environment.js';
import { LaunchError } from './launch-error.js';
import { withLock } from './lock.js';
import { step } from './progress.js';

const OUTPUT = join(ROOT, 'dist');
const STAMP = join(OUTPUT, '.built');
const PLUGIN = 'scripts/nest/schema-descriptions.js';
const BUNDLER = ['scripts/bundle.js', 'scripts/bundle/start.cjs'];
const SETTINGS = ['ormconfig.ts', 'tsconfig.json', 'nest-cli.json', 'package-lock.json', PLUGIN, ...BUNDLER];

/**
 * Builds the service unless the build is up to date. Without sources (on a machine that has only the build) there is nothing
 * to do.
 * @param {{ signal?: AbortSignal }} [options]
 * @throws {LaunchError} the sources do not compile
 */
export async function ensureBuilt({ signal } = {}) {
  if (!hasSources()) return;
  const stamp = stampOfSources();
  if (isBuilt(stamp)) return;
  await withLock(join(ROOT, '.data/build.lock'), async () => {
    if (isBuilt(stamp)) return;
    await step('building', () => build(signal));
    writeFileSync(STAMP, stamp);
  });
}

/** Declares what was built by other means as the build of the current sources, so that no command builds it again. */
export function markBuilt() {
  writeFileSync(STAMP, stampOfSources());
}

/** Returns whether the build was made from the current sources; without sources, whether there is one. */
export function isUpToDate() {
  return hasSources() ? isBuilt(stampOfSources()) : existsSync(OUTPUT);
}

/** @param {string} stamp */
function isBuilt(stamp) {
  return existsSync(STAMP) && readFileSync(STAMP, 'utf8') === stamp;
}

/** @param {AbortSignal | undefined} signal */
async function build(signal) {
  // Deletes the old output, because the output of a deleted source would remain.
  rmSync(OUTPUT, { recursive: true, force: true });
  await run([join(ROOT, 'node_modules/@nestjs/cli/bin/nest.js'), 'build'], signal);
  await run([join(ROOT, 'scripts/bundle.js')], signal);
}

/** @param {string[]} script @param {AbortSignal | undefined} signal */
async function run(script, signal) {
  const { code, output } = await runQuietly([process.execPath, ...script], { cwd: ROOT, signal });
  if (code !== 0)
    throw new LaunchError('The service could not be built.', 'Correct the errors above.', {
      detail: output,
      exitCode: 1,
    });
}

/** Identifies the sources of a build by their contents, independently of the folder. */
export function stampOfSources() {
  const hash = createHash('sha256');
  for (const file of [...SETTINGS.map((name) => join(ROOT, name)), ...filesIn(join(ROOT, 'src'))]) {
    if (!existsSync(file)) continue;
    hash
      .update(`${relative(ROOT, file)}\0`)
      .update(readFileSync(file))
      .update('\0');
  }
  return hash.digest('hex');
}

/** @param {string} folder @returns {string[]} */
function filesIn(folder) {
  const entries = readdirSync(folder, { withFileTypes: true, recursive: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
}
