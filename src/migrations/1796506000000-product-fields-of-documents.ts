import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The names of the fields of a document that its product owns. */
export class ProductFieldsOfDocuments1796506000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    // Older builds: they keep the names when they replace a document, and the next copy of the product repairs its fields.
    await runner.query(`alter table catalog_document add column product_fields text[] not null default '{}'`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('alter table catalog_document drop column product_fields');
  }
}
