import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Messages that came back, or that their recipient reported as spam, after the mail server had accepted them. */
export class BouncedMessages1796501000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    // Older builds: they never write these statuses; they show a message with one, and neither send nor repeat it.
    await runner.query(`
      alter table notification_messages
        add column reported_at timestamptz,
        drop constraint notification_messages_status_check,
        drop constraint notification_messages_sent,
        drop constraint notification_messages_reason,
        add constraint notification_messages_status_check check (status in (
          'queued', 'sending', 'sent', 'recorded', 'failed', 'cancelled', 'bounced', 'complained')) not valid,
        add constraint notification_messages_sent check (
          (status <> 'sent' or sent_at is not null)
          and (sent_at is null or status in ('sent', 'failed', 'bounced', 'complained'))) not valid,
        add constraint notification_messages_reason check (
          (status in ('failed', 'bounced', 'complained')) = (reason is not null)) not valid,
        add constraint notification_messages_reported check (
          status not in ('bounced', 'complained') or reported_at is not null) not valid`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      update notification_messages set status = 'failed', reason = 'rejected', sent_at = null
      where status in ('bounced', 'complained') or status = 'failed' and sent_at is not null`);
    await runner.query(`
      alter table notification_messages
        drop column reported_at,
        drop constraint notification_messages_status_check,
        drop constraint notification_messages_sent,
        drop constraint notification_messages_reason,
        add constraint notification_messages_status_check
          check (status in ('queued', 'sending', 'sent', 'recorded', 'failed', 'cancelled')),
        add constraint notification_messages_sent check ((status = 'sent') = (sent_at is not null)),
        add constraint notification_messages_reason check ((status = 'failed') = (reason is not null))`);
  }
}
