import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Files that an operator imports when it changes over from an earlier system, and the records that they became. */
export class Imports1796440000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table imports (
        id text primary key,
        kind text not null check (kind in ('customers', 'products', 'bookings')),
        status text not null
          check (status in ('checking', 'checked', 'running', 'completed', 'completed_with_failures')),
        line_count integer not null check (line_count > 0),
        ended_at timestamptz,
        version integer not null check (version > 0),
        created_at timestamptz not null,
        updated_at timestamptz not null,
        constraint imports_ended check ((status in ('completed', 'completed_with_failures')) = (ended_at is not null))
      );
      create index imports_working on imports (id) where status in ('checking', 'running');
      create index imports_created on imports (created_at, id)`);
    await runner.query(`
      create table import_records (
        id text primary key,
        import_id text not null references imports on delete restrict,
        position integer not null check (position > 0),
        line integer not null check (line > 1),
        reference text check (length(reference) between 1 and 100),
        rows jsonb,
        status text not null check (status in ('pending', 'valid', 'invalid', 'skipped', 'done', 'failed')),
        code text check (code ~ '^[a-z_]{1,100}$'),
        column_name text check (length(column_name) between 1 and 100),
        message text check (length(message) between 1 and 500),
        subject_id text,
        attempts integer not null check (attempts >= 0),
        version integer not null check (version > 0),
        created_at timestamptz not null,
        updated_at timestamptz not null,
        constraint import_records_position unique (import_id, position),
        constraint import_records_rows check (rows is not null or status not in ('pending', 'valid')),
        constraint import_records_code check ((status in ('invalid', 'failed')) <= (code is not null)),
        constraint import_records_subject check ((status = 'done') <= (subject_id is not null))
      );
      create index import_records_status on import_records (import_id, status, position)`);
    // No entity: it only maps the keys of an earlier system, and survives the imports that wrote it.
    await runner.query(`
      create table import_references (
        kind text not null check (kind in ('customers', 'products', 'bookings')),
        reference text not null check (length(reference) between 1 and 100),
        subject_id text not null,
        created_at timestamptz not null,
        constraint import_references_once primary key (kind, reference)
      )`);
    // Older builds: they neither read nor write the column; a booking that they create was not taken over.
    await runner.query('alter table bookings add column taken_over_on date');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('alter table bookings drop column taken_over_on');
    await runner.query('drop table import_references, import_records, imports');
  }
}
