import type { MigrationInterface, QueryRunner } from 'typeorm';

/** By how much the cancellation of an item reduced which installments, so that its reinstatement restores them. */
export class InstallmentReductions1793000000500 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    // No entity: written and taken by one statement each. `waived`: the amount was waived before.
    await runner.query(`
      create table installment_reductions (
        booking_item_id text not null references booking_items on delete cascade,
        schedule_id text not null references payment_schedules on delete cascade,
        cents bigint not null check (cents > 0),
        waived boolean not null,
        primary key (booking_item_id, schedule_id)
      );
      create index installment_reductions_schedule_id on installment_reductions (schedule_id);`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop table installment_reductions');
  }
}
