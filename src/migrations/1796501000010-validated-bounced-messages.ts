import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Reads the messages from before the wider constraints. Reads and writes of the table continue meanwhile. */
export class ValidatedBouncedMessages1796501000010 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      alter table notification_messages
        validate constraint notification_messages_status_check,
        validate constraint notification_messages_sent,
        validate constraint notification_messages_reason,
        validate constraint notification_messages_reported`);
  }

  /** The earlier migration restores the constraints. */
  async down(): Promise<void> {}
}
