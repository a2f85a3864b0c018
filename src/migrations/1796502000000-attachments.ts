import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Files on records of several kinds. A subject has no foreign key, because it is in one of several tables; a writer locks the
 * subject before it inserts an attachment.
 */
export class Attachments1796502000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    // No entity: rows are only added, locked and deleted. A row exists before its file does, and longer.
    await runner.query(`
      create table attachment_contents (
        key text primary key check (key ~ '^[0-9a-f]{64}$'),
        added_at timestamptz not null
      )`);

    await runner.query(`
      create table attachments (
        id text primary key,
        subject_type text not null check (subject_type ~ '^[a-z_]{1,50}$'),
        subject_id text not null check (length(subject_id) between 1 and 128),
        file_name text not null check (length(file_name) between 1 and 150),
        size_bytes integer not null check (size_bytes between 1 and 10485760),
        visibility text not null check (visibility in ('internal', 'customer', 'sensitive')),
        status text not null check (status in ('uploading', 'ready', 'refused')),
        content_type text,
        sha256 text check (sha256 ~ '^[0-9a-f]{64}$'),
        content_key text constraint attachments_content references attachment_contents (key) on delete restrict,
        created_by text not null,
        ready_at timestamptz,
        deleted_at timestamptz,
        version integer not null check (version > 0),
        created_at timestamptz not null,
        updated_at timestamptz not null,
        constraint attachments_ready check (
          num_nulls(content_type, sha256, ready_at) = case status when 'ready' then 0 else 3 end),
        constraint attachments_content_kept check (
          case when status = 'ready' then content_key is not null or deleted_at is not null else content_key is null end)
      );
      create index attachments_of_subject on attachments (subject_id, created_at, id);
      create index attachments_newest on attachments (created_at, id);
      create index attachments_of_content on attachments (content_key) where content_key is not null;
      create index attachments_deleted on attachments (deleted_at) where deleted_at is not null and content_key is not null`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop table attachments');
    await runner.query('drop table attachment_contents');
  }
}
