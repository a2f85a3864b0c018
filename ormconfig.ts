import { join } from 'node:path';
import { DataSource } from 'typeorm';
import { dataSourceOptions } from './src/platform/database/service-pool.js';

/** For the `typeorm` command: `typeorm migration:generate ... -d dist/ormconfig.js`. The service makes its own. */
export default new DataSource({
  ...dataSourceOptions({ databaseUrl: process.env['DATABASE_URL'] ?? '', databasePoolSize: 4 }),
  entities: [join(import.meta.dirname, 'src/**/*.entity.js')],
  migrations: [join(import.meta.dirname, 'src/migrations/*-*.js')],
});
