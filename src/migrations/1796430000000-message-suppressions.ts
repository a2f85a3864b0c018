import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Addresses that get no mail, or no marketing mail. Older builds do not know the table, so they still send to them. */
export class MessageSuppressions1796430000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    // After an erasure the address is known only by its authentication code.
    await runner.query(`
      create table message_suppressions (
        id text primary key,
        address text check (length(address) between 3 and 300),
        address_code text check (address_code ~ '^[0-9a-f]{64}$'),
        scope text not null check (scope in ('all', 'marketing')),
        reason text not null check (reason ~ '^[a-z_]{1,50}$'),
        message_id text,
        created_by text not null,
        lifted_at timestamptz,
        lifted_by text,
        lift_reason text check (length(lift_reason) between 1 and 500),
        version integer not null check (version > 0),
        created_at timestamptz not null,
        updated_at timestamptz not null,
        constraint message_suppressions_address check (num_nonnulls(address, address_code) = 1),
        constraint message_suppressions_lifted check (
          (lifted_at is null) = (lifted_by is null) and (lift_reason is null or lifted_at is not null))
      );
      create unique index message_suppressions_live on message_suppressions (address, scope)
        where lifted_at is null and address is not null;
      create index message_suppressions_address on message_suppressions (address) where address is not null;
      create index message_suppressions_code on message_suppressions (address_code) where address_code is not null;
      create index message_suppressions_created on message_suppressions (created_at, id);
      create index message_suppressions_updated on message_suppressions (updated_at, id);`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop table message_suppressions');
  }
}
