import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Of which installment and due date it was told that they are overdue: once each, also where a due date comes back that
 * was left before.
 */
export class OverdueSchedules1790000001110 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table payment_schedules_overdue (
        schedule_id text not null references payment_schedules on delete cascade,
        due_date date not null,
        told_at timestamptz not null,
        primary key (schedule_id, due_date)
      )`);
    await runner.query(`
      insert into payment_schedules_overdue
      select id, overdue_told_for, updated_at from payment_schedules where overdue_told_for is not null`);
    await runner.query('alter table payment_schedules drop column overdue_told_for');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('alter table payment_schedules add column overdue_told_for date');
    await runner.query(`
      update payment_schedules entry set overdue_told_for = due_date
      where exists (select from payment_schedules_overdue told
        where told.schedule_id = entry.id and told.due_date = entry.due_date)`);
    await runner.query('drop table payment_schedules_overdue');
  }
}
