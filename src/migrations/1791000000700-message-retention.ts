import type { MigrationInterface, QueryRunner } from 'typeorm';

/** When the recipient, subject and text of a message were erased, and indexes by which the retention job finds its rows. */
export class MessageRetention1791000000700 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('alter table notification_messages add column erased_at timestamptz');
    await runner.query(
      'create index notification_messages_kept on notification_messages (updated_at) where erased_at is null',
    );
    await runner.query(
      'create index reminder_runs_recipient_kept on reminder_runs (updated_at) where recipient is not null',
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop index reminder_runs_recipient_kept, notification_messages_kept');
    await runner.query('alter table notification_messages drop column erased_at');
  }
}
