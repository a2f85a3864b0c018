import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Distribution channels. A name is taken by one channel that is not archived, whatever its case. */
export class Distribution1790000000200 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('create extension if not exists pg_trgm');
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
      )`);
    await runner.query(`create unique index channels_live_name on channels (lower(name)) where status <> 'archived'`);
    await runner.query('create index channels_status_created_at on channels (status, created_at)');
    await runner.query('create index channels_kind on channels (kind)');
    await runner.query('create index channels_name_search on channels using gin (name gin_trgm_ops)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop table channels');
  }
}
