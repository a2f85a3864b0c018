import type { MigrationInterface, QueryRunner } from 'typeorm';

/** When the customer and free texts of a booking were erased, and an index by which the retention job finds candidates. */
export class BookingRetention1791000000710 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('alter table bookings add column erased_at timestamptz');
    await runner.query('create index bookings_kept on bookings (created_at) where erased_at is null');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop index bookings_kept');
    await runner.query('alter table bookings drop column erased_at');
  }
}
