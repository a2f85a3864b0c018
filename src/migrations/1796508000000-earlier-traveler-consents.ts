import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Adds the consents of travelers that were recorded before there was a table of proofs. Delays no statements for long. */
export class EarlierTravelerConsents1796508000000 implements MigrationInterface {
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    // Older builds: they add no proof of a consent. The job `bookings.travel.retention` adds it as long as the traveler has the consent.
    await runner.query(`
      insert into traveler_consents
        (id, traveler_id, booking_id, customer_id, granted, source, text_version, given_at, created_at)
      select 'cons' || substr(traveler.id, 5), traveler.id, traveler.booking_id,
        coalesce(traveler.customer_id, case
          when fold(concat_ws(' ', traveler.first_name, traveler.last_name)) = fold(booking.customer_name) then booking.customer_id
        end),
        true, traveler.health_data_consent ->> 'source', traveler.health_data_consent ->> 'textVersion',
        (traveler.health_data_consent ->> 'givenAt')::timestamptz, traveler.updated_at
      from booking_travelers traveler join bookings booking on booking.id = traveler.booking_id
      where traveler.health_data_consent is not null
        and not exists (select from traveler_consents known where known.traveler_id = traveler.id)
      on conflict (id) do nothing`);
  }

  async down(): Promise<void> {
    // The proofs stay: the migration that created their table drops it.
  }
}
