import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * The exchange rate of an issued document and its totals in the base currency of the organization, with which its tax groups
 * are summarized too. Documents that were issued before stay as they are: they have no base amounts.
 */
export class BaseAmountsOfInvoices1796100000130 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    // Documents in the base currency have no rate, and their base amounts are their own. Older builds: they issue documents
    // without a base currency, for which both constraints hold.
    await runner.query(`
      alter table invoices
        add column base_currency text,
        add column exchange_rate jsonb,
        add column base_subtotal_cents bigint,
        add column base_tax_cents bigint,
        add column base_total_cents bigint,
        add constraint invoices_base_currency check (base_currency ~ '^[A-Z]{3}$') not valid,
        add constraint invoices_base check (
          case when base_currency is null
            then num_nonnulls(exchange_rate, base_subtotal_cents, base_tax_cents, base_total_cents) = 0
            else number is not null and num_nulls(base_subtotal_cents, base_tax_cents, base_total_cents) = 0
              and base_subtotal_cents + base_tax_cents = base_total_cents
              and (exchange_rate is null) = (base_currency = currency)
            end
        ) not valid`);
    await this.summarizeTax(runner, {
      columns: ', base_net_cents, base_tax_cents, base_gross_cents',
      sums: ['net', 'tax', 'total']
        .map(
          (figure) =>
            `, case when new.base_currency = new.currency then sum(${figure}_cents) else sum(base_${figure}_cents) end`,
        )
        .join(''),
    });
  }

  async down(runner: QueryRunner): Promise<void> {
    await this.summarizeTax(runner, { columns: '', sums: '' });
    await runner.query(`
      alter table invoices
        drop constraint invoices_base, drop constraint invoices_base_currency, drop column base_currency,
        drop column exchange_rate, drop column base_subtotal_cents, drop column base_tax_cents, drop column base_total_cents`);
  }

  private async summarizeTax(runner: QueryRunner, { columns, sums }: { columns: string; sums: string }): Promise<void> {
    await runner.query(`
      create or replace function invoices_summarize_tax() returns trigger language plpgsql as $$
      begin
        insert into invoice_tax_lines (invoice_id, position, tax_code_id, tax_code, tax_kind, tax_rate_basis_points,
          net_cents, tax_cents, gross_cents, mention${columns})
        select new.id,
          row_number() over (order by tax_code nulls last, tax_code_id, tax_rate_basis_points nulls last, mention),
          tax_code_id, tax_code, tax_kind, tax_rate_basis_points,
          sum(net_cents), sum(tax_cents), sum(total_cents), mention${sums}
        from invoice_lines where invoice_id = new.id
        group by tax_code_id, tax_code, tax_kind, tax_rate_basis_points, mention;
        return null;
      end $$`);
  }
}
