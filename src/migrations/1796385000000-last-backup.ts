import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The time of the last complete backup, for a metric and its alerts. */
export class LastBackup1796385000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    // No entity: one row, which record_backup writes and the metric reads.
    await runner.query(`
      create table last_backup (
        id boolean primary key default true check (id),
        started_at timestamptz not null
      )`);
    // The role of backups may only read, so the function runs with the rights of its owner. A clock that is ahead must not
    // silence the alert.
    await runner.query(`
      create function record_backup(started timestamptz) returns void language sql
      security definer set search_path = pg_catalog, public, pg_temp as $$
        insert into last_backup (started_at) values (least(started, now()))
        on conflict (id) do update set started_at = excluded.started_at
      $$;
      revoke execute on function record_backup from public`);
    // The role of deploy/sql/roles.sql, which grants this itself if it is created later.
    await runner.query(`
      do $$ begin
        if exists (select from pg_roles where rolname = 'travel_backup') then
          grant execute on function record_backup to travel_backup;
        end if;
      end $$`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop function record_backup');
    await runner.query('drop table last_backup');
  }
}
