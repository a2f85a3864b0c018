import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Texts of messages by name and language. Older builds do not know the table, so they send built-in texts. */
export class MessageTemplates1796431000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table message_templates (
        id text primary key,
        slug text not null check (slug ~ '^[a-z0-9]+(-[a-z0-9]+)*$' and length(slug) <= 60),
        channel text not null check (channel ~ '^[a-z_]{1,50}$'),
        language text not null check (length(language) between 2 and 35),
        category text not null check (category in ('transactional', 'marketing')),
        trigger text check (trigger ~ '^[a-z_]{1,50}$'),
        subject text not null check (length(subject) between 1 and 500),
        text text not null check (length(text) between 1 and 20000),
        status text not null check (status in ('draft', 'published', 'retired')),
        published_at timestamptz,
        retired_at timestamptz,
        version integer not null check (version > 0),
        created_at timestamptz not null,
        updated_at timestamptz not null,
        constraint message_templates_marketing check (category <> 'marketing' or trigger is null),
        constraint message_templates_times check (
          (status = 'retired') = (retired_at is not null)
          and (status <> 'published' or published_at is not null) and (status <> 'draft' or published_at is null))
      );
      create unique index message_templates_published on message_templates (slug, language) where status = 'published';
      create index message_templates_slug on message_templates (slug, id);
      create index message_templates_created on message_templates (created_at, id);
      create index message_templates_updated on message_templates (updated_at, id);`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop table message_templates');
  }
}
