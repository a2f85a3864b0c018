import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Second factors (RFC 6238) with their recovery codes, logins that wait for a code, known devices, and what a session
 * shows of its client. Secrets of second factors are sealed, everything else that is secret is stored as a hash.
 */
export class SecondFactors1791000000200 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table second_factors (
        user_id text primary key references users (id),
        sealed_secret bytea not null,
        last_step integer not null check (last_step >= 0),
        created_at timestamptz not null,
        activated_at timestamptz
      )`);
    await runner.query(`
      create table recovery_codes (
        id text primary key,
        user_id text not null references second_factors (user_id) on delete cascade,
        code_hash bytea not null check (length(code_hash) = 32),
        used_at timestamptz,
        unique (user_id, code_hash)
      )`);
    await runner.query(`
      create table login_challenges (
        id_hash bytea primary key check (length(id_hash) = 32),
        user_id text not null references users (id),
        tries_left integer not null check (tries_left >= 0),
        created_at timestamptz not null,
        expires_at timestamptz not null check (expires_at > created_at)
      );
      create index login_challenges_user_id on login_challenges (user_id);
      create index login_challenges_expires_at on login_challenges (expires_at);`);
    await runner.query(`
      create table device_tokens (
        id text primary key,
        user_id text not null references users (id),
        token_hash bytea not null unique check (length(token_hash) = 32),
        created_at timestamptz not null,
        last_used_at timestamptz not null,
        expires_at timestamptz not null check (expires_at > created_at)
      );
      create index device_tokens_user_id on device_tokens (user_id, last_used_at);
      create index device_tokens_expires_at on device_tokens (expires_at);`);
    await runner.query(`
      alter table staff_sessions
        add column address text check (length(address) between 1 and 64),
        add column user_agent text check (length(user_agent) between 1 and 300),
        add column device_id text references device_tokens (id) on delete set null,
        add column second_factor_at timestamptz`);
    await runner.query('create index staff_sessions_device_id on staff_sessions (device_id)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      alter table staff_sessions
        drop column address, drop column user_agent, drop column device_id, drop column second_factor_at`);
    await runner.query('drop table device_tokens, login_challenges, recovery_codes, second_factors');
  }
}
