import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Up to which hour rejected logins are recorded in the ledger. It is one row, which the job locks.
 */
export class RejectedLogins1791000000210 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    // No entity: a single time, which one job reads and moves.
    await runner.query(`
      create table rejected_logins_recorded (
        only_row boolean primary key default true check (only_row),
        until timestamptz not null check (until = date_trunc('hour', until, 'UTC'))
      )`);
    await runner.query(`insert into rejected_logins_recorded (until) values (date_trunc('hour', now(), 'UTC'))`);
    await runner.query(`
      create index security_events_rejections on security_events (created_at)
      where kind in ('login_rejected', 'second_factor_rejected') and user_id is not null`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop index security_events_rejections');
    await runner.query('drop table rejected_logins_recorded');
  }
}
