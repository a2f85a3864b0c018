import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Reads the products from before the constraint. Reads and writes of the table continue meanwhile. */
export class ValidatedBuffersOfProducts1796506000040 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('alter table products validate constraint products_buffers');
  }

  /** The earlier migration drops the constraint with its columns. */
  async down(): Promise<void> {}
}
