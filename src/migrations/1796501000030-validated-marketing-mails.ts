import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Reads the messages from before the wider constraint. Reads and writes of the table continue meanwhile. */
export class ValidatedMarketingMails1796501000030 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('alter table notification_messages validate constraint notification_messages_kind_check');
  }

  /** The earlier migration restores the constraint. */
  async down(): Promise<void> {}
}
