import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The template of which a message has its text. Templates are never deleted, so it is no foreign key. */
export class TemplatesOfMessages1796431000010 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('alter table notification_messages add column template_id text');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('alter table notification_messages drop column template_id');
  }
}
