import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * The sums of each tax group of an issued document in the base currency of the organization. Each table that gets base amounts has a migration
 * of its own, so that none is locked while the migration waits for another one.
 */
export class BaseAmountsOfTaxLines1796100000110 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    // Older builds: they write rows without base amounts, for which the constraint holds.
    await runner.query(`
      alter table invoice_tax_lines
        add column base_net_cents bigint,
        add column base_gross_cents bigint,
        add constraint invoice_tax_lines_base check (
          num_nonnulls(base_net_cents, base_tax_cents, base_gross_cents) in (0, 3)
          and (base_gross_cents is null or base_net_cents + base_tax_cents = base_gross_cents)
        ) not valid`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      alter table invoice_tax_lines
        drop constraint invoice_tax_lines_base, drop column base_net_cents, drop column base_gross_cents`);
  }
}
