import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Consents of travelers to the use of their health data, and their withdrawals, which stay as proof when the travel data is erased.
 * The travelers themselves may be deleted. A later migration adds the earlier consents.
 */
export class TravelerConsents1796505000300 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    // No entity: rows are only added, and read for exports.
    await runner.query(`
      create table traveler_consents (
        id text primary key,
        traveler_id text not null,
        booking_id text not null references bookings (id),
        customer_id text references customers (id),
        granted boolean not null,
        source text check (length(source) between 1 and 500),
        text_version text,
        given_at timestamptz not null,
        created_at timestamptz not null,
        constraint traveler_consents_source check (not granted or source is not null)
      );
      create index traveler_consents_of_traveler on traveler_consents (traveler_id, created_at);
      create index traveler_consents_booking_id on traveler_consents (booking_id);
      create index traveler_consents_of_customer on traveler_consents (customer_id) where customer_id is not null`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop table traveler_consents');
  }
}
