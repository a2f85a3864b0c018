import type { MigrationInterface, QueryRunner } from 'typeorm';

/** A vector of null marks a text that the model cannot embed, so that it is not tried again. */
export class CatalogNoVectors1790000002430 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('alter table catalog_embedding alter column vector drop not null');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('delete from catalog_embedding where vector is null');
    await runner.query('alter table catalog_embedding alter column vector set not null');
  }
}
