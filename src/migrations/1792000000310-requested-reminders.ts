import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Staff may request a reminder beside those that its rule plans, also one that was sent before. */
export class RequestedReminders1792000000310 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      alter table reminder_runs add column requested_at timestamptz,
        drop constraint reminder_runs_once,
        add constraint reminder_runs_once unique nulls not distinct
          (rule_id, target_id, anchor_date, stage_id, channel_position, requested_at)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(
      'delete from notification_messages where run_id in (select id from reminder_runs where requested_at is not null)',
    );
    await runner.query('delete from reminder_runs where requested_at is not null');
    await runner.query(`
      alter table reminder_runs drop constraint reminder_runs_once, drop column requested_at,
        add constraint reminder_runs_once unique (rule_id, target_id, anchor_date, stage_id, channel_position)`);
  }
}
