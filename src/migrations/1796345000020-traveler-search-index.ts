import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Stores the names of the present travelers, and creates the index of all. Neither waits for the table. */
export class TravelerSearchIndex1796345000020 implements MigrationInterface {
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`update booking_travelers set last_name = last_name where search_text = ''`);
    // A build that was killed leaves an invalid index.
    await runner.query('drop index concurrently if exists booking_travelers_search');
    await runner.query(
      'create index concurrently booking_travelers_search on booking_travelers using gin (search_text gin_trgm_ops)',
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop index booking_travelers_search');
  }
}
