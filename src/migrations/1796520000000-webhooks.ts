import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Endpoints of webhooks with their secrets, the events that they want, and the deliveries with their attempts. */
export class Webhooks1796520000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table webhook_endpoints (
        id text primary key,
        owner_kind text not null check (owner_kind in ('staff', 'operator')),
        owner_id text not null check (length(owner_id) between 1 and 100),
        url text not null check (length(url) between 1 and 2048),
        description text check (length(description) between 1 and 255),
        event_types text[] not null check (cardinality(event_types) between 1 and 20),
        signature_type text not null check (signature_type in ('hmac_sha256', 'ed25519')),
        status text not null check (status in ('active', 'disabled')),
        disabled_reason text check (disabled_reason in ('failing', 'gone')),
        disabled_at timestamptz,
        version integer not null check (version > 0),
        created_at timestamptz not null,
        updated_at timestamptz not null,
        constraint webhook_endpoints_disabled check (
          (status = 'disabled') = (disabled_at is not null) and (status = 'disabled') = (disabled_reason is not null))
      );
      create index webhook_endpoints_event_types on webhook_endpoints using gin (event_types);
      create index webhook_endpoints_owner on webhook_endpoints (owner_kind, owner_id);
      create index webhook_endpoints_created on webhook_endpoints (created_at, id)`);
    await runner.query(`
      create table webhook_secrets (
        id text primary key,
        endpoint_id text not null references webhook_endpoints on delete cascade,
        signature_type text not null check (signature_type in ('hmac_sha256', 'ed25519')),
        sealed bytea not null,
        public_key text check (length(public_key) between 1 and 100),
        ends_at timestamptz,
        created_at timestamptz not null,
        constraint webhook_secrets_public_key check ((signature_type = 'ed25519') = (public_key is not null))
      );
      create index webhook_secrets_endpoint on webhook_secrets (endpoint_id, created_at);
      create index webhook_secrets_ends_at on webhook_secrets (ends_at) where ends_at is not null`);
    // No entity: only statements of the module read and write it, for each attempt.
    await runner.query(`
      create table webhook_health (
        endpoint_id text primary key references webhook_endpoints on delete cascade,
        failures integer not null check (failures >= 0),
        paused_until timestamptz
      )`);
    // No entity: the relay inserts events in sets, and they never change.
    await runner.query(`
      create table webhook_events (
        id text primary key,
        sequence bigserial not null,
        type text not null check (length(type) between 1 and 200),
        channel text not null check (length(channel) between 1 and 200),
        subject text not null check (length(subject) between 1 and 300),
        data json not null,
        created_at timestamptz not null,
        stored_at timestamptz not null
      );
      create index webhook_events_created on webhook_events (created_at, sequence);
      create index webhook_events_stored on webhook_events (stored_at)`);
    // A delivery outlives its endpoint until it is purged: deleting an endpoint must not delete a month of deliveries in one statement.
    await runner.query(`
      create table webhook_deliveries (
        id text primary key,
        sequence bigserial not null,
        endpoint_id text not null,
        event_id text not null,
        event_type text not null,
        subject text not null,
        status text not null check (status in ('pending', 'succeeded', 'failed', 'skipped')),
        attempts integer not null check (attempts >= 0),
        tries integer not null check (tries >= 0),
        first_attempt_at timestamptz,
        next_attempt_at timestamptz,
        response_status integer check (response_status between 100 and 999),
        error text check (error ~ '^[a-z_]{1,50}$'),
        completed_at timestamptz,
        created_at timestamptz not null,
        updated_at timestamptz not null,
        constraint webhook_deliveries_event unique (endpoint_id, event_id),
        constraint webhook_deliveries_completed check ((status = 'pending') = (completed_at is null))
      );
      create index webhook_deliveries_heads on webhook_deliveries (endpoint_id, subject, sequence) where status = 'pending';
      create index webhook_deliveries_created on webhook_deliveries (endpoint_id, created_at, id);
      create index webhook_deliveries_purge on webhook_deliveries (created_at) where status <> 'pending'`);
    // No entity: one row for each subject of an endpoint with deliveries that wait, which only guarded statements lease.
    await runner.query(`
      create table webhook_queues (
        endpoint_id text not null references webhook_endpoints on delete cascade,
        subject text not null,
        waiting integer not null check (waiting >= 0),
        due_at timestamptz not null,
        leased_until timestamptz,
        primary key (endpoint_id, subject)
      );
      create index webhook_queues_due on webhook_queues (endpoint_id, due_at, subject);
      create index webhook_queues_leased on webhook_queues (leased_until) where leased_until is not null`);
    // No entity: attempts are inserted, and read with their delivery.
    await runner.query(`
      create table webhook_attempts (
        delivery_id text not null references webhook_deliveries on delete cascade,
        number integer not null check (number > 0),
        started_at timestamptz not null,
        duration_ms integer not null check (duration_ms >= 0),
        response_status integer check (response_status between 100 and 999),
        error text check (error ~ '^[a-z_]{1,50}$'),
        primary key (delivery_id, number)
      )`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      drop table webhook_attempts, webhook_queues, webhook_deliveries, webhook_events, webhook_health, webhook_secrets,
        webhook_endpoints`);
  }
}
