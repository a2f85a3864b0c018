import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * The people of a booking, and which of them take the seats of its items. A seat without a traveler is a guest whose name is
 * not known. Document numbers and notes are ciphertexts of the vault.
 */
export class BookingTravelers1796300000050 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table booking_travelers (
        id text primary key,
        booking_id text not null references bookings (id),
        position integer not null check (position > 0),
        is_lead boolean not null,
        status text not null check (status in ('active', 'cancelled')),
        customer_id text references customers (id),
        first_name text,
        last_name text,
        birth_date date,
        gender text check (gender in ('F', 'M', 'X')),
        nationality text,
        language text,
        phone text,
        email text,
        emergency_contact jsonb,
        document jsonb,
        dietary text[] not null check (cardinality(dietary) <= 8 and array_position(dietary, null) is null),
        health_note text,
        mobility_note text,
        health_data_consent jsonb,
        version integer not null check (version > 0),
        created_at timestamptz not null,
        updated_at timestamptz not null,
        constraint booking_travelers_position unique (booking_id, position) deferrable initially deferred,
        constraint booking_travelers_active_lead check (not is_lead or status = 'active')
      );
      create unique index booking_travelers_lead on booking_travelers (booking_id) where is_lead;
      create index booking_travelers_customer on booking_travelers (customer_id) where customer_id is not null`);
    // No entity: the seats of an item are read and replaced together.
    await runner.query(`
      create table booking_item_travelers (
        item_id text not null references booking_items (id),
        seat integer not null check (seat > 0),
        traveler_id text not null references booking_travelers (id) on delete cascade,
        primary key (item_id, seat),
        constraint booking_item_travelers_once unique (item_id, traveler_id)
      );
      create index booking_item_travelers_traveler on booking_item_travelers (traveler_id)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop table booking_item_travelers, booking_travelers');
  }
}
