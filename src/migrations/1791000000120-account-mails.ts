import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Mails about accounts. A message names its one-time link by id; neither the link nor its token is stored. */
export class AccountMails1791000000120 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('alter table notification_messages drop constraint notification_messages_kind_check');
    await runner.query(`
      alter table notification_messages
        add column account_link_id text,
        add constraint notification_messages_kind_check check (kind in ('reminder', 'contract', 'account')),
        add constraint notification_messages_account_link check (kind = 'account' or account_link_id is null)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`delete from notification_messages where kind = 'account'`);
    await runner.query('alter table notification_messages drop constraint notification_messages_kind_check');
    await runner.query(`
      alter table notification_messages
        drop column account_link_id,
        add constraint notification_messages_kind_check check (kind in ('reminder', 'contract'))`);
  }
}
