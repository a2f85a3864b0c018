// @ts-check
import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { configurationFaults, unknownSettings, weakSecrets } from '../configuration.js';
import { dataFolder, ROOT } from '../environment.js';
import { failed, faultAndRemedy, fine, warned } from './finding.js';

/** Files with secrets. Those of the embedded database are in its cluster. */
const SECRET_FILES = ['credentials.json', 'credentials.json.earlier', 'vault-kek.json'];
const PASSWORDS = 'launcher-passwords.json';

/** Reports all faults at once, as a start does, and secrets that can be guessed. */
export async function checkConfiguration() {
  const faults = await configurationFaults();
  const weak = await weakSecrets();
  if (faults === null || weak === null) {
    return [warned('configuration', 'not checked: the service is not built yet', 'npm start builds it')];
  }
  const named = faults.map((fault) => failed('configuration', ...faultAndRemedy(fault)));
  // In production weak secrets are faults.
  const known = (/** @type {string} */ name) => faults.some((fault) => fault.startsWith(`${name}: `));
  const guessable = weak
    .filter(({ name }) => !known(name))
    .map(({ name, weakness, expected, example }) =>
      warned('secrets', `${name} ${weakness}; production rejects it`, `${expected}; for example ${example}`),
    );
  const misspelled = (await unknownSettings())
    .filter(({ name }) => !known(name))
    .map(({ name, likely }) =>
      warned('configuration', `${name} is not a setting and has no effect`, `rename it to ${likely}, or remove it`),
    );
  const found = [...named, ...guessable, ...misspelled];
  if (found.length > 0) return found;
  return [fine('configuration', `no faults (NODE_ENV ${process.env.NODE_ENV || 'development'})`)];
}

/** Returns whether users other than the owner may read the files with secrets. */
export function checkSecretFiles() {
  const present = secretFiles().filter((file) => existsSync(file));
  const open = present.filter((file) => (statSync(file).mode & 0o077) !== 0);
  const isProduction = process.env.NODE_ENV === 'production';
  if (open.length > 0) {
    const words = /** @type {const} */ ([`${open.join(' and ')} can be read by others`, `chmod 600 ${open.join(' ')}`]);
    return [isProduction ? failed('secrets', ...words) : warned('secrets', ...words)];
  }
  return [
    fine('secrets', `${present.length === 0 ? 'no files with secrets yet' : 'files are readable by their owner only'}`),
  ];
}

function secretFiles() {
  const data = dataFolder();
  const clusters = join(data, 'postgres');
  const passwords = namesIn(clusters).map((name) => join(clusters, name, PASSWORDS));
  return [join(ROOT, '.env'), ...SECRET_FILES.map((name) => join(data, name)), ...passwords];
}

/** @param {string} folder */
function namesIn(folder) {
  try {
    return readdirSync(folder).filter((name) => /^\d+$/.test(name));
  } catch {
    return [];
  }
}
