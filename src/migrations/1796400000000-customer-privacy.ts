import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Requests of customers for an erasure or an export of their data. Older builds do not know these tables. */
export class CustomerPrivacy1796400000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table customer_erasures (
        id text primary key,
        customer_id text not null references customers (id),
        reason text not null check (length(reason) between 1 and 500),
        status text not null check (status in ('planned', 'running', 'done')),
        plan jsonb not null,
        requested_by text not null,
        started_at timestamptz,
        finished_at timestamptz,
        version integer not null check (version > 0),
        created_at timestamptz not null,
        updated_at timestamptz not null,
        constraint customer_erasures_times check (
          (status = 'planned') = (started_at is null) and (status = 'done') = (finished_at is not null))
      )`);
    // A customer is erased once.
    await runner.query(`
      create unique index customer_erasures_begun on customer_erasures (customer_id) where status <> 'planned'`);
    // No entity: the job of an erasure is the only one that changes its steps.
    await runner.query(`
      create table customer_erasure_steps (
        erasure_id text not null references customer_erasures (id),
        module text not null,
        position integer not null,
        erased_records integer check (erased_records >= 0),
        finished_at timestamptz,
        primary key (erasure_id, module),
        check ((erased_records is null) = (finished_at is null))
      )`);
    await runner.query(`
      create table customer_data_exports (
        id text primary key,
        customer_id text not null references customers (id),
        status text not null check (status in ('pending', 'ready', 'expired')),
        storage_key text,
        size_bytes integer,
        requested_by text not null,
        ready_at timestamptz,
        expires_at timestamptz,
        version integer not null check (version > 0),
        created_at timestamptz not null,
        updated_at timestamptz not null,
        constraint customer_data_exports_file check (
          case status when 'ready' then storage_key is not null and ready_at is not null when 'expired' then storage_key is null
            else ready_at is null end
          and (ready_at is null) = (expires_at is null) and (ready_at is null) = (size_bytes is null))
      )`);
    await runner.query(`create index customer_data_exports_customer on customer_data_exports (customer_id)`);
    await runner.query(`
      create index customer_data_exports_expiry on customer_data_exports (expires_at) where status = 'ready'`);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const table of ['customer_data_exports', 'customer_erasure_steps', 'customer_erasures']) {
      await runner.query(`drop table ${table}`);
    }
  }
}
