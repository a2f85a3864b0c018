import type { MigrationInterface, QueryRunner } from 'typeorm';

/** A text that no vector can be made of is known as such (null), and not tried again and again. */
export class CatalogNoVectors1790000002430 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('alter table catalog_embedding alter column vector drop not null');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('delete from catalog_embedding where vector is null');
    await runner.query('alter table catalog_embedding alter column vector set not null');
  }
}
