import type { MigrationInterface, QueryRunner } from 'typeorm';

const CONSTRAINTS = ['booking_items_extra', 'booking_items_extra_takes_nothing'];

/** Checks the rows of items, and lets a deletion of an extra find them, without delaying statements. */
export class ProductExtrasIndexes1796503000030 implements MigrationInterface {
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    for (const name of CONSTRAINTS) await runner.query(`alter table booking_items validate constraint ${name}`);
    // A build that was killed leaves an invalid index.
    await runner.query('drop index concurrently if exists booking_items_extra_id');
    await runner.query(
      'create index concurrently booking_items_extra_id on booking_items (extra_id) where extra_id is not null',
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop index booking_items_extra_id');
  }
}
