import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The same change of many records, and the records. */
export class BulkOperations1796509000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table bulk_operations (
        id text primary key,
        type text not null check (type in ('bookings.message', 'bookings.cancel', 'bookings.move', 'invoices.issue',
          'departures.update', 'departures.cancel', 'customers.tag')),
        params jsonb not null check (jsonb_typeof(params) = 'object'),
        dry_run boolean not null,
        status text not null
          check (status in ('planned', 'running', 'paused', 'completed', 'completed_with_failures', 'cancelled')),
        total integer not null check (total between 1 and 1000),
        actor_type text not null check (actor_type in ('user', 'api_key', 'system')),
        credential_id text not null,
        started_by text not null,
        ended_at timestamptz,
        version integer not null check (version > 0),
        created_at timestamptz not null,
        updated_at timestamptz not null,
        constraint bulk_operations_ended
          check ((status in ('completed', 'completed_with_failures', 'cancelled')) = (ended_at is not null))
      );
      create index bulk_operations_working on bulk_operations (created_at, id) where status in ('planned', 'running');
      create index bulk_operations_created on bulk_operations (created_at, id);
      create index bulk_operations_ended_at on bulk_operations (ended_at) where ended_at is not null`);
    await runner.query(`
      create table bulk_operation_items (
        id text primary key,
        operation_id text not null references bulk_operations on delete restrict,
        position integer not null check (position > 0),
        subject_id text not null check (length(subject_id) between 1 and 100),
        status text not null check (status in ('pending', 'done', 'failed', 'skipped')),
        code text check (code ~ '^[a-z_]{1,100}$'),
        message text check (length(message) between 1 and 500),
        field text check (length(field) between 1 and 200),
        attempts integer not null check (attempts >= 0),
        version integer not null check (version > 0),
        created_at timestamptz not null,
        updated_at timestamptz not null,
        constraint bulk_operation_items_position unique (operation_id, position),
        constraint bulk_operation_items_subject unique (operation_id, subject_id),
        constraint bulk_operation_items_code check ((status in ('failed', 'skipped')) <= (code is not null))
      );
      create index bulk_operation_items_status on bulk_operation_items (operation_id, status, attempts, position)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop table bulk_operation_items, bulk_operations');
  }
}
