// @ts-check
import { isUpToDate } from '../build.js';
import { runQuietly } from '../child.js';
import { isInstalled, npmCommand } from '../install.js';
import { ROOT } from '../environment.js';
import { failed, fine, warned } from './finding.js';

export function checkNode() {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  const says = `Node.js ${process.versions.node}`;
  if (major > 20 || (major === 20 && minor >= 19)) return [fine('node', says)];
  return [failed('node', `${says}; the service needs 20.19 or newer`, 'install a current one: https://nodejs.org')];
}

/** Only an installation needs npm: a service that was given to the machine as a whole does without. */
export async function checkNpm() {
  const found = await runQuietly([...npmCommand(), '--version'], { cwd: ROOT }).catch(() => null);
  const version = /^\d+\.\d+\.\d+\S*$/m.exec(found?.output ?? '')?.[0];
  if (found?.code === 0 && version) return [fine('npm', `npm ${version}`)];
  return [warned('npm', 'npm cannot be run; packages cannot be installed', 'install the npm that belongs to Node.js')];
}

export function checkPackages() {
  if (isInstalled()) return [fine('packages', 'installed as package-lock.json names them')];
  return [warned('packages', 'not installed, or not these', 'npm start installs them; it needs the npm registry')];
}

export function checkBuild() {
  if (isUpToDate()) return [fine('build', 'made from these sources')];
  return [
    warned('build', 'none, or not from these sources', 'npm start builds; what follows is what the old one says'),
  ];
}
