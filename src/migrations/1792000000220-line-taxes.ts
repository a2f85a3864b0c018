import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Tax codes and dates of invoice lines, prices with tax, and the tax summary of issued documents. */
export class LineTaxes1792000000220 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    // Existing lines have prices without tax and no tax code. Their tax may be beyond their total, because staff sent it:
    // the constraint about it holds for new lines.
    await runner.query(`
      alter table invoice_lines
        add column price_basis text not null default 'net' check (price_basis in ('net', 'gross', 'allocated')),
        add column tax_code_id text constraint invoice_lines_tax_code references tax_codes on delete restrict,
        add column tax_code text check (tax_code ~ '^[A-Z0-9-]{1,20}$'),
        add column tax_kind text check (tax_kind in (
          'standard', 'reduced', 'zero', 'exempt', 'outside_scope', 'reverse_charge', 'margin_scheme'
        )),
        add column mention text check (length(mention) between 1 and 500),
        add column service_date date check (service_date between '1900-01-01' and '2199-12-31'),
        add column service_end_date date check (service_end_date between '1900-01-01' and '2199-12-31'),
        drop constraint invoice_lines_net,
        drop constraint invoice_lines_tax,
        add constraint invoice_lines_net check (price_basis <> 'net' or net_cents = round(quantity * unit_price_cents)),
        add constraint invoice_lines_gross check (
          price_basis <> 'gross' or total_cents = round(quantity * unit_price_cents)
        ),
        add constraint invoice_lines_tax check (
          price_basis <> 'net' or tax_rate_basis_points is null
          or tax_cents = round(net_cents * tax_rate_basis_points / 10000.0)
        ),
        add constraint invoice_lines_tax_copied check (num_nulls(tax_code_id, tax_code, tax_kind) in (0, 3)),
        add constraint invoice_lines_service_dates check (service_end_date >= service_date),
        add constraint invoice_lines_tax_bounds check (
          tax_cents between least(0, total_cents) and greatest(0, total_cents)
        ) not valid;
      create index invoice_lines_tax_code_id on invoice_lines (tax_code_id) where tax_code_id is not null;`);
    await this.createSummaries(runner);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop trigger invoices_summarize_tax on invoices');
    await runner.query('drop function invoices_summarize_tax');
    await runner.query('drop table invoice_tax_lines');
    await runner.query(`
      alter table invoice_lines
        drop constraint invoice_lines_tax_bounds,
        drop constraint invoice_lines_service_dates,
        drop constraint invoice_lines_tax_copied,
        drop constraint invoice_lines_tax,
        drop constraint invoice_lines_gross,
        drop constraint invoice_lines_net,
        drop column service_end_date,
        drop column service_date,
        drop column mention,
        drop column tax_kind,
        drop column tax_code,
        drop column tax_code_id,
        drop column price_basis,
        add constraint invoice_lines_net check (net_cents = round(quantity * unit_price_cents)) not valid,
        add constraint invoice_lines_tax check (
          tax_rate_basis_points is null or tax_cents = round(net_cents * tax_rate_basis_points / 10000.0)
        ) not valid`);
  }

  private async createSummaries(runner: QueryRunner): Promise<void> {
    // No entity: the sums of the lines for each tax code and rate, which the trigger below writes with the number of a
    // document. Its sums are those of the document, because the lines of a document with a number add up to it.
    await runner.query(`
      create table invoice_tax_lines (
        invoice_id text not null references invoices,
        position integer not null check (position between 1 and 500),
        tax_code_id text constraint invoice_tax_lines_tax_code references tax_codes on delete restrict,
        tax_code text,
        tax_kind text,
        tax_rate_basis_points integer check (tax_rate_basis_points between 0 and 10000),
        net_cents bigint not null,
        tax_cents bigint not null,
        gross_cents bigint not null,
        mention text check (length(mention) between 1 and 500),
        base_tax_cents bigint,
        primary key (invoice_id, position),
        constraint invoice_tax_lines_gross check (net_cents + tax_cents = gross_cents)
      )`);
    await runner.query(`
      insert into invoice_tax_lines (invoice_id, position, tax_rate_basis_points, net_cents, tax_cents, gross_cents)
      select line.invoice_id,
        row_number() over (partition by line.invoice_id order by line.tax_rate_basis_points nulls last),
        line.tax_rate_basis_points, sum(line.net_cents), sum(line.tax_cents), sum(line.total_cents)
      from invoices invoice join invoice_lines line on line.invoice_id = invoice.id
      where invoice.number is not null
      group by line.invoice_id, line.tax_rate_basis_points`);
    await runner.query(`
      create function invoices_summarize_tax() returns trigger language plpgsql as $$
      begin
        insert into invoice_tax_lines (invoice_id, position, tax_code_id, tax_code, tax_kind, tax_rate_basis_points,
          net_cents, tax_cents, gross_cents, mention)
        select new.id,
          row_number() over (order by tax_code nulls last, tax_code_id, tax_rate_basis_points nulls last, mention),
          tax_code_id, tax_code, tax_kind, tax_rate_basis_points,
          sum(net_cents), sum(tax_cents), sum(total_cents), mention
        from invoice_lines where invoice_id = new.id
        group by tax_code_id, tax_code, tax_kind, tax_rate_basis_points, mention;
        return null;
      end $$;
      create trigger invoices_summarize_tax after update on invoices for each row
      when (old.number is null and new.number is not null) execute function invoices_summarize_tax();`);
  }
}
