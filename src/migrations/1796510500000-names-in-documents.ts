import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Who a document names. */
export class NamesInDocuments1796510500000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    // Older builds leave it empty: an erasure finds their documents by the present records only.
    await runner.query(`alter table record_documents add column named_ids text[] not null default '{}'`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('alter table record_documents drop column named_ids');
  }
}
