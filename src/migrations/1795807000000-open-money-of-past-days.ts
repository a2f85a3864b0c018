import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * When the completion of a refund was recorded, so that a report as it was known then still has its money reserved, and the
 * definition by which the figures of a closed month were stored.
 */
export class OpenMoneyOfPastDays1795807000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    // A trigger fills the column also for processes of earlier builds.
    await runner.query('alter table payments add column completed_at timestamptz');
    await runner.query(`
      create function payments_keep_completion() returns trigger language plpgsql as $$
      begin
        new.completed_at := app_now();
        return new;
      end $$;
      create trigger payments_completion before update on payments for each row
      when (old.status = 'requested' and new.status = 'completed') execute function payments_keep_completion();`);

    await runner.query(`
      alter table accounting_periods
        add column figures_definition integer not null default 1 check (figures_definition > 0)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('alter table accounting_periods drop column figures_definition');
    await runner.query('drop trigger payments_completion on payments');
    await runner.query('drop function payments_keep_completion');
    await runner.query('alter table payments drop column completed_at');
  }
}
