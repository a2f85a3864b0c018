// @ts-check
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { isProduction, ROOT } from './environment.js';

/** A placeholder for the address of the embedded database, which is known only after its start. Production has none. */
function embeddedUrl() {
  return isProduction() ? undefined : 'postgres://embedded@127.0.0.1/travel';
}

/**
 * Returns the faults of the configuration as the service reports them, one line each.
 * @returns {Promise<string[] | null>} null: not built
 */
export async function configurationFaults() {
  return faultsOf('readEnv');
}

/**
 * Finds variables with names similar to settings.
 * @returns {Promise<{ name: string, likely: string }[]>} empty if the service is not built
 */
export async function unknownSettings() {
  const config = await built('unknown-settings.js');
  return config === null ? [] : config.unknownSettings(process.env);
}

/** Returns the faults of the settings of a backup, which needs no other settings. @returns {Promise<string[] | null>} */
export async function backupFaults() {
  return faultsOf('checkBackupEnv');
}

/** @param {'readEnv' | 'checkBackupEnv'} reader @returns {Promise<string[] | null>} */
async function faultsOf(reader) {
  const config = await built('read-env.js');
  if (config === null) return null;
  try {
    config[reader]({ ...process.env, DATABASE_URL: process.env.DATABASE_URL || embeddedUrl() });
    return [];
  } catch (error) {
    if (error instanceof Error && 'faults' in error) return /** @type {string[]} */ (error.faults);
    throw error;
  }
}

/**
 * Finds secrets of the environment that can be guessed.
 * @returns {Promise<{ name: string, weakness: string, expected: string, example: string }[] | null>} null: not built
 */
export async function weakSecrets() {
  const config = await built('weak-secrets.js');
  return config === null ? null : config.weakSecrets(process.env);
}

/**
 * Returns the address of a database as the service uses it; unchanged if the service is not built.
 * @param {string} text
 * @returns {Promise<string>}
 */
export async function databaseUrlOf(text) {
  const tls = URL.canParse(text) ? await built('database-tls.js') : null;
  return tls === null ? text : tls.withPostgresTlsModes(text);
}

/** @param {string} name */
async function built(name) {
  const file = join(ROOT, 'dist/src/platform/config', name);
  return existsSync(file) ? import(pathToFileURL(file).href) : null;
}
