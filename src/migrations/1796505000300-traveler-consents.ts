import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Consents of travelers to the use of their health data, and their withdrawals, which stay as proof when the travel data is erased.
 * The travelers themselves may be deleted.
 */
export class TravelerConsents1796505000300 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    // No entity: rows are only added, and read for exports.
    await runner.query(`
      create table traveler_consents (
        id text primary key,
        traveler_id text not null,
        booking_id text not null references bookings (id),
        granted boolean not null,
        source text check (length(source) between 1 and 500),
        text_version text,
        given_at timestamptz not null,
        created_at timestamptz not null,
        constraint traveler_consents_source check (not granted or source is not null)
      );
      create index traveler_consents_of_traveler on traveler_consents (traveler_id, created_at);
      create index traveler_consents_booking_id on traveler_consents (booking_id);
      insert into traveler_consents
      select 'cons' || substr(id, 5), id, booking_id, true, health_data_consent ->> 'source', health_data_consent ->> 'textVersion',
        (health_data_consent ->> 'givenAt')::timestamptz, updated_at
      from booking_travelers where health_data_consent is not null`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop table traveler_consents');
  }
}
