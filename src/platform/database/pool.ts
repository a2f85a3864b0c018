import type { DataSource } from 'typeorm';
import type { ServicePool } from './service-pool.js';

/** The pg pool that TypeORM's postgres driver uses; the type of DataSource does not declare it. */
export function poolOf(dataSource: DataSource): ServicePool {
  return (dataSource.driver as unknown as { master: ServicePool }).master;
}
