import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * The booking and the customer that a message concerns, and the message that it repeats. They are not foreign keys, which would lock
 * the tables of bookings and customers: none of these rows is ever deleted while a message names it.
 */
export class RelatedMessages1796430000010 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      alter table notification_messages
        add column booking_id text,
        add column customer_id text,
        add column resend_of text`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      alter table notification_messages
        drop column resend_of,
        drop column customer_id,
        drop column booking_id`);
  }
}
