import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Reads the messages from before the wider constraint, and the index that counts the messages of a user. Neither delays statements. */
export class ManualMessagesIndex1796441000010 implements MigrationInterface {
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    // A build that was killed leaves an invalid index.
    await runner.query('drop index concurrently if exists notification_messages_by_hand');
    await runner.query(
      `create index concurrently notification_messages_by_hand on notification_messages (created_by, created_at)
       where created_by is not null`,
    );
    await runner.query('alter table notification_messages validate constraint notification_messages_kind_check');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop index notification_messages_by_hand');
  }
}
