import type { Pool } from 'pg';
import type { DataSource } from 'typeorm';

/** The pg pool under TypeORM. The postgres driver keeps it there; DataSource's type does not know which driver it has. */
export function poolOf(dataSource: DataSource): Pool {
  return (dataSource.driver as unknown as { master: Pool }).master;
}
