import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Recurring schedules, and the departure that was made for each of their local times. */
export class DepartureSchedules1796380000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table departure_schedules (
        id text primary key,
        product_id text not null,
        time_zone text not null,
        dtstart date not null,
        ends_on date,
        start_times text[] not null,
        duration_minutes integer not null check (duration_minutes > 0),
        rrule text not null,
        exdates text[] not null,
        rdates text[] not null,
        horizon_days integer not null check (horizon_days between 1 and 730),
        active boolean not null,
        capacity integer not null check (capacity >= 0),
        price_cents bigint not null check (price_cents >= 0),
        tax_included_cents bigint not null,
        tax_code_id text references tax_codes on delete restrict,
        currency text not null,
        facility_id text references facilities on delete restrict,
        cutoff jsonb,
        min_participants integer,
        eu_package boolean not null,
        problem text,
        version integer not null,
        created_at timestamptz not null,
        updated_at timestamptz not null,
        constraint departure_schedules_tax check (tax_included_cents between 0 and price_cents)
      );
      create index departure_schedules_product on departure_schedules (product_id, created_at);
      create index departure_schedules_created on departure_schedules (created_at, id);
      create index departure_schedules_tax_code_id on departure_schedules (tax_code_id) where tax_code_id is not null;
      create index departure_schedules_facility_id on departure_schedules (facility_id) where facility_id is not null`);
    // No entity: statements insert, find and move the rows of a schedule.
    await runner.query(`
      create table scheduled_departures (
        schedule_id text not null references departure_schedules on delete restrict,
        local_date date not null,
        local_time text not null,
        departure_id text not null unique references departures on delete restrict,
        schedule_version integer not null,
        primary key (schedule_id, local_date, local_time)
      )`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop table scheduled_departures, departure_schedules');
  }
}
