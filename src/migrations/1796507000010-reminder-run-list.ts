import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The indexes of the list of the reminders of all bookings. */
export class ReminderRunList1796507000010 implements MigrationInterface {
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    // A build that was killed leaves an invalid index.
    await runner.query('drop index concurrently if exists reminder_runs_run_at');
    await runner.query('drop index concurrently if exists reminder_runs_recipient');
    await runner.query('create index concurrently reminder_runs_run_at on reminder_runs (run_at, id)');
    await runner.query(
      'create index concurrently reminder_runs_recipient on reminder_runs (lower(recipient)) where recipient is not null',
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop index reminder_runs_run_at, reminder_runs_recipient');
  }
}
