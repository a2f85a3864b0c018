import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Number.MAX_SAFE_INTEGER: the largest amount that JSON clients read exactly. */
const MAX_CENTS = '9007199254740991';

/** Facilities, the ground operators that work there, and the departures of products. */
export class Operations1790000000800 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    // A facility is archived and never deleted: other rows keep referring to it.
    await runner.query(`
      create table facilities (
        id text primary key,
        name text not null check (length(name) between 1 and 255),
        code text check (length(code) between 1 and 100),
        kind text not null check (kind in (
          'property', 'hotel', 'resort', 'venue', 'meeting_point', 'transfer_hub', 'airport', 'station', 'marina', 'camp',
          'lodge', 'office', 'attraction', 'restaurant', 'other'
        )),
        status text not null check (status in ('active', 'inactive', 'archived')),
        parent_facility_id text constraint facilities_parent references facilities on delete restrict,
        description text check (length(description) between 1 and 2000),
        time_zone text check (length(time_zone) between 1 and 64),
        address_line1 text check (length(address_line1) between 1 and 255),
        address_line2 text check (length(address_line2) between 1 and 255),
        address_city text check (length(address_city) between 1 and 255),
        address_region text check (length(address_region) between 1 and 255),
        address_postal_code text check (length(address_postal_code) between 1 and 20),
        address_country text check (address_country ~ '^[A-Z]{2}$'),
        latitude double precision check (latitude between -90 and 90),
        longitude double precision check (longitude between -180 and 180),
        tags text[] not null check (cardinality(tags) <= 50 and array_position(tags, null) is null),
        archived_at timestamptz,
        version integer not null check (version > 0),
        created_at timestamptz not null,
        updated_at timestamptz not null,
        constraint facilities_not_own_parent check (parent_facility_id <> id),
        constraint facilities_archived check ((archived_at is not null) = (status = 'archived'))
      );
      create unique index facilities_live_code on facilities (code) where status <> 'archived';
      create index facilities_name on facilities (name, id);
      create index facilities_created on facilities (created_at, id);
      create index facilities_parent_id on facilities (parent_facility_id);
      create index facilities_search on facilities using gin (name gin_trgm_ops, code gin_trgm_ops);`);

    // Two concurrent moves may each be valid and form a cycle together: the advisory lock makes one wait for the other.
    await runner.query(`
      create function facilities_have_no_cycle() returns trigger language plpgsql as $$
      begin
        perform pg_advisory_xact_lock(7120021, 0);
        if exists (
          with recursive above as (
            select id, parent_facility_id from facilities where id = new.parent_facility_id
            union
            select f.id, f.parent_facility_id from facilities f join above a on f.id = a.parent_facility_id
          )
          select from above where id = new.id
        ) then
          raise exception 'facility % would lie within itself', new.id
            using errcode = 'check_violation', constraint = 'facilities_no_cycle', table = 'facilities';
        end if;
        return new;
      end $$;
      create trigger facilities_move before update on facilities for each row
      when (new.parent_facility_id is not null and new.parent_facility_id is distinct from old.parent_facility_id)
      execute function facilities_have_no_cycle();`);

    await runner.query(`
      create table ground_operators (
        id text primary key,
        name text not null check (length(name) between 1 and 255),
        code text check (length(code) between 1 and 100) constraint ground_operators_code unique,
        active boolean not null,
        facility_id text constraint ground_operators_facility references facilities on delete restrict,
        contact_name text check (length(contact_name) between 1 and 255),
        contact_email text check (length(contact_email) between 1 and 255),
        contact_phone text check (length(contact_phone) between 1 and 50),
        service_areas text[] not null check (cardinality(service_areas) <= 50 and array_position(service_areas, null) is null),
        license_number text check (length(license_number) between 1 and 100),
        insurance_expires_on date check (insurance_expires_on between '1900-01-01' and '2199-12-31'),
        time_zone text check (length(time_zone) between 1 and 64),
        notes text check (length(notes) between 1 and 2000),
        version integer not null check (version > 0),
        created_at timestamptz not null,
        updated_at timestamptz not null
      );
      create index ground_operators_name on ground_operators (name, id);
      create index ground_operators_facility_id on ground_operators (facility_id);
      create index ground_operators_search on ground_operators using gin (name gin_trgm_ops, code gin_trgm_ops);`);

    // The check departures_pool prevents overbooking, whichever statement writes: units that are sold, held and
    // guaranteed to channels never exceed the capacity.
    await runner.query(`
      create table departures (
        id text primary key,
        product_id text not null check (product_id ~ '^[A-Za-z0-9._:-]{1,128}$'),
        starts_at timestamptz not null,
        ends_at timestamptz not null,
        time_zone text not null check (length(time_zone) between 1 and 64),
        start_date date not null generated always as ((starts_at at time zone time_zone)::date) stored,
        capacity integer not null check (capacity between 0 and 1000000),
        price_cents bigint not null check (price_cents between 0 and ${MAX_CENTS}),
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
      );
      create index departures_product on departures (product_id, start_date, id);
      create index departures_start on departures (starts_at, id);
      create index departures_start_date on departures (start_date);
      create index departures_at_facility on departures (facility_id, starts_at);`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop table departures, ground_operators, facilities');
    await runner.query('drop function facilities_have_no_cycle');
  }
}
