import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Supplier invoices. A supplier's number is taken by one invoice that is not void, whatever its case and blanks; amounts
 * that do not add up, a status without its stamps and a payment beyond the total cannot be stored.
 */
export class Finance1790000000400 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('create extension if not exists pg_trgm');
    await runner.query(`
      create table supplier_invoices (
        id text primary key,
        supplier_name text not null check (length(supplier_name) between 1 and 255),
        supplier_key text not null check (supplier_key <> ''),
        invoice_number text not null check (length(invoice_number) between 1 and 100),
        number_key text not null check (number_key <> ''),
        currency text not null check (currency ~ '^[A-Z]{3}$'),
        base_currency text check (base_currency ~ '^[A-Z]{3}$'),
        total_cents bigint not null check (total_cents between 0 and 9007199254740991),
        subtotal_cents bigint not null check (subtotal_cents >= 0),
        tax_cents bigint not null check (tax_cents >= 0),
        exchange_rate numeric check (exchange_rate > 0 and exchange_rate < 1e10 and scale(exchange_rate) <= 10),
        base_total_cents bigint check (base_total_cents between 0 and 9007199254740991),
        base_subtotal_cents bigint check (base_subtotal_cents >= 0),
        base_tax_cents bigint check (base_tax_cents >= 0),
        paid_cents bigint not null,
        status text not null check (status in ('draft', 'approved', 'paid', 'void')),
        issue_date date not null check (issue_date between '1900-01-01' and '2199-12-31'),
        due_date date check (due_date <= '2199-12-31'),
        notes text check (length(notes) <= 2000),
        approved_at timestamptz,
        approved_by text check (length(approved_by) <= 100),
        voided_at timestamptz,
        void_reason text check (length(void_reason) between 1 and 2000),
        version integer not null check (version > 0),
        created_at timestamptz not null,
        updated_at timestamptz not null,
        constraint supplier_invoices_total check (subtotal_cents + tax_cents = total_cents),
        constraint supplier_invoices_due check (due_date >= issue_date),
        constraint supplier_invoices_rate check (
          exchange_rate is null or (base_currency is not null and base_currency <> currency)
        ),
        constraint supplier_invoices_base check (
          (base_total_cents is not null) = (exchange_rate is not null or base_currency is not distinct from currency)
          and num_nulls(base_total_cents, base_subtotal_cents, base_tax_cents) in (0, 3)
          and base_subtotal_cents + base_tax_cents = base_total_cents
        ),
        constraint supplier_invoices_paid check (
          paid_cents between 0 and total_cents
          and (paid_cents = 0 or status not in ('draft', 'void'))
          and (paid_cents = total_cents or status <> 'paid')
        ),
        constraint supplier_invoices_approval check (
          (approved_at is null) = (approved_by is null)
          and (approved_at is null or status <> 'draft')
          and (approved_at is not null or status in ('draft', 'void'))
        ),
        constraint supplier_invoices_voiding check (
          (voided_at is not null) = (status = 'void') and (void_reason is not null) = (status = 'void')
        )
      )`);
    await runner.query(`
      create unique index supplier_invoices_live_number on supplier_invoices (supplier_key, number_key)
      where status <> 'void'`);
    // Also finds the invoices that one may be a duplicate of.
    await runner.query(`
      create index supplier_invoices_supplier on supplier_invoices (supplier_key, total_cents, issue_date)`);
    await runner.query('create index supplier_invoices_status_due on supplier_invoices (status, due_date)');
    await runner.query(`
      create index supplier_invoices_search on supplier_invoices
      using gin (supplier_name gin_trgm_ops, invoice_number gin_trgm_ops)`);
    await runner.query('create index supplier_invoices_created on supplier_invoices (created_at, id)');

    await runner.query(`
      create table supplier_invoice_lines (
        invoice_id text not null references supplier_invoices,
        position integer not null check (position between 1 and 500),
        description text not null check (length(description) between 1 and 500),
        service_type text not null check (
          service_type in ('transport', 'flight', 'accommodation', 'guide', 'meal', 'experience', 'insurance', 'other')
        ),
        quantity integer not null check (quantity >= 1),
        unit_amount_cents bigint not null check (unit_amount_cents >= 0),
        tax_amount_cents bigint not null check (tax_amount_cents >= 0),
        total_amount_cents bigint not null,
        primary key (invoice_id, position),
        constraint supplier_invoice_lines_total check (total_amount_cents = quantity * unit_amount_cents + tax_amount_cents)
      )`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop table supplier_invoice_lines');
    await runner.query('drop table supplier_invoices');
  }
}
