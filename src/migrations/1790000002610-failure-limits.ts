import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Failed logins and client secrets, as token buckets that all processes share. No entity: rows are written by one
 * conditional upsert only. `subject` is a SHA-256 hash, as what is counted for may be an e-mail address.
 */
export class FailureLimits1790000002610 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table failure_limits (
        subject bytea primary key check (length(subject) = 32),
        tokens double precision not null check (tokens >= 0),
        at timestamptz not null
      )`);
    await runner.query('create index failure_limits_at on failure_limits (at)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop table failure_limits');
  }
}
