// @ts-check
import { createHash } from 'node:crypto';
import { existsSync, lstatSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { runQuietly } from './child.js';
import { hasSources, loadEnvironment, ROOT } from './environment.js';
import { EXIT_UNAVAILABLE, LaunchError, report } from './launch-error.js';
import { lockHolders, withLock } from './lock.js';
import { step } from './progress.js';
import { serviceLocks } from './service.js';

const NODE_MODULES = join(ROOT, 'node_modules');
const STAMP = join(NODE_MODULES, '.installed');
/** npm writes this file at the end of an installation. */
const INSTALLED_BY_NPM = join(NODE_MODULES, '.package-lock.json');
/** Disk space of the packages, with PostgreSQL; a test measures it. */
export const INSTALLED_MB = 1_220;
const LOCK = join(ROOT, '.data/install.lock');
/**
 * No package needs an install script: `allowScripts` in package.json lists the ones that have a script, without an exception.
 * Older versions of npm do not read it.
 */
const FLAGS = [
  '--ignore-scripts',
  '--include=dev',
  '--include=optional',
  '--no-audit',
  '--no-fund',
  '--loglevel=error',
];
export const UNREACHABLE =
  /ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH|EHOSTUNREACH|SOCKET_TIMEOUT|E40[137]|E5\d\d|CERT|SELF_SIGNED/;

/**
 * Installs the packages of package-lock.json, unless they are installed for this lock file, platform and Node.js. A
 * node_modules that is a link belongs to another project and is not changed.
 * @throws {LaunchError} the registry cannot be reached, or the service is running on the packages
 */
export async function ensureInstalled() {
  if (isInstalled()) return;
  await rejectWhileRunning();
  // Two concurrent installations would destroy each other.
  await withLock(LOCK, async () => {
    if (isInstalled()) return;
    await step(`installing the packages of package-lock.json, about ${INSTALLED_MB} MB`, install);
    writeFileSync(STAMP, wantedStamp());
  });
}

/** Runs `ensurePackages` for a script that does nothing else. */
export async function installOrExit() {
  await ensureInstalled().catch((error) => process.exit(report(error)));
}

/**
 * Returns whether the packages match package-lock.json. In a production tree npm has installed them, without build packages.
 */
export function isInstalled() {
  if (!hasSources() && existsSync(INSTALLED_BY_NPM)) return true;
  if (lstatSync(NODE_MODULES, { throwIfNoEntry: false })?.isSymbolicLink()) return true;
  return existsSync(STAMP) && readFileSync(STAMP, 'utf8') === wantedStamp();
}

function wantedStamp() {
  const lock = createHash('sha256')
    .update(readFileSync(join(ROOT, 'package-lock.json')))
    .digest('hex');
  return `${lock} ${process.platform} ${process.arch} node${process.versions.node.split('.')[0]}\n`;
}

async function install() {
  const { code, output } = await npmCi();
  if (code === 0) return;
  rejectUnreachable(output);
  const detail = firstLines(output);
  if (/\bcode EUSAGE\b/.test(output)) {
    throw new LaunchError(
      'npm rejects package-lock.json: it does not fit package.json, or it lacks packages.',
      'Restore both files (`git checkout package.json package-lock.json`). After a change of the dependencies update the lock file with `npm install --package-lock-only`.',
      { detail },
    );
  }
  throw new LaunchError('npm could not install the packages.', 'The output of npm above names the reason.', {
    detail,
    exitCode: 1,
  });
}

async function npmCi() {
  const env = { ...process.env };
  // With NODE_ENV=production, npm would omit the packages of the build.
  delete env.NODE_ENV;
  return runQuietly([...npmCommand(), 'ci', ...FLAGS], { cwd: ROOT, env });
}

/** Finds the npm that runs this process, otherwise the one of this Node.js, otherwise the one of PATH. */
export function npmCommand() {
  const beside = join(dirname(process.execPath), '../lib/node_modules/npm/bin/npm-cli.js');
  const running = process.env.npm_execpath ?? '';
  const cli = [running, beside].find((each) => basename(each) === 'npm-cli.js' && existsSync(each));
  return cli ? [process.execPath, cli] : ['npm'];
}

/** @param {string} output */
function rejectUnreachable(output) {
  if (!UNREACHABLE.test(output)) return;
  throw new LaunchError(
    'The npm registry could not be reached, or does not provide the packages.',
    'Check the network, the proxy (`npm config get proxy`) and the registry (`npm config get registry`), then run the same command again.',
    { detail: firstLines(output), exitCode: EXIT_UNAVAILABLE },
  );
}

/** @param {string} output */
function firstLines(output) {
  return output.trim().split('\n').slice(0, 8).join('\n');
}

async function rejectWhileRunning() {
  loadEnvironment();
  const [pid] = await lockHolders(serviceLocks());
  if (pid === undefined) return;
  throw new LaunchError(
    `The packages must be installed again, and the service of this folder is running on them (process ${pid}).`,
    `Stop it first, with Ctrl-C or \`kill ${pid}\`.`,
  );
}
