import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Extensions, completed installation steps, signing keys, idempotency keys, the outbox, disk probes and failure limits.
 */
export class Platform1790000000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    // Trigram indexes make searches by a part of a name fast; GiST indexes of plain columns make ranges exclude each
    // other.
    await runner.query('create extension if not exists pg_trgm');
    await runner.query('create extension if not exists btree_gist');

    // No entity: names that are inserted once and looked up.
    await runner.query(`
      create table installation_steps (
        step text primary key check (length(step) between 1 and 100),
        done_at timestamptz not null default now()
      )`);
    // No entity: one row per purpose, inserted once and cached by each process.
    await runner.query(`
      create table signing_keys (
        purpose text primary key check (length(purpose) between 1 and 100),
        secret bytea not null check (length(secret) >= 32)
      )`);

    // `session`: the database session of the request. When it has ended, the key can be used again before the lease
    // ends.
    // No entity: a key is claimed by one conditional upsert and completed by one update.
    await runner.query(`
      create table idempotency_keys (
        principal text not null,
        key text not null check (length(key) between 8 and 255),
        fingerprint bytea not null,
        token text not null,
        answer json,
        lease_until timestamptz not null,
        expires_at timestamptz not null,
        session integer,
        primary key (principal, key)
      );
      create index idempotency_keys_expires_at on idempotency_keys (expires_at);`);

    // `transaction_id`: the relay waits until no older transaction can still commit, which keeps events in order.
    // No entity: the transaction inserts its events as one set, and the relay reads and deletes them in batches.
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

    // A row is written to learn whether a disk that was full has space again. Random bytes do not compress, so they are
    // stored as they are; CREATE TABLE can set this only since PostgreSQL 16.
    // No entity: only that statement uses the table.
    await runner.query(`
      create table disk_probes (content bytea not null);
      alter table disk_probes alter content set storage external;`);

    // Failed logins and client secrets, as token buckets that all processes share. `subject` is a SHA-256 hash, because
    // what is counted for may be an email address.
    // No entity: rows are written by one conditional upsert only.
    await runner.query(`
      create table failure_limits (
        subject bytea primary key check (length(subject) = 32),
        tokens double precision not null check (tokens >= 0),
        at timestamptz not null
      );
      create index failure_limits_at on failure_limits (at);`);
  }

  /** The extensions stay: other schemas of the database may use them. */
  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop table failure_limits, disk_probes');
    await runner.query('drop table outbox_events, idempotency_keys, signing_keys, installation_steps');
  }
}
