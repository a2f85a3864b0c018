import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Reads the rows from before the constraints of recorded rates. Reads and writes of the table continue meanwhile. */
export class ValidatedBillRates1796100000210 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const constraint of ['supplier_invoices_base', 'supplier_invoices_applied_rate']) {
      await runner.query(`alter table supplier_invoices validate constraint ${constraint}`);
    }
  }

  /** The constraints are replaced with their column. */
  async down(): Promise<void> {}
}
