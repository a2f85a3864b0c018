import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Distribution channels, and the units of departures that are allotted to them. A channel has one active allotment of a
 * product at a time; a slot is the part of the allotment in one departure.
 */
export class Distribution1790000000900 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await this.createChannels(runner);
    await this.createAllotments(runner);
    await this.createReleases(runner);
    await this.createMovements(runner);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop table allotment_movements, release_executions, allotment_release_steps');
    await runner.query('drop table allotment_slots, allotments, channels');
    await runner.query('drop function allotment_movements_append_only');
  }

  private async createChannels(runner: QueryRunner): Promise<void> {
    // The name of an archived channel can be used again.
    await runner.query(`
      create table channels (
        id text primary key,
        name text not null check (length(name) between 1 and 255),
        description text check (length(description) <= 2000),
        kind text not null check (kind ~ '^[a-z][a-z0-9_-]{0,49}$'),
        status text not null check (status in ('active', 'inactive', 'pending', 'archived')),
        website text check (length(website) <= 2048),
        contact_name text check (length(contact_name) <= 255),
        contact_email text check (length(contact_email) <= 255),
        metadata jsonb check (jsonb_typeof(metadata) = 'object'),
        system_key text constraint channels_system_key unique,
        version integer not null default 1 check (version > 0),
        created_at timestamptz not null,
        updated_at timestamptz not null
      );
      create unique index channels_live_name on channels (lower(name)) where status <> 'archived';
      create index channels_status_created_at on channels (status, created_at);
      create index channels_kind on channels (kind);
      create index channels_name_search on channels using gin (name gin_trgm_ops);`);
  }

  private async createAllotments(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table allotments (
        id text primary key,
        channel_id text not null constraint allotments_channel references channels on delete restrict,
        product_id text not null check (product_id ~ '^[A-Za-z0-9._:-]{1,128}$'),
        type text not null check (type in ('guaranteed', 'cap')),
        valid_from date not null check (valid_from between '1900-01-01' and '2199-12-31'),
        valid_to date check (valid_to between '1900-01-01' and '2199-12-31'),
        default_quantity integer not null check (default_quantity between 0 and 1000000),
        active boolean not null,
        release_mode text check (release_mode in ('automatic', 'manual')),
        unsold_action text check (unsold_action in ('release_to_general_pool', 'expire', 'retain')),
        notes text check (length(notes) between 1 and 2000),
        deleted_at timestamptz,
        version integer not null check (version > 0),
        created_at timestamptz not null,
        updated_at timestamptz not null,
        constraint allotments_range check (valid_to >= valid_from),
        constraint allotments_release check ((release_mode is null) = (unsold_action is null)),
        constraint allotments_no_overlap exclude using gist (
          channel_id with =, product_id with =, daterange(valid_from, valid_to, '[]') with &&
        ) where (active and deleted_at is null)
      );
      create index allotments_channel_id on allotments (channel_id) where deleted_at is null;
      create index allotments_product on allotments (product_id, valid_from) where deleted_at is null;
      create index allotments_created on allotments (created_at, id) where deleted_at is null;`);

    // `starts_at`, `start_date` and `time_zone` are copies of the departure's, updated with it: slots are sorted and
    // released by them.
    await runner.query(`
      create table allotment_slots (
        id text primary key,
        allotment_id text not null constraint allotment_slots_allotment references allotments on delete restrict,
        departure_id text not null constraint allotment_slots_departure references departures on delete restrict,
        starts_at timestamptz not null,
        start_date date not null,
        time_zone text not null check (length(time_zone) between 1 and 64),
        allotted integer not null check (allotted between 0 and 1000000),
        sold integer not null check (sold >= 0),
        released integer not null check (released >= 0),
        released_at timestamptz,
        closed_at timestamptz,
        version integer not null check (version > 0),
        created_at timestamptz not null,
        updated_at timestamptz not null,
        constraint allotment_slots_place unique (allotment_id, departure_id),
        constraint allotment_slots_units check (sold + released <= allotted),
        constraint allotment_slots_closed check (closed_at is null or sold + released = allotted)
      );
      create index allotment_slots_departure_id on allotment_slots (departure_id);
      create index allotment_slots_start on allotment_slots (allotment_id, starts_at, id);`);
  }

  private async createReleases(runner: QueryRunner): Promise<void> {
    // No entity: the steps of an allotment are replaced as a set and read with it as JSON.
    await runner.query(`
      create table allotment_release_steps (
        id bigint generated always as identity primary key,
        allotment_id text not null constraint release_steps_allotment references allotments on delete restrict,
        position smallint not null check (position between 0 and 2),
        days_before integer not null check (days_before between 0 and 3650),
        hours_before integer not null check (hours_before between 0 and 8760),
        keep_quantity integer not null check (keep_quantity between 0 and 1000000),
        retired_at timestamptz
      );
      create unique index release_steps_position on allotment_release_steps (allotment_id, position)
      where retired_at is null;`);

    // No entity: executions are planned, claimed and finished as sets.
    await runner.query(`
      create table release_executions (
        step_id bigint not null constraint release_executions_step references allotment_release_steps on delete restrict,
        slot_id text not null constraint release_executions_slot references allotment_slots on delete restrict,
        due_at timestamptz not null,
        status text not null check (status in ('pending', 'done', 'cancelled')),
        units integer check (units >= 0),
        executed_at timestamptz,
        primary key (step_id, slot_id),
        constraint release_executions_done check (
          (status = 'done') = (executed_at is not null) and (status = 'done') = (units is not null)
        )
      );
      create index release_executions_due on release_executions (due_at) where status = 'pending';
      create index release_executions_slot_id on release_executions (slot_id);`);
  }

  private async createMovements(runner: QueryRunner): Promise<void> {
    // Each change of the units of a slot inserts a movement. The migration of bookings adds the foreign key of
    // `booking_item_id`, because booking items refer to allotments.
    // No entity: movements are inserted in sets and never changed.
    await runner.query(`
      create table allotment_movements (
        id text primary key,
        slot_id text not null constraint allotment_movements_slot references allotment_slots on delete restrict,
        kind text not null check (kind in ('allot', 'pick', 'unpick', 'release', 'reclaim')),
        cause text not null check (cause in (
          'opened', 'changed', 'item', 'step', 'hand', 'out_of_range', 'departure_cancelled', 'deleted', 'reversal'
        )),
        quantity integer not null check (quantity > 0),
        booking_item_id text,
        created_at timestamptz not null,
        constraint allotment_movements_of_items check ((cause = 'item') = (booking_item_id is not null)),
        constraint allotment_movements_sales check (kind not in ('pick', 'unpick') or cause = 'item')
      );
      create index allotment_movements_slot_id on allotment_movements (slot_id, created_at);
      create index allotment_movements_item_id on allotment_movements (booking_item_id);
      create function allotment_movements_append_only() returns trigger language plpgsql as $$
      begin
        raise exception 'allotment_movements is append-only' using errcode = 'restrict_violation';
      end $$;
      create trigger allotment_movements_append_only before update or delete or truncate on allotment_movements
      for each statement execute function allotment_movements_append_only();`);
  }
}
