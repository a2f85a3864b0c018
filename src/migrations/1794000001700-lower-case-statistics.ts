import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * The numbers of distinct references and addresses in lower case. PostgreSQL does not use the statistics of a partial index; it
 * would expect that one row of 200 has the reference of a filter, and read the payments by time until it has found a page.
 */
export class LowerCaseStatistics1794000001700 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('create statistics payments_lower_reference on lower(reference) from payments');
    await runner.query('create statistics bookings_lower_email on lower(customer_email) from bookings');
    await runner.query('analyze payments, bookings');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop statistics payments_lower_reference, bookings_lower_email');
  }
}
