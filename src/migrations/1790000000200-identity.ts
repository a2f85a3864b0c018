import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Staff users, their sessions, and the API tokens of staff and of platforms. Secrets are stored as hashes only. */
export class Identity1790000000200 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    // The index of active owners serves the rule that one of them always remains.
    await runner.query(`
      create table users (
        id text primary key,
        email text not null check (length(email) between 3 and 255),
        name text not null check (length(name) between 1 and 120),
        password_hash text not null check (password_hash ~ '^\\$(argon2id|scrypt)\\$'),
        roles text[] not null check (
          cardinality(roles) between 1 and 5
          and roles <@ array['owner', 'finance', 'operations', 'sales', 'viewer']
        ),
        active boolean not null,
        version integer not null default 1 check (version > 0),
        created_at timestamptz not null,
        updated_at timestamptz not null
      );
      create unique index users_email on users (lower(email));
      create index users_created_at on users (created_at, id);
      create index users_active_owners on users (id) where active and 'owner' = any (roles);`);

    // `public_id` is the part of a credential by which its row is found; the secret itself is never searched for.
    await runner.query(`
      create table staff_sessions (
        id text primary key,
        public_id text not null constraint staff_sessions_public_id unique check (length(public_id) = 16),
        secret_hash bytea not null check (length(secret_hash) = 32),
        user_id text not null references users (id),
        created_at timestamptz not null,
        expires_at timestamptz not null check (expires_at > created_at),
        last_used_at timestamptz not null,
        ended_at timestamptz
      );
      create index staff_sessions_user_id on staff_sessions (user_id, created_at) where ended_at is null;
      create index staff_sessions_expires_at on staff_sessions (expires_at);`);
    await runner.query(`
      create table api_tokens (
        id text primary key,
        kind text not null check (kind in ('staff', 'platform')),
        public_id text not null constraint api_tokens_public_id unique check (length(public_id) = 16),
        secret_hash bytea not null check (length(secret_hash) = 32),
        name text not null check (length(name) between 1 and 120),
        scopes text[] not null check (cardinality(scopes) between 1 and 64),
        user_id text references users (id) check ((kind = 'staff') = (user_id is not null)),
        operator_id text check (operator_id is null or (kind = 'platform' and operator_id ~ '^[A-Za-z0-9_-]{1,64}$')),
        expires_at timestamptz,
        revoked_at timestamptz,
        last_used_at timestamptz,
        version integer not null default 1 check (version > 0),
        created_at timestamptz not null,
        updated_at timestamptz not null
      );
      create unique index api_tokens_platform_name on api_tokens (name) where kind = 'platform';
      create index api_tokens_user_id on api_tokens (user_id) where revoked_at is null;
      create index api_tokens_created_at on api_tokens (kind, created_at, id);`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop table api_tokens, staff_sessions, users');
  }
}
