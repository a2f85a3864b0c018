import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Rendered files of invoices. Of one format and language a single one is ready; older ones are stale. */
export class Renditions1790000001500 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table invoice_renditions (
        id text primary key,
        invoice_id text not null references invoices,
        format text not null check (format in ('html', 'pdf')),
        language text not null check (language in ('en', 'de', 'fr', 'es', 'it')),
        version integer not null check (version > 0),
        status text not null check (status in ('pending', 'ready', 'stale', 'failed')),
        storage_key text check (storage_key ~ '^[0-9a-f]{64}$'),
        sha256 text check (sha256 ~ '^[0-9a-f]{64}$'),
        size_bytes bigint check (size_bytes > 0),
        attempts integer not null check (attempts between 0 and 5),
        lease_until timestamptz,
        failure text check (length(failure) between 1 and 500),
        created_at timestamptz not null,
        ready_at timestamptz,
        constraint invoice_renditions_version unique (invoice_id, format, language, version),
        constraint invoice_renditions_file check (
          num_nulls(storage_key, sha256, size_bytes, ready_at) = case when status in ('ready', 'stale') then 0 else 4 end
        ),
        constraint invoice_renditions_failure check (status <> 'failed' or failure is not null),
        constraint invoice_renditions_lease check (lease_until is null or status = 'pending')
      )`);
    await runner.query(`
      create unique index invoice_renditions_ready on invoice_renditions (invoice_id, format, language)
      where status = 'ready'`);
    await runner.query(`
      create index invoice_renditions_pending on invoice_renditions (created_at) where status = 'pending'`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop table invoice_renditions');
  }
}
