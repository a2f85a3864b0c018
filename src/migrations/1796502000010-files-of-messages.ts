import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Files that mails carry, and mails with documents. */
export class FilesOfMessages1796502000010 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    // Older builds: they neither write nor send messages of this kind, and only these have files.
    await runner.query(`
      alter table notification_messages
        add column files jsonb not null default '[]',
        add column document_key text,
        add constraint notification_messages_files check (jsonb_array_length(files) <= 20) not valid,
        drop constraint notification_messages_kind_check,
        add constraint notification_messages_kind_check
          check (kind in ('reminder', 'contract', 'account', 'call_off', 'waiting_offer', 'manual', 'marketing', 'document'))
          not valid`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`delete from notification_messages where kind = 'document'`);
    await runner.query(`
      alter table notification_messages
        drop column files,
        drop column document_key,
        drop constraint notification_messages_kind_check,
        add constraint notification_messages_kind_check
          check (kind in ('reminder', 'contract', 'account', 'call_off', 'waiting_offer', 'manual', 'marketing'))`);
  }
}
