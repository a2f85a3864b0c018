import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The amounts of each line of an issued document in the base currency of the organization. */
export class BaseAmountsOfLines1796100000120 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    // Older builds: they write rows without base amounts, for which the constraint holds.
    await runner.query(`
      alter table invoice_lines
        add column base_net_cents bigint,
        add column base_tax_cents bigint,
        add column base_total_cents bigint,
        add constraint invoice_lines_base check (
          num_nonnulls(base_net_cents, base_tax_cents, base_total_cents) in (0, 3)
          and (base_total_cents is null or base_net_cents + base_tax_cents = base_total_cents)
        ) not valid`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      alter table invoice_lines
        drop constraint invoice_lines_base, drop column base_net_cents, drop column base_tax_cents,
        drop column base_total_cents`);
  }
}
