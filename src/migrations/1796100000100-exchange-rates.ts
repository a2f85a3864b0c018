import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Exchange rates of the organization, and the amounts of issued documents in its base currency. Documents that were issued
 * before stay as they are: they have no base amounts.
 */
export class ExchangeRates1796100000100 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await this.createRates(runner);
    await this.addBaseAmounts(runner);
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
      alter table invoice_tax_lines
        drop constraint invoice_tax_lines_base, drop column base_net_cents, drop column base_gross_cents;
      alter table invoice_lines
        drop constraint invoice_lines_base, drop column base_net_cents, drop column base_tax_cents,
        drop column base_total_cents;
      alter table invoices
        drop constraint invoices_base, drop column base_currency, drop column exchange_rate,
        drop column base_subtotal_cents, drop column base_tax_cents, drop column base_total_cents;
      drop table exchange_rates;
      drop function exchange_rates_assert_period`);
  }

  private async createRates(runner: QueryRunner): Promise<void> {
    // The scale of a rate is the published one: 1.0870 stays 1.0870.
    await runner.query(`
      create table exchange_rates (
        id text primary key,
        from_currency text not null check (from_currency ~ '^[A-Z]{3}$'),
        to_currency text not null check (to_currency ~ '^[A-Z]{3}$'),
        day date not null,
        rate numeric not null check (rate > 0 and rate < 1e10 and scale(rate) <= 10),
        source text not null check (source in ('ecb', 'bank', 'manual')),
        created_at timestamptz not null,
        constraint exchange_rates_pair check (from_currency <> to_currency),
        constraint exchange_rates_once unique (from_currency, to_currency, day, source)
      )`);
    await runner.query(`
      create trigger exchange_rates_append_only before update or delete on exchange_rates
      for each row execute function refuse_change();
      create trigger exchange_rates_no_truncate before truncate on exchange_rates
      for each statement execute function refuse_change()`);
    await runner.query(`
      create function exchange_rates_assert_period() returns trigger language plpgsql as $$
      begin
        perform assert_period_open(new.day);
        return new;
      end $$;
      create trigger exchange_rates_period before insert on exchange_rates
      for each row execute function exchange_rates_assert_period()`);
  }

  /** Documents in the base currency have no rate, and their base amounts are their own. */
  private async addBaseAmounts(runner: QueryRunner): Promise<void> {
    await runner.query(`
      alter table invoices
        add column base_currency text check (base_currency ~ '^[A-Z]{3}$'),
        add column exchange_rate jsonb,
        add column base_subtotal_cents bigint,
        add column base_tax_cents bigint,
        add column base_total_cents bigint,
        add constraint invoices_base check (
          case when base_currency is null
            then num_nonnulls(exchange_rate, base_subtotal_cents, base_tax_cents, base_total_cents) = 0
            else number is not null and num_nulls(base_subtotal_cents, base_tax_cents, base_total_cents) = 0
              and base_subtotal_cents + base_tax_cents = base_total_cents
              and (exchange_rate is null) = (base_currency = currency)
            end
        )`);
    await runner.query(`
      alter table invoice_lines
        add column base_net_cents bigint,
        add column base_tax_cents bigint,
        add column base_total_cents bigint,
        add constraint invoice_lines_base check (
          num_nonnulls(base_net_cents, base_tax_cents, base_total_cents) in (0, 3)
          and (base_total_cents is null or base_net_cents + base_tax_cents = base_total_cents)
        )`);
    await runner.query(`
      alter table invoice_tax_lines
        add column base_net_cents bigint,
        add column base_gross_cents bigint,
        add constraint invoice_tax_lines_base check (
          num_nonnulls(base_net_cents, base_tax_cents, base_gross_cents) in (0, 3)
          and (base_gross_cents is null or base_net_cents + base_tax_cents = base_gross_cents)
        )`);
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
