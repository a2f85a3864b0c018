import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * What happened to the accounts and credentials of staff. The kinds are listed in the code, so a new kind needs no
 * migration. The user is null for a login with an unknown address and for the keys of platforms.
 */
export class SecurityEvents1791000000100 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table security_events (
        id text primary key,
        kind text not null check (kind ~ '^[a-z][a-z_]{2,49}$'),
        user_id text references users (id),
        actor_id text check (length(actor_id) between 1 and 100),
        subject_id text check (length(subject_id) between 1 and 100),
        address text check (length(address) between 1 and 64),
        user_agent text check (length(user_agent) between 1 and 300),
        created_at timestamptz not null
      )`);
    await runner.query('create index security_events_user_id on security_events (user_id, created_at, id)');
    await runner.query('create index security_events_created_at on security_events (created_at, id)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop table security_events');
  }
}
