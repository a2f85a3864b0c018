import type { MigrationInterface, QueryRunner } from 'typeorm';

const BASE = (hasRate: string) => `check (
          (base_total_cents is not null) = (${hasRate} or base_currency is not distinct from currency)
          and num_nulls(base_total_cents, base_subtotal_cents, base_tax_cents) in (0, 3)
          and base_subtotal_cents + base_tax_cents = base_total_cents
        ) not valid`;

/** The recorded exchange rate with which a supplier invoice is converted at its approval, if it states none. */
export class BillRates1796100000200 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    // Older builds: the rows that they write have no recorded rate, so that they satisfy the wider constraint too.
    await runner.query(`
      alter table supplier_invoices
        add column applied_rate jsonb,
        drop constraint supplier_invoices_base,
        add constraint supplier_invoices_base ${BASE('exchange_rate is not null or applied_rate is not null')},
        add constraint supplier_invoices_applied_rate check (
          applied_rate is null
          or status <> 'draft' and exchange_rate is null and base_currency is distinct from currency
        ) not valid`);
    // Processes of earlier builds reopen invoices without knowing the column.
    await runner.query(`
      create function supplier_invoices_forget_rate() returns trigger language plpgsql as $$
      begin
        new.applied_rate := null;
        if new.exchange_rate is null and new.base_currency is distinct from new.currency then
          new.base_total_cents := null;
          new.base_subtotal_cents := null;
          new.base_tax_cents := null;
        end if;
        return new;
      end $$;
      create trigger supplier_invoices_drafts_have_no_rate before update on supplier_invoices for each row
      when (new.status = 'draft' and new.applied_rate is not null)
      execute function supplier_invoices_forget_rate()`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop trigger supplier_invoices_drafts_have_no_rate on supplier_invoices');
    await runner.query('drop function supplier_invoices_forget_rate');
    await runner.query(`
      update supplier_invoices set base_total_cents = null, base_subtotal_cents = null, base_tax_cents = null, applied_rate = null
      where applied_rate is not null`);
    await runner.query('set constraints all immediate');
    await runner.query(`
      alter table supplier_invoices
        drop constraint supplier_invoices_applied_rate,
        drop constraint supplier_invoices_base,
        drop column applied_rate,
        add constraint supplier_invoices_base ${BASE('exchange_rate is not null')}`);
  }
}
