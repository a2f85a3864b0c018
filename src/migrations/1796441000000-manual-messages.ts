import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Messages that staff send by hand. */
export class ManualMessages1796441000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    // Older builds: they neither write nor send messages of this kind; their rows satisfy the wider constraint.
    await runner.query(`
      alter table notification_messages
        add column created_by text,
        drop constraint notification_messages_kind_check,
        add constraint notification_messages_kind_check
          check (kind in ('reminder', 'contract', 'account', 'call_off', 'waiting_offer', 'manual')) not valid`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`delete from notification_messages where kind = 'manual'`);
    await runner.query(`
      alter table notification_messages
        drop column created_by,
        drop constraint notification_messages_kind_check,
        add constraint notification_messages_kind_check
          check (kind in ('reminder', 'contract', 'account', 'call_off', 'waiting_offer'))`);
  }
}
