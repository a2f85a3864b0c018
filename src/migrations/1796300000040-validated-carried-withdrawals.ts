import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Reads the rows from before the reference of carried withdrawals. Reads and writes of the table continue meanwhile. */
export class ValidatedCarriedWithdrawals1796300000040 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('alter table customer_consents validate constraint customer_consents_carried_from');
  }

  /** The constraint is dropped with its column. */
  async down(): Promise<void> {}
}
