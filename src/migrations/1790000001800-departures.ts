import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Dated runnings of products, and how many of their units are gone. What is sold, held and guaranteed to channels never
 * exceeds the capacity, whoever writes; nobody sells what was called off.
 */
export class Departures1790000001800 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table departures (
        id text primary key,
        product_id text not null check (product_id ~ '^[A-Za-z0-9._:-]{1,128}$'),
        starts_at timestamptz not null,
        ends_at timestamptz not null,
        time_zone text not null check (length(time_zone) between 1 and 64),
        start_date date not null generated always as ((starts_at at time zone time_zone)::date) stored,
        capacity integer not null check (capacity between 0 and 1000000),
        price_cents bigint not null check (price_cents between 0 and 9007199254740991),
        tax_included_cents bigint not null,
        currency text not null check (currency ~ '^[A-Z]{3}$'),
        facility_id text constraint departures_facility references facilities on delete restrict,
        status text not null check (status in ('scheduled', 'cancelled')),
        sold integer not null check (sold >= 0),
        held integer not null check (held >= 0),
        guaranteed_open integer not null check (guaranteed_open >= 0),
        cancelled_at timestamptz,
        version integer not null check (version > 0),
        created_at timestamptz not null,
        updated_at timestamptz not null,
        constraint departures_times check (ends_at > starts_at),
        constraint departures_tax check (tax_included_cents between 0 and price_cents),
        constraint departures_pool check (sold + held + guaranteed_open <= capacity),
        constraint departures_cancellation check ((cancelled_at is not null) = (status = 'cancelled')),
        constraint departures_cancelled_unsold check (status = 'scheduled' or sold + held = 0)
      )`);
    await runner.query('create index departures_product on departures (product_id, start_date, id)');
    await runner.query('create index departures_start on departures (starts_at, id)');
    await runner.query('create index departures_start_date on departures (start_date)');
    await runner.query(`create index departures_at_facility on departures (facility_id, starts_at)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop table departures');
  }
}
