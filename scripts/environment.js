// @ts-check
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The project's folder. */
export const ROOT = resolve(fileURLToPath(new URL('..', import.meta.url)));

/** Takes over what `.env` says; what the environment says already wins. */
export function loadEnvironment() {
  const file = join(ROOT, '.env');
  if (existsSync(file)) process.loadEnvFile(file);
}

/** Where everything lies that the service keeps: `DATA_DIR`, else `.data` in the project. Absolute. */
export function dataFolder() {
  return resolve(ROOT, process.env.DATA_DIR || '.data');
}
