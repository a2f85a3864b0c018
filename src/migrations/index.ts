import { readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { MigrationInterface } from 'typeorm';

type Migration = new () => MigrationInterface;

const MIGRATION = /^\d+-.*\.js$/;

const load = createRequire(import.meta.url) as (path: string) => Record<string, Migration>;

/** All migrations of this folder, so that a new one is its file alone. The bundle lists them when it is built. */
export const migrations: readonly Migration[] = readdirSync(import.meta.dirname)
  .filter((file) => MIGRATION.test(file))
  .sort()
  .map((file) => migrationOf(load(join(import.meta.dirname, file))));

function migrationOf(exports: Record<string, Migration>): Migration {
  const [migration, ...others] = Object.values(exports);
  if (!migration || others.length > 0) throw new Error('A file of migrations exports one class');
  return migration;
}
