import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Reads the messages from before the constraints, and the index that finds the mails with a version of documents. Neither delays statements. */
export class FilesOfMessagesIndex1796502000020 implements MigrationInterface {
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    // A build that was killed leaves an invalid index.
    await runner.query('drop index concurrently if exists notification_messages_of_documents');
    await runner.query(
      `create index concurrently notification_messages_of_documents on notification_messages (document_key)
       where document_key is not null`,
    );
    await runner.query('alter table notification_messages validate constraint notification_messages_kind_check');
    await runner.query('alter table notification_messages validate constraint notification_messages_files');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop index notification_messages_of_documents');
  }
}
