import type { MigrationInterface, QueryRunner } from 'typeorm';

const INDEXES = {
  bookings_phone_digits: String.raw`bookings using gin
    (regexp_replace(replace(customer_phone, '(0)', ''), '\D', '', 'g') gin_trgm_ops)`,
  bookings_customer_name: 'bookings (customer_name, id)',
};

/** The indexes by which the desk finds bookings by telephone number, and sorts them by name. Neither delays statements. */
export class DeskSearch1796345000000 implements MigrationInterface {
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    for (const [name, definition] of Object.entries(INDEXES)) {
      // A build that was killed leaves an invalid index.
      await runner.query(`drop index concurrently if exists ${name}`);
      await runner.query(`create index concurrently ${name} on ${definition}`);
    }
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const name of Object.keys(INDEXES)) await runner.query(`drop index ${name}`);
  }
}
