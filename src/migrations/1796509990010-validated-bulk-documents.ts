import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Reads the operations from before the constraint. Reads and writes of the table continue meanwhile. */
export class ValidatedBulkDocuments1796509990010 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('alter table bulk_operations validate constraint bulk_operations_type_check');
  }

  /** The earlier migration replaces the constraint. */
  async down(): Promise<void> {}
}
