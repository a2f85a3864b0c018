import type { MigrationInterface, QueryRunner } from 'typeorm';

const CONSTRAINTS = [
  ['invoice_tax_lines', 'invoice_tax_lines_base'],
  ['invoice_lines', 'invoice_lines_base'],
  ['invoices', 'invoices_base_currency'],
  ['invoices', 'invoices_base'],
] as const;

/** Reads the rows from before the constraints of base amounts. Reads and writes of the tables continue meanwhile. */
export class ValidatedBaseAmounts1796100000140 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const [table, constraint] of CONSTRAINTS) {
      await runner.query(`alter table ${table} validate constraint ${constraint}`);
    }
  }

  /** The constraints are dropped with their columns. */
  async down(): Promise<void> {}
}
