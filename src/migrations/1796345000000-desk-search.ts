import type { MigrationInterface, QueryRunner } from 'typeorm';

const INDEXES = {
  bookings_phone_digits: String.raw`bookings using gin (regexp_replace(replace(customer_phone, '(0)', ''), '\D', '', 'g') gin_trgm_ops)`,
  booking_travelers_name: `booking_travelers using gin
    (fold(coalesce(first_name, '') || ' ' || coalesce(last_name, '')) gin_trgm_ops)`,
};

/** The indexes by which the desk finds bookings by telephone number and by the names of travelers. Neither delays statements. */
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
