import type { MigrationInterface, QueryRunner } from 'typeorm';

const REFERENCES = ['option_id', 'unit_id', 'price_list_id'];
const CONSTRAINTS = ['option', 'unit', 'price_list', 'seats', 'people', 'listed'];

/** Checks the rows of items, and lets a deletion of what they refer to find them, without delaying statements. */
export class UnitsOfItemsIndexes1796370000010 implements MigrationInterface {
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    for (const name of CONSTRAINTS)
      await runner.query(`alter table booking_items validate constraint booking_items_${name}`);
    for (const column of REFERENCES) {
      // A build that was killed leaves an invalid index.
      await runner.query(`drop index concurrently if exists booking_items_${column}`);
      await runner.query(
        `create index concurrently booking_items_${column} on booking_items (${column}) where ${column} is not null`,
      );
    }
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const column of REFERENCES) await runner.query(`drop index booking_items_${column}`);
  }
}
