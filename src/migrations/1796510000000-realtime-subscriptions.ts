import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Tokens for streams of several channels, and tickets for one stream each. */
export class RealtimeSubscriptions1796510000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    // Older builds: they know neither table and reject the tokens.
    await runner.query(`
      create table realtime_subscriptions (
        public_id text primary key,
        secret_hash bytea not null,
        channels text[] not null check (cardinality(channels) between 1 and 20),
        holder_kind text not null check (holder_kind in ('vss', 'vsk', 'tpk', 'oat')),
        holder_id text not null,
        expires_at timestamptz not null
      )`);
    await runner.query(`create index realtime_subscriptions_expires_at on realtime_subscriptions (expires_at)`);
    await runner.query(`
      create table realtime_tickets (
        public_id text primary key,
        secret_hash bytea not null,
        subscription_id text not null references realtime_subscriptions (public_id) on delete cascade,
        expires_at timestamptz not null
      )`);
    await runner.query(`create index realtime_tickets_subscription_id on realtime_tickets (subscription_id)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop table realtime_tickets');
    await runner.query('drop table realtime_subscriptions');
  }
}
