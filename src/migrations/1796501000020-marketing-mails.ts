import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Marketing mails that staff send to customers. */
export class MarketingMails1796501000020 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    // Older builds: they neither write nor send mails of this kind; their rows satisfy the wider constraint.
    await runner.query(`
      alter table notification_messages
        drop constraint notification_messages_kind_check,
        add constraint notification_messages_kind_check
          check (kind in ('reminder', 'contract', 'account', 'call_off', 'waiting_offer', 'manual', 'marketing')) not valid`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`delete from notification_messages where kind = 'marketing'`);
    await runner.query(`
      alter table notification_messages
        drop constraint notification_messages_kind_check,
        add constraint notification_messages_kind_check
          check (kind in ('reminder', 'contract', 'account', 'call_off', 'waiting_offer', 'manual'))`);
  }
}
