// @ts-check
import { accessSync, closeSync, constants, existsSync, fsyncSync, mkdtempSync, openSync, readFileSync } from 'node:fs';
import { rmSync, statfsSync, writeSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { isUpToDate } from '../build.js';
import { runQuietly } from '../child.js';
import { dataFolder, hasSources, ROOT } from '../environment.js';
import { isInstalled, npmCommand } from '../install.js';
import { lockHolder } from '../lock.js';
import { isFree } from '../ports.js';
import { codeOf } from '../processes.js';
import { serviceLock } from '../service.js';
import { failed, fine, warned } from './finding.js';

const ANSWER_WITHIN_MS = 2_000;
const MIB = 1024 * 1024;
/** A new embedded database takes 300 MB, and its write-ahead log may grow to 1 GB. */
const NEEDED_BYTES = 300 * MIB;
const COMFORTABLE_BYTES = 2_048 * MIB;

/** The command line does not run on an older version. */
export function checkNode() {
  return [fine('node', `Node.js ${process.versions.node}`)];
}

/** Only an installation needs npm: a production tree, such as the one of the image, does not. */
export async function checkNpm() {
  if (!hasSources()) return [];
  const found = await runQuietly([...npmCommand(), '--version'], { cwd: ROOT }).catch(() => null);
  const version = /^\d+\.\d+\.\d+\S*$/m.exec(found?.output ?? '')?.[0];
  if (found?.code === 0 && version) return [fine('npm', `npm ${version}`)];
  return [warned('npm', 'npm cannot be run; packages cannot be installed', 'install the npm of this Node.js')];
}

export function checkPackages() {
  if (isInstalled()) return [fine('packages', 'installed as in package-lock.json')];
  return [warned('packages', 'not installed as in package-lock.json', 'npm start installs them from the npm registry')];
}

export function checkBuild() {
  if (isUpToDate()) return [fine('build', 'up to date')];
  return [warned('build', 'missing or outdated', 'npm start builds it; the following checks use the present build')];
}

/** Checks whether the service can listen, or is already running. */
export async function checkPort() {
  const port = Number(process.env.PORT || 3000);
  // The check of the configuration reports an invalid port.
  if (!Number.isInteger(port) || port < 0 || port > 65_535) return [];
  if (port === 0) return [fine('port', 'any free one')];
  const holder = await lockHolder(serviceLock(port));
  if (holder !== null) return [await running(port, `process ${holder}`)];
  const host = process.env.HOST || '127.0.0.1';
  if (await isFree(port, host)) return [fine('port', `${port} is free`)];
  if ((await health(port, 'live'))?.text === '{"status":"ok"}')
    return [await running(port, 'not started by npm start')];
  const remedy = `end the program that uses it, or choose another port (PORT=${port + 1}) or an address of this machine (HOST)`;
  return [failed('port', `${port} on ${host} cannot be used`, remedy)];
}

/** @param {number} port @param {string} who */
async function running(port, who) {
  const ready = await health(port, 'ready');
  if (ready?.status === 200) return fine('port', `the service is running on ${port} (${who}) and ready`);
  const message = ready ? `but not ready: ${ready.text}` : 'but does not respond';
  return warned('port', `the service is running on ${port} (${who}), ${message}`, 'see the reason in its log');
}

/** @param {number} port @param {'live' | 'ready'} check */
async function health(port, check) {
  const host = process.env.HOST && !['0.0.0.0', '::'].includes(process.env.HOST) ? process.env.HOST : '127.0.0.1';
  const url = `http://${host.includes(':') ? `[${host}]` : host}:${port}/health/${check}`;
  try {
    const answer = await fetch(url, { signal: AbortSignal.timeout(ANSWER_WITHIN_MS) });
    return { status: answer.status, text: (await answer.text()).slice(0, 200) };
  } catch {
    return null;
  }
}

/** The space for the embedded database, logs and rendered documents. */
export function checkDisk() {
  const folder = existingPartOf(dataFolder());
  const { bavail, bsize } = statfsSync(folder);
  const free = bavail * bsize;
  const message = `${Math.floor(free / MIB)} MB are free in ${folder}`;
  const remedy = 'free some space, or set DATA_DIR to a folder on a larger disk';
  if (free < NEEDED_BYTES) return [failed('disk', `${message}; ${NEEDED_BYTES / MIB} are needed`, remedy)];
  if (free < COMFORTABLE_BYTES) return [warned('disk', `${message}; this may soon be too little`, remedy)];
  return [fine('disk', message)];
}

/** Writes a file to the disk, reads it and deletes it. Creates no data folder. */
export function checkWriting() {
  const folder = dataFolder();
  const remedy = 'give the folder to the user that starts the service, or set DATA_DIR to another one';
  try {
    if (existsSync(folder)) {
      writeAndRead(folder);
      return [fine('writing', `${folder} can be written to`)];
    }
    accessSync(existingPartOf(folder), constants.W_OK | constants.X_OK);
    return [fine('writing', `${folder} does not exist yet and can be created`)];
  } catch (error) {
    return [failed('writing', `${folder} cannot be written to (${codeOf(error) || String(error)})`, remedy)];
  }
}

/** @param {string} folder */
function writeAndRead(folder) {
  const draft = mkdtempSync(join(folder, 'doctor-'));
  try {
    const file = join(draft, 'test');
    const text = String(Date.now());
    const descriptor = openSync(file, 'wx', 0o600);
    writeSync(descriptor, text);
    fsyncSync(descriptor);
    closeSync(descriptor);
    if (readFileSync(file, 'utf8') !== text) throw new Error('the content read differs from the content written');
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
}

/** @param {string} path @returns {string} */
function existingPartOf(path) {
  return existsSync(path) ? path : existingPartOf(dirname(path));
}
