import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * By what an installment follows a moved departure: the offset of its policy step, and whether staff have set its date since.
 * Existing installments take the offset from the step of their plan's policy with their type and label. That staff changed
 * a date before this migration is not recorded anywhere, so such an installment follows the departure.
 */
export class RedatedInstallments1792000000800 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      alter table payment_schedules
        add column offset_days integer check (offset_days between -3650 and 3650),
        add column date_source text not null default 'policy' check (date_source in ('policy', 'manual'))`);
    await runner.query(`update payment_schedules set date_source = 'manual' where basis = 'manual'`);
    await runner.query(`
      update payment_schedules installment set offset_days = (
        select (step ->> 'offsetDays')::integer
        from payment_plans plan cross join lateral jsonb_array_elements(plan.policy -> 'steps') as step
        where plan.id = installment.plan_id and step ->> 'anchor' = 'departure' and step ->> 'type' = installment.type
        order by step ->> 'label' = installment.label desc limit 1)
      where basis = 'departure'`);
    await runner.query('alter table payment_schedules alter column date_source drop default');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('alter table payment_schedules drop column date_source, drop column offset_days');
  }
}
