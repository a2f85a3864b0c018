// @ts-check
import { createHash } from 'node:crypto';
import { existsSync, lstatSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { runQuietly } from './child.js';
import { dataFolder, loadEnvironment, ROOT } from './environment.js';
import { EXIT_UNAVAILABLE, LaunchError, report } from './launch-error.js';
import { step } from './progress.js';
import { livingClaims, whileClaimed } from './run-claims.js';

const NODE_MODULES = join(ROOT, 'node_modules');
const STAMP = join(NODE_MODULES, '.installed');
const CLAIM = join(ROOT, '.data/install.json');
const FLAGS = ['--include=dev', '--include=optional', '--no-audit', '--no-fund', '--loglevel=error'];
const UNREACHABLE =
  /ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH|EHOSTUNREACH|SOCKET_TIMEOUT|E40[137]|E5\d\d|CERT|SELF_SIGNED/;

/**
 * Installs what package-lock.json names, unless that was done for this lock file, platform and Node already.
 * A linked node_modules belongs to somebody else and is left alone.
 * @throws {LaunchError} the registry cannot be reached, or the service is running on what would be replaced
 */
export async function ensureInstalled() {
  if (isInstalled()) return;
  refuseWhileRunning();
  // Two installations at once destroy each other: the second one waits.
  await whileClaimed(CLAIM, async () => {
    if (isInstalled()) return;
    await step('installing', install);
    writeFileSync(STAMP, wantedStamp());
  });
}

/** The same for a script that does nothing else. */
export async function installOrExit() {
  await ensureInstalled().catch((error) => process.exit(report(error)));
}

/** Whether the packages are those that package-lock.json names. */
export function isInstalled() {
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
  refuseUnreachable(output);
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
  // Under NODE_ENV=production npm leaves out what the build needs.
  delete env.NODE_ENV;
  return runQuietly([...npmCommand(), 'ci', ...FLAGS], { cwd: ROOT, env });
}

/** The npm that runs us, else the one that came with this Node, else that of the path. */
export function npmCommand() {
  const beside = join(dirname(process.execPath), '../lib/node_modules/npm/bin/npm-cli.js');
  const running = process.env.npm_execpath ?? '';
  const cli = [running, beside].find((each) => basename(each) === 'npm-cli.js' && existsSync(each));
  return cli ? [process.execPath, cli] : ['npm'];
}

/** @param {string} output */
function refuseUnreachable(output) {
  if (!UNREACHABLE.test(output)) return;
  throw new LaunchError(
    'The npm registry could not be reached, or does not hand out the packages.',
    'Check the network, the proxy (`npm config get proxy`) and the registry (`npm config get registry`), then run the same command again.',
    { detail: firstLines(output), exitCode: EXIT_UNAVAILABLE },
  );
}

/** @param {string} output */
function firstLines(output) {
  return output.trim().split('\n').slice(0, 8).join('\n');
}

function refuseWhileRunning() {
  loadEnvironment();
  const [pid] = livingClaims(join(dataFolder(), 'run'));
  if (pid === undefined) return;
  throw new LaunchError(
    `The packages must be installed anew, and the service of this folder is running on them (process ${pid}).`,
    `Stop it first, with Ctrl-C or \`kill ${pid}\`.`,
  );
}
