import type { DataSource } from 'typeorm';
import type { ServicePool } from './service-pool.js';

/** The pg pool under TypeORM. The postgres driver keeps it there; DataSource's type does not know which driver it has. */
export function poolOf(dataSource: DataSource): ServicePool {
  return (dataSource.driver as unknown as { master: ServicePool }).master;
}
