import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Layouts of documents. Processes of an older build print the built-in layout. */
export class DocumentTemplates1796509600000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table document_templates (
        id text primary key,
        kind text not null check (kind ~ '^[a-z_]{1,50}$'),
        language text not null check (language ~ '^[a-z]{2}$'),
        name text not null check (length(name) between 1 and 100),
        blocks jsonb not null check (jsonb_array_length(blocks) between 1 and 60),
        status text not null check (status in ('draft', 'published', 'retired')),
        published_at timestamptz,
        retired_at timestamptz,
        version integer not null check (version > 0),
        created_at timestamptz not null,
        updated_at timestamptz not null,
        constraint document_templates_times check (
          (status <> 'published' or published_at is not null) and (status = 'retired') = (retired_at is not null))
      );
      create unique index document_templates_published on document_templates (kind, language) where status = 'published';
      create index document_templates_newest on document_templates (created_at, id);
      alter table record_documents add column template_id text`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('alter table record_documents drop column template_id');
    await runner.query('drop table document_templates');
  }
}
