import type { DataSource } from 'typeorm';
import type { ServicePool } from './service-pool.js';

/** The pg pool that TypeORM's postgres driver uses; the type of DataSource does not declare it. */
export function poolOf(dataSource: DataSource): ServicePool {
  return (dataSource.driver as unknown as { master: ServicePool }).master;
}

/** The address that the data source connects to. */
export function addressOf({ options }: DataSource): string {
  if (options.type !== 'postgres' || options.url === undefined) throw new Error('The data source has no address');
  return options.url;
}
