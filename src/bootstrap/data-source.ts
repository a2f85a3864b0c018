import { DataSource, getMetadataArgsStorage } from 'typeorm';
import { migrations } from '../migrations/index.js';
import type { Env } from '../platform/config/env.js';
import { dataSourceOptions } from '../platform/database/service-pool.js';
// Imported because its modules contain the entities, and declare the rights and personal data of their tables.
import '../app.module.js';

/** Creates a data source with the entities that the modules declare. ormconfig.ts finds the same ones by their file names. */
export function createDataSource(env: Pick<Env, 'databaseUrl' | 'databasePoolSize'>): DataSource {
  const entities = getMetadataArgsStorage().tables.map(({ target }) => target);
  return new DataSource({ ...dataSourceOptions(env), entities, migrations: [...migrations] });
}
