import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Ways out of every state of a trip: attempts that end, orders that are cancelled, and a list of what staff need to check;
 * quotes of external providers that arrived late.
 */
export class TripExits1792000000910 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await this.changeTrips(runner);
    await this.changeSteps(runner);
    await this.createAttentions(runner);
    // No entity: one row per component, written by two statements.
    await runner.query(`
      create table provider_quotes (
        component_id text primary key references trip_components on delete restrict,
        request jsonb not null check (jsonb_typeof(request) = 'object'),
        quote jsonb check (jsonb_typeof(quote) = 'object'),
        expires_at timestamptz not null
      )`);
    await runner.query(`
      alter table simulated_orders drop constraint simulated_orders_state_check,
        add constraint simulated_orders_state_check check (state in ('held', 'confirmed', 'released', 'cancelled')),
        add column cancels integer not null default 0 check (cancels >= 0),
        add column fee_cents bigint not null default 0 check (fee_cents >= 0)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`update simulated_orders set state = 'released' where state = 'cancelled'`);
    await runner.query(`
      alter table simulated_orders drop column fee_cents, drop column cancels,
        drop constraint simulated_orders_state_check,
        add constraint simulated_orders_state_check check (state in ('held', 'confirmed', 'released'))`);
    await runner.query('drop table provider_quotes');
    await runner.query('drop table trip_attentions');
    await this.revertSteps(runner);
    await this.revertTrips(runner);
  }

  private async changeTrips(runner: QueryRunner): Promise<void> {
    await runner.query('alter table trip_envelopes add column reserving_since timestamptz');
    await runner.query(`update trip_envelopes set reserving_since = updated_at where status = 'reserve_in_progress'`);
    // A cancelled trip keeps its booking.
    await runner.query(`
      alter table trip_envelopes drop constraint trip_envelopes_booking_kept,
        add constraint trip_envelopes_booking_kept check (
          (status <> 'booked' or booking_id is not null)
          and (booking_id is null or status in ('booked', 'cancelled'))),
        add constraint trip_envelopes_reserving check (
          (reserving_since is not null) = (status = 'reserve_in_progress'))`);
    // A component that another one replaced has no booking item any more.
    await runner.query(`
      alter table trip_components drop constraint trip_components_status_check,
        add constraint trip_components_status_check check (status in (
          'draft', 'priced', 'unavailable', 'held', 'booked', 'cancelling', 'cancelled', 'cancel_failed', 'removed')),
        drop constraint trip_components_booked,
        add constraint trip_components_booked check (
          (status <> 'booked' or booking_item_id is not null)
          and (booking_item_id is null or status in ('booked', 'cancelling', 'cancelled', 'cancel_failed'))),
        add column cancellation_fee_cents bigint check (cancellation_fee_cents >= 0)`);
    await runner.query(`
      create index trip_components_of_item on trip_components (booking_item_id) where booking_item_id is not null`);
  }

  private async revertTrips(runner: QueryRunner): Promise<void> {
    await runner.query('drop index trip_components_of_item');
    await runner.query(`
      update trip_components set status = 'cancelled', booking_item_id = null
      where status in ('cancelling', 'cancelled', 'cancel_failed')`);
    await runner.query(`
      alter table trip_components drop column cancellation_fee_cents,
        drop constraint trip_components_booked,
        add constraint trip_components_booked check ((booking_item_id is not null) = (status = 'booked')),
        drop constraint trip_components_status_check,
        add constraint trip_components_status_check check (status in (
          'draft', 'priced', 'unavailable', 'held', 'booked', 'cancelled', 'removed'))`);
    await runner.query(`update trip_envelopes set booking_id = null where status = 'cancelled'`);
    await runner.query(`
      alter table trip_envelopes drop constraint trip_envelopes_reserving,
        drop constraint trip_envelopes_booking_kept,
        add constraint trip_envelopes_booking_kept check ((booking_id is not null) = (status = 'booked'))`);
    await runner.query('alter table trip_envelopes drop column reserving_since');
  }

  private async changeSteps(runner: QueryRunner): Promise<void> {
    // `tries`: calls without an answer in the present state; `due_at`: when the next one is made.
    await runner.query(`
      alter table reservation_steps drop constraint reservation_steps_status_check,
        add constraint reservation_steps_status_check check (status in (
          'pending', 'dispatching', 'held', 'failed', 'unknown', 'abandoned', 'releasing', 'released', 'release_failed',
          'confirming', 'confirmed', 'confirm_failed', 'confirm_unknown', 'cancelling', 'cancelled', 'cancel_failed')),
        add column tries integer not null default 0 check (tries >= 0),
        add column unknown_since timestamptz,
        add column due_at timestamptz`);
    // An unanswered confirmation was stored as a rejected one until now. Jobs of the queue repeated these calls.
    await runner.query(`
      update reservation_steps set status = 'confirming', failure = null
      where status = 'confirm_failed' and failure ->> 'code' = 'no_answer'`);
    await runner.query(`
      update reservation_steps set due_at = updated_at where status in ('releasing', 'release_failed', 'confirming')`);
    await runner.query(`update reservation_steps set unknown_since = updated_at where status = 'unknown'`);
    await runner.query('drop index reservation_steps_open');
    await runner.query('create index reservation_steps_due on reservation_steps (due_at) where due_at is not null');
  }

  private async revertSteps(runner: QueryRunner): Promise<void> {
    await runner.query('drop index reservation_steps_due');
    await runner.query(`
      update reservation_steps set status = case status
        when 'abandoned' then 'releasing' when 'confirm_unknown' then 'confirming'
        when 'cancelling' then 'releasing' when 'cancel_failed' then 'release_failed' else 'released' end
      where status in ('abandoned', 'confirm_unknown', 'cancelling', 'cancelled', 'cancel_failed')`);
    await runner.query(`
      alter table reservation_steps drop column due_at, drop column unknown_since, drop column tries,
        drop constraint reservation_steps_status_check,
        add constraint reservation_steps_status_check check (status in (
          'pending', 'dispatching', 'held', 'failed', 'unknown', 'releasing', 'released', 'release_failed', 'confirming',
          'confirmed', 'confirm_failed'))`);
    await runner.query(`
      create index reservation_steps_open on reservation_steps (updated_at)
      where status in ('releasing', 'release_failed', 'confirming', 'confirm_failed')`);
  }

  private async createAttentions(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table trip_attentions (
        id text primary key,
        envelope_id text not null,
        component_id text not null,
        step_id text not null references reservation_steps on delete restrict,
        code text not null check (code in (
          'provider_outcome_unknown', 'provider_order_live', 'release_failed', 'confirmation_refused',
          'confirmation_unknown', 'cancellation_failed')),
        raised_at timestamptz not null,
        resolved_at timestamptz,
        resolution text check (resolution in (
          'settled', 'confirmed_outside', 'cancelled_outside', 'replaced', 'written_off')),
        note text check (length(note) between 1 and 2000),
        version integer not null check (version > 0),
        constraint trip_attentions_component foreign key (component_id, envelope_id)
          references trip_components (id, envelope_id) on delete restrict,
        constraint trip_attentions_resolved check (
          (resolved_at is not null) = (resolution is not null) and (note is null or resolved_at is not null))
      );
      create unique index trip_attentions_open on trip_attentions (step_id, code) where resolved_at is null;
      create index trip_attentions_of on trip_attentions (envelope_id, raised_at);`);
    // The suffix of a TypeID is 26 characters of base 32, to which the digits belong.
    await runner.query(`
      insert into trip_attentions (id, envelope_id, component_id, step_id, code, raised_at, version)
      select 'tatt_' || lpad(row_number() over (order by id)::text, 26, '0'), envelope_id, component_id, id,
        case status when 'release_failed' then 'release_failed' else 'confirmation_refused' end, updated_at, 1
      from reservation_steps where status in ('release_failed', 'confirm_failed')`);
    await runner.query(`
      update trip_envelopes t set attention =
        exists (select from trip_attentions a where a.envelope_id = t.id and a.resolved_at is null)
      where t.attention`);
  }
}
