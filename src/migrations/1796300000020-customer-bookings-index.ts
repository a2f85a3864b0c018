import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The index by which the bookings of a customer are found, and the validation of their reference. Neither delays statements. */
export class CustomerBookingsIndex1796300000020 implements MigrationInterface {
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    // A build that was killed leaves an invalid index.
    await runner.query('drop index concurrently if exists bookings_of_customer');
    await runner.query(
      'create index concurrently bookings_of_customer on bookings (customer_id, id) where customer_id is not null',
    );
    await runner.query('alter table bookings validate constraint bookings_customer');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop index bookings_of_customer');
  }
}
