import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Number.MAX_SAFE_INTEGER: the largest amount that JSON clients read exactly. */
const MAX_CENTS = '9007199254740991';

/** Trips: envelopes of components that are priced, held and booked together. */
export class Trips1790000001400 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await this.createEnvelopes(runner);
    await this.createComponents(runner);
    await this.createReservations(runner);
    await this.createSimulation(runner);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop table simulated_orders, simulated_products, reservation_steps, reservation_plans');
    await runner.query('drop table trip_component_events, trip_components, trip_envelopes');
  }

  private async createEnvelopes(runner: QueryRunner): Promise<void> {
    // `lease_expires_at` and `fencing_token`: one process works on a reservation, and one that was too slow cannot
    // write.
    await runner.query(`
      create table trip_envelopes (
        id text primary key,
        title text check (length(title) between 1 and 255),
        status text not null check (status in (
          'draft', 'priced', 'reserve_in_progress', 'reserved', 'failed', 'expired', 'checkout_started', 'booked', 'cancelled'
        )),
        currency text not null check (currency ~ '^[A-Z]{3}$'),
        traveler_party jsonb check (jsonb_typeof(traveler_party) = 'object'),
        subtotal_cents bigint check (subtotal_cents between 0 and ${MAX_CENTS}),
        tax_cents bigint check (tax_cents between 0 and ${MAX_CENTS}),
        total_cents bigint check (total_cents between 0 and ${MAX_CENTS}),
        price_expires_at timestamptz,
        hold_expires_at timestamptz,
        lease_expires_at timestamptz,
        fencing_token integer not null check (fencing_token >= 0),
        attention boolean not null,
        booking_id text constraint trip_envelopes_booking references bookings on delete restrict
          constraint trip_envelopes_booked_once unique,
        cancelled_at timestamptz,
        cancel_reason text check (length(cancel_reason) between 1 and 2000),
        version integer not null check (version > 0),
        created_at timestamptz not null,
        updated_at timestamptz not null,
        constraint trip_envelopes_total check (
          num_nonnulls(subtotal_cents, tax_cents, total_cents) in (0, 3) and subtotal_cents + tax_cents = total_cents
        ),
        constraint trip_envelopes_priced check (
          status not in ('priced', 'reserved', 'booked') or (total_cents is not null and price_expires_at is not null)
        ),
        constraint trip_envelopes_held check ((hold_expires_at is not null) = (status = 'reserved')),
        constraint trip_envelopes_leased check ((lease_expires_at is not null) = (status = 'reserve_in_progress')),
        constraint trip_envelopes_booking_kept check ((booking_id is not null) = (status = 'booked')),
        constraint trip_envelopes_cancellation check (
          (cancelled_at is not null) = (status = 'cancelled') and (cancel_reason is null or status = 'cancelled')
        )
      );
      create index trip_envelopes_status on trip_envelopes (status, updated_at);
      create index trip_envelopes_created on trip_envelopes (created_at, id);
      create index trip_envelopes_holds on trip_envelopes (hold_expires_at) where status = 'reserved';
      create index trip_envelopes_leases on trip_envelopes (lease_expires_at) where status = 'reserve_in_progress';
      create index trip_envelopes_attention on trip_envelopes (created_at) where attention;
      create index trip_envelopes_search on trip_envelopes
      using gin (title gin_trgm_ops, (traveler_party #>> '{billing,name}') gin_trgm_ops);`);
  }

  private async createComponents(runner: QueryRunner): Promise<void> {
    // The position is checked at the commit, because a new order changes the positions one row after the other.
    await runner.query(`
      create table trip_components (
        id text primary key,
        envelope_id text not null constraint trip_components_envelope references trip_envelopes on delete restrict,
        position integer not null check (position >= 0),
        kind text not null check (kind in ('catalog_booking', 'external_order', 'manual_placeholder')),
        title text not null check (length(title) between 1 and 255),
        quantity integer not null check (quantity between 1 and 1000000),
        status text not null check (status in (
          'draft', 'priced', 'unavailable', 'held', 'booked', 'cancelled', 'removed'
        )),
        departure_id text constraint trip_components_departure references departures on delete restrict,
        provider_ref text check (length(provider_ref) between 1 and 200),
        unit_price_cents bigint check (unit_price_cents between 0 and ${MAX_CENTS}),
        unit_tax_included_cents bigint,
        confirmed_by_staff boolean not null,
        service_date date check (service_date between '1900-01-01' and '2199-12-31'),
        currency text not null check (currency ~ '^[A-Z]{3}$'),
        subtotal_cents bigint check (subtotal_cents between 0 and ${MAX_CENTS}),
        tax_cents bigint check (tax_cents between 0 and ${MAX_CENTS}),
        total_cents bigint check (total_cents between 0 and ${MAX_CENTS}),
        price_expires_at timestamptz,
        hold_expires_at timestamptz,
        booking_item_id text constraint trip_components_booking_item references booking_items on delete restrict,
        warnings jsonb not null check (jsonb_typeof(warnings) = 'array'),
        version integer not null check (version > 0),
        created_at timestamptz not null,
        updated_at timestamptz not null,
        constraint trip_components_position unique (envelope_id, position) deferrable initially deferred,
        constraint trip_components_id_envelope unique (id, envelope_id),
        constraint trip_components_kind check (
          (departure_id is not null) = (kind = 'catalog_booking')
          and (provider_ref is not null) = (kind = 'external_order')
          and (unit_price_cents is null or kind = 'manual_placeholder')
        ),
        constraint trip_components_unit_tax check (
          (unit_tax_included_cents is null) = (unit_price_cents is null)
          and unit_tax_included_cents between 0 and unit_price_cents
        ),
        constraint trip_components_total check (
          num_nonnulls(subtotal_cents, tax_cents, total_cents) in (0, 3) and subtotal_cents + tax_cents = total_cents
        ),
        constraint trip_components_priced check (status not in ('priced', 'held', 'booked') or total_cents is not null),
        constraint trip_components_held check ((hold_expires_at is not null) = (status = 'held')),
        constraint trip_components_booked check ((booking_item_id is not null) = (status = 'booked'))
      );
      create index trip_components_of_departure on trip_components (departure_id);`);

    // No entity: the statement that saves components inserts the events, and they never change.
    await runner.query(`
      create table trip_component_events (
        id bigint generated always as identity primary key,
        component_id text not null,
        envelope_id text not null,
        plan_id text,
        from_status text,
        to_status text not null,
        created_at timestamptz not null,
        constraint trip_component_events_component foreign key (component_id, envelope_id)
          references trip_components (id, envelope_id) on delete restrict
      );
      create index trip_component_events_of on trip_component_events (component_id, id);
      create trigger trip_component_events_append_only before update or delete or truncate on trip_component_events
      for each statement execute function refuse_change();`);
  }

  private async createReservations(runner: QueryRunner): Promise<void> {
    // A plan is one attempt to hold all components of a trip. At most one is unfinished.
    // No entity: a plan is read and saved with all its steps in one statement.
    await runner.query(`
      create table reservation_plans (
        id text primary key,
        envelope_id text not null constraint reservation_plans_envelope references trip_envelopes on delete restrict,
        attempt integer not null check (attempt > 0),
        status text not null check (status in ('running', 'compensating', 'held', 'failed', 'released', 'booked')),
        created_at timestamptz not null,
        updated_at timestamptz not null,
        constraint reservation_plans_attempt unique (envelope_id, attempt),
        constraint reservation_plans_id_envelope unique (id, envelope_id)
      );
      create unique index reservation_plans_unfinished on reservation_plans (envelope_id)
      where status in ('running', 'compensating', 'held');`);

    // A step is the part of a plan for one component. `provider_key` identifies the hold at the provider, so that a
    // repeated request does not create a second one.
    // No entity: saved with its plan.
    await runner.query(`
      create table reservation_steps (
        id text primary key,
        plan_id text not null,
        envelope_id text not null,
        component_id text not null,
        position integer not null check (position >= 0),
        provider text not null check (provider in ('departures', 'manual', 'simulated')),
        provider_key text not null constraint reservation_steps_provider_key unique
          check (length(provider_key) between 1 and 200),
        status text not null check (status in (
          'pending', 'dispatching', 'held', 'failed', 'unknown', 'releasing', 'released', 'release_failed', 'confirming',
          'confirmed', 'confirm_failed'
        )),
        offer jsonb not null check (jsonb_typeof(offer) = 'object'),
        hold_expires_at timestamptz,
        failure jsonb check (jsonb_typeof(failure) = 'object'),
        attempts integer not null check (attempts >= 0),
        created_at timestamptz not null,
        updated_at timestamptz not null,
        constraint reservation_steps_component unique (plan_id, component_id),
        constraint reservation_steps_plan foreign key (plan_id, envelope_id)
          references reservation_plans (id, envelope_id) on delete restrict,
        constraint reservation_steps_of_component foreign key (component_id, envelope_id)
          references trip_components (id, envelope_id) on delete restrict,
        constraint reservation_steps_held check (status <> 'held' or hold_expires_at is not null),
        constraint reservation_steps_failed check (status not in ('failed', 'confirm_failed') or failure is not null)
      );
      create index reservation_steps_open on reservation_steps (updated_at)
      where status in ('releasing', 'release_failed', 'confirming', 'confirm_failed');`);
  }

  /** The built-in provider simulates an external system with its own storage. */
  private async createSimulation(runner: QueryRunner): Promise<void> {
    // No entity: the storage of the simulated system, written by its conditional statements only.
    await runner.query(`
      create table simulated_products (
        ref text primary key check (length(ref) between 1 and 200),
        behaviour jsonb not null check (jsonb_typeof(behaviour) = 'object')
      )`);
    // No entity: as above.
    await runner.query(`
      create table simulated_orders (
        key text primary key check (length(key) between 1 and 200),
        ref text not null,
        quantity integer not null check (quantity > 0),
        state text not null check (state in ('held', 'confirmed', 'released')),
        holds integer not null check (holds >= 0),
        expires_at timestamptz not null
      );
      create index simulated_orders_ref on simulated_orders (ref);`);
  }
}
