import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Who a document names. */
export class NamesInDocuments1796510500000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    // Older builds leave it empty: an erasure finds their documents by the present records only.
    await runner.query(`alter table record_documents add column named_ids text[] not null default '{}'`);
    await runner.query('create index record_documents_named_ids on record_documents using gin (named_ids)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('alter table record_documents drop column named_ids');
  }
}
