import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * When a tax rate was added: an item has the rate that was known when it was created. Existing rates count as added now, so
 * that existing items may have any rate of their day that was in force before.
 */
export class TaxRateTimes1793000000200 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      alter table tax_code_rates add column created_at timestamptz not null default now();
      alter table tax_code_rates alter column created_at set default app_now()`);
    // Marks about quotes, from before quotes were left out: an installment is overdue only once its booking is confirmed.
    await runner.query(`
      delete from payment_schedules_overdue overdue
      using payment_schedules installment join bookings booking on booking.id = installment.booking_id
      where installment.id = overdue.schedule_id and booking.status = 'draft'`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('alter table tax_code_rates drop column created_at');
  }
}
