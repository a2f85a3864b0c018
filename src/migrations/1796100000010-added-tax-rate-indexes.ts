import type { MigrationInterface, QueryRunner } from 'typeorm';

const INDEXES: Readonly<Record<string, string>> = {
  booking_items_tax_code_day: `booking_items (tax_code_id, service_date, created_at)
    where tax_code_id is not null and status <> 'cancelled' and not tax_rate_changed`,
  booking_items_tax_rate_changed: `booking_items (booking_id) where tax_rate_changed and status <> 'cancelled'`,
};

/**
 * The indexes by which items of another tax rate are found, and the validation of the constraints that the migration before
 * this one added. Neither delays statements on the items, whereas both read all of them.
 */
export class AddedTaxRateIndexes1796100000010 implements MigrationInterface {
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    for (const [name, definition] of Object.entries(INDEXES)) {
      // A build that was killed leaves an invalid index.
      await runner.query(`drop index concurrently if exists ${name}`);
      await runner.query(`create index concurrently ${name} on ${definition}`);
    }
    await runner.query('alter table booking_items validate constraint booking_items_earlier_rate');
    await runner.query('alter table booking_items validate constraint booking_items_coded_tax');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`drop index ${Object.keys(INDEXES).join(', ')}`);
  }
}
