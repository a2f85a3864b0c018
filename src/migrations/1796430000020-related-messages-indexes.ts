import type { MigrationInterface, QueryRunner } from 'typeorm';

const INDEXES: Readonly<Record<string, string>> = {
  notification_messages_to: 'notification_messages (lower(recipient), created_at, id)',
  notification_messages_of_booking: 'notification_messages (booking_id, created_at, id) where booking_id is not null',
  notification_messages_of_customer:
    'notification_messages (customer_id, created_at, id) where customer_id is not null',
  notification_messages_resent: 'notification_messages (resend_of) where resend_of is not null',
};

/** The indexes by which the messages to an address or about a record are listed. They delay no statement. */
export class RelatedMessagesIndexes1796430000020 implements MigrationInterface {
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    for (const [name, columns] of Object.entries(INDEXES)) {
      // A build that was killed leaves an invalid index.
      await runner.query(`drop index concurrently if exists ${name}`);
      await runner.query(`create index concurrently ${name} on ${columns}`);
    }
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`drop index ${Object.keys(INDEXES).join(', ')}`);
  }
}
