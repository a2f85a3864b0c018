import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Reads the messages from before the constraint. Reads and writes of the table continue meanwhile. */
export class ValidatedTestMessages1796508000210 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('alter table notification_messages validate constraint notification_messages_kind_check');
  }

  /** The earlier migration replaces the constraint. */
  async down(): Promise<void> {}
}
