import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Units of a product's departures set aside for channels. One channel has one active allotment of a product at a time; a
 * slot is its part of one departure. Whatever moves a slot's units leaves a movement, which nobody changes.
 */
export class Allotments1790000001900 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('create extension if not exists btree_gist');
    await this.createAllotments(runner);
    await this.createSlots(runner);
    await this.createReleases(runner);
    await this.extendItems(runner);
    await this.createMovements(runner);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop table allotment_movements');
    await runner.query('alter table booking_items drop column allotment_id, drop column departure_id');
    await runner.query('drop table release_executions');
    await runner.query('drop table allotment_slots');
    await runner.query('drop table allotment_release_steps');
    await runner.query('drop table allotments');
    await runner.query('drop function allotment_movements_append_only()');
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
      )`);
    await runner.query('create index allotments_channel_id on allotments (channel_id) where deleted_at is null');
    await runner.query(
      'create index allotments_product on allotments (product_id, valid_from) where deleted_at is null',
    );
    await runner.query('create index allotments_created on allotments (created_at, id) where deleted_at is null');

    await runner.query(`
      create table allotment_release_steps (
        id bigint generated always as identity primary key,
        allotment_id text not null constraint release_steps_allotment references allotments on delete restrict,
        position smallint not null check (position between 0 and 2),
        days_before integer not null check (days_before between 0 and 3650),
        hours_before integer not null check (hours_before between 0 and 8760),
        keep_quantity integer not null check (keep_quantity between 0 and 1000000),
        retired_at timestamptz
      )`);
    await runner.query(`
      create unique index release_steps_position on allotment_release_steps (allotment_id, position)
      where retired_at is null`);
  }

  /** What a slot says of its departure's start is a copy, kept by whoever moves the departure. */
  private async createSlots(runner: QueryRunner): Promise<void> {
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
      )`);
    await runner.query('create index allotment_slots_departure_id on allotment_slots (departure_id)');
    await runner.query('create index allotment_slots_start on allotment_slots (allotment_id, starts_at, id)');
  }

  private async createReleases(runner: QueryRunner): Promise<void> {
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
      )`);
    await runner.query(`create index release_executions_due on release_executions (due_at) where status = 'pending'`);
    await runner.query('create index release_executions_slot_id on release_executions (slot_id)');
  }

  private async extendItems(runner: QueryRunner): Promise<void> {
    await runner.query(`
      alter table booking_items
        add column departure_id text constraint booking_items_departure references departures on delete restrict,
        add column allotment_id text constraint booking_items_allotment references allotments on delete restrict,
        add constraint booking_items_units check (allotment_id is null or departure_id is not null)`);
    await runner.query('create index booking_items_departure_id on booking_items (departure_id)');
    await runner.query('create index booking_items_allotment_id on booking_items (allotment_id)');
  }

  private async createMovements(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table allotment_movements (
        id text primary key,
        slot_id text not null constraint allotment_movements_slot references allotment_slots on delete restrict,
        kind text not null check (kind in ('allot', 'pick', 'unpick', 'release', 'reclaim')),
        cause text not null check (cause in (
          'opened', 'changed', 'item', 'step', 'hand', 'out_of_range', 'departure_cancelled', 'deleted'
        )),
        quantity integer not null check (quantity > 0),
        booking_item_id text constraint allotment_movements_item references booking_items on delete restrict,
        created_at timestamptz not null,
        constraint allotment_movements_of_items check ((cause = 'item') = (booking_item_id is not null)),
        constraint allotment_movements_sales check (kind not in ('pick', 'unpick') or cause = 'item')
      )`);
    await runner.query('create index allotment_movements_slot_id on allotment_movements (slot_id, created_at)');
    await runner.query('create index allotment_movements_item_id on allotment_movements (booking_item_id)');
    await runner.query(`
      create function allotment_movements_append_only() returns trigger language plpgsql as $$
      begin
        raise exception 'allotment_movements is append-only' using errcode = 'restrict_violation';
      end $$`);
    await runner.query(`
      create trigger allotment_movements_append_only before update or delete or truncate on allotment_movements
      for each statement execute function allotment_movements_append_only()`);
  }
}
