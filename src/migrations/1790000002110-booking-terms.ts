import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * The terms under which a booking was confirmed: which versions, and a digest of them. They are stored once and stay,
 * whatever becomes of the policies. Bookings that were confirmed before have none.
 */
export class BookingTerms1790000002110 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      alter table bookings
        add column terms jsonb check (jsonb_typeof(terms) = 'array'),
        add column terms_sha256 text check (terms_sha256 ~ '^[0-9a-f]{64}$'),
        add constraint bookings_terms_digest check ((terms is null) = (terms_sha256 is null)),
        add constraint bookings_terms_of_confirmed check (terms is null or confirmed_at is not null)`);
    await runner.query(`
      create function bookings_terms_stay() returns trigger language plpgsql as $$
      begin
        raise exception 'the terms of booking % were sold and stay', old.id using errcode = 'restrict_violation';
      end $$`);
    await runner.query(`
      create trigger bookings_terms_stay before update on bookings for each row
      when (old.terms is not null
            and (old.terms, old.terms_sha256) is distinct from (new.terms, new.terms_sha256))
      execute function bookings_terms_stay()`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop trigger bookings_terms_stay on bookings');
    await runner.query('drop function bookings_terms_stay()');
    await runner.query('alter table bookings drop column terms, drop column terms_sha256');
  }
}
