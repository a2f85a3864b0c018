import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Mails that offer freed units to customers on the waiting list. */
export class WaitingOfferMails1796430500000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    // Older builds: they neither write nor send mails of this kind; their rows satisfy the wider constraint.
    await runner.query(`
      alter table notification_messages
        drop constraint notification_messages_kind_check,
        add constraint notification_messages_kind_check
          check (kind in ('reminder', 'contract', 'account', 'call_off', 'waiting_offer')) not valid`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`delete from notification_messages where kind = 'waiting_offer'`);
    await runner.query(`
      alter table notification_messages
        drop constraint notification_messages_kind_check,
        add constraint notification_messages_kind_check check (kind in ('reminder', 'contract', 'account', 'call_off'))`);
  }
}
