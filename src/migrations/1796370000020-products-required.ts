import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Whether new departures and allotments need a product with a record. */
export class ProductsRequired1796370000020 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('alter table organization_settings add products_required boolean not null default false');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('alter table organization_settings drop products_required');
  }
}
