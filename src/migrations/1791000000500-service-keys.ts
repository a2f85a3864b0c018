import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * The keys that sign links and cursors and seal stored secrets, wrapped by a key-encryption key. They replace keys that were
 * stored as they are, which a copy of the database revealed; links and cursors signed with those are no longer valid.
 * No entity: only ServiceKeys reads and writes the table.
 */
export class ServiceKeys1791000000500 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('drop table signing_keys');
    await runner.query(`
      create table service_keys (
        use text not null check (use in ('signing', 'sealing')),
        version integer not null check (version > 0),
        kek_id text not null check (length(kek_id) between 1 and 100),
        wrapped_key bytea not null check (length(wrapped_key) between 60 and 1000),
        created_at timestamptz not null,
        active_at timestamptz not null check (active_at >= created_at),
        expires_at timestamptz check (expires_at > active_at),
        primary key (use, version),
        constraint service_keys_sealing_kept check (use = 'signing' or expires_at is null)
      )`);
    await runner.query(`
      create unique index service_keys_newest on service_keys (use) where expires_at is null and use = 'signing'`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop table service_keys');
    await runner.query(`
      create table signing_keys (
        purpose text primary key check (length(purpose) between 1 and 100),
        secret bytea not null check (length(secret) >= 32)
      )`);
  }
}
