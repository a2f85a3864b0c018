import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What the plumbing itself keeps: signing keys, idempotency keys, the outbox, and which first-start steps are done. */
export class Platform1790000000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table installation_steps (
        step text primary key check (length(step) between 1 and 100),
        done_at timestamptz not null default now()
      )`);
    await runner.query(`
      create table signing_keys (
        purpose text primary key check (length(purpose) between 1 and 100),
        secret bytea not null check (length(secret) >= 32)
      )`);
    await runner.query(`
      create table idempotency_keys (
        principal text not null,
        key text not null check (length(key) between 8 and 255),
        fingerprint bytea not null,
        token text not null,
        answer json,
        lease_until timestamptz not null,
        expires_at timestamptz not null,
        primary key (principal, key)
      )`);
    await runner.query(`create index idempotency_keys_expires_at on idempotency_keys (expires_at)`);
    await runner.query(`
      create table outbox_events (
        sequence bigint generated always as identity primary key,
        id text not null unique,
        transaction_id xid8 not null default pg_current_xact_id(),
        channel text not null check (length(channel) between 1 and 164),
        event text not null check (length(event) between 1 and 200),
        data json not null,
        created_at timestamptz not null
      )`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop table outbox_events, idempotency_keys, signing_keys, installation_steps');
  }
}
