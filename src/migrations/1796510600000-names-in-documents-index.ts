import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The index by which an erasure finds the documents that name a person. Reads and writes of the table continue meanwhile. */
export class NamesInDocumentsIndex1796510600000 implements MigrationInterface {
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    // A build that was killed leaves an invalid index.
    await runner.query('drop index concurrently if exists record_documents_named_ids');
    await runner.query(
      'create index concurrently record_documents_named_ids on record_documents using gin (named_ids)',
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop index record_documents_named_ids');
  }
}
