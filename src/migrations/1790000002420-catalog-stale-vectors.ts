import type { MigrationInterface, QueryRunner } from 'typeorm';

/** A stale vector is used until the new one is computed. */
export class CatalogStaleVectors1790000002420 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('alter table catalog_embedding add column stale boolean not null default false');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('alter table catalog_embedding drop column stale');
  }
}
