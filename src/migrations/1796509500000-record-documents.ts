import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Documents about records of several kinds. A subject has no foreign key, because it is in one of several tables; a writer locks the
 * subject before it inserts a document.
 */
export class RecordDocuments1796509500000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table record_documents (
        id text primary key,
        kind text not null check (kind ~ '^[a-z_]{1,50}$'),
        subject_type text not null check (subject_type ~ '^[a-z_]{1,50}$'),
        subject_id text not null check (length(subject_id) between 1 and 128),
        language text not null check (language ~ '^[a-z]{2}$'),
        version integer not null check (version > 0),
        status text not null check (status in ('pending', 'ready', 'stale', 'failed')),
        is_offer boolean,
        template_version integer not null check (template_version > 0),
        company jsonb not null,
        data_sha256 text check (data_sha256 ~ '^[0-9a-f]{64}$'),
        file_name text check (length(file_name) between 1 and 150),
        content_key text unique check (content_key ~ '^[0-9a-f]{64}$'),
        sha256 text check (sha256 ~ '^[0-9a-f]{64}$'),
        size_bytes bigint check (size_bytes > 0),
        attempts integer not null check (attempts >= 0),
        failure text,
        created_by text not null,
        created_at timestamptz not null,
        ready_at timestamptz,
        unique (subject_id, kind, language, subject_type, version),
        constraint record_documents_ready check (
          num_nulls(is_offer, data_sha256, file_name, sha256, size_bytes, ready_at)
            = case when status in ('ready', 'stale') then 0 else 6 end),
        constraint record_documents_content check (status not in ('ready', 'stale') or content_key is not null)
      );
      create index record_documents_newest on record_documents (created_at, id)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop table record_documents');
  }
}
