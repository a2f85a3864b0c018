import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Customers who wait for units of a departure that is sold out, or of a product within a range of days. */
export class WaitingList1796430500020 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table waiting_entries (
        id text primary key,
        departure_id text references departures on delete restrict,
        product_id text not null check (product_id ~ '^[A-Za-z0-9._:-]{1,128}$'),
        from_date date,
        to_date date,
        option_id text,
        units jsonb not null check (jsonb_typeof(units) = 'array'),
        quantity integer check (quantity between 1 and 100000),
        seats integer not null check (seats between 1 and 1000000),
        customer_id text references customers on delete restrict,
        priority integer not null check (priority between 0 and 100),
        note text check (length(note) between 1 and 2000),
        status text not null check (status in ('waiting', 'offered', 'accepted', 'expired', 'withdrawn')),
        offers integer not null check (offers >= 0),
        offered_departure_id text references departures on delete restrict,
        offered_at timestamptz,
        offer_expires_at timestamptz,
        message_id text references notification_messages on delete restrict,
        booking_id text references bookings on delete restrict,
        end_reason text check (end_reason ~ '^[a-z_]{1,50}$'),
        ended_at timestamptz,
        version integer not null check (version > 0),
        created_at timestamptz not null,
        updated_at timestamptz not null,
        constraint waiting_entries_target check (
          (departure_id is null) = (from_date is not null) and (from_date is null) = (to_date is null)),
        constraint waiting_entries_range check (to_date >= from_date),
        constraint waiting_entries_units check ((quantity is null) = (jsonb_array_length(units) > 0)),
        constraint waiting_entries_offered check (
          (status in ('offered', 'accepted')) = (offered_departure_id is not null)
          and (status = 'offered') = (offer_expires_at is not null)
          and (status <> 'offered' or offered_at is not null)),
        constraint waiting_entries_ended check ((status in ('waiting', 'offered')) = (ended_at is null)),
        constraint waiting_entries_accepted check ((status = 'accepted') = (booking_id is not null)),
        constraint waiting_entries_end_reason check ((status in ('expired', 'withdrawn')) = (end_reason is not null)),
        constraint waiting_entries_customer check (customer_id is not null or status not in ('waiting', 'offered'))
      );
      create index waiting_entries_line on waiting_entries (product_id, priority desc, created_at, id) where status = 'waiting';
      create index waiting_entries_due on waiting_entries (offer_expires_at) where status = 'offered';
      create index waiting_entries_created on waiting_entries (created_at, id);
      create index waiting_entries_departure_id on waiting_entries (departure_id) where departure_id is not null;
      create index waiting_entries_offered_departure_id on waiting_entries (offered_departure_id)
        where offered_departure_id is not null;
      create index waiting_entries_customer_id on waiting_entries (customer_id) where customer_id is not null;
      create index waiting_entries_message_id on waiting_entries (message_id) where message_id is not null;
      create index waiting_entries_booking_id on waiting_entries (booking_id) where booking_id is not null`);
  }

  async down(runner: QueryRunner): Promise<void> {
    // The units that offers hold return to the pools.
    await runner.query(`
      update departures d set held = d.held - offered.seats
      from (
        select offered_departure_id as id, sum(seats)::integer as seats from waiting_entries where status = 'offered' group by 1
      ) offered
      where d.id = offered.id`);
    await runner.query('drop table waiting_entries');
  }
}
