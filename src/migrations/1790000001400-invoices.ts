import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Invoices to customers. Once a number is given, nothing but the status and what is paid changes, and the lines add up
 * to the total; a number is never given twice, not even after a voiding.
 */
export class Invoices1790000001400 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table invoices (
        id text primary key,
        type text not null check (type in ('invoice', 'proforma', 'credit_note')),
        booking_id text not null,
        schedule_id text references payment_schedules,
        status text not null check (status in ('draft', 'issued', 'partially_paid', 'paid', 'void')),
        number text check (length(number) >= 1) constraint invoices_number_length check (length(number) <= 50),
        series_id text references invoice_number_series,
        period_key text,
        sequence bigint check (sequence > 0),
        issue_date date check (issue_date between '1900-01-01' and '2199-12-31'),
        due_date date check (due_date between '1900-01-01' and '2199-12-31'),
        payer_name text not null check (length(payer_name) between 1 and 255),
        payer_address text check (length(payer_address) between 1 and 1000),
        payer_tax_id text check (length(payer_tax_id) between 1 and 50),
        seller_name text check (length(seller_name) between 1 and 500),
        seller_address text check (length(seller_address) <= 500),
        seller_tax_id text check (length(seller_tax_id) <= 50),
        currency text not null,
        subtotal_cents bigint not null,
        tax_cents bigint not null,
        total_cents bigint not null check (total_cents between 0 and 9007199254740991),
        paid_cents bigint not null,
        issued_at timestamptz,
        voided_at timestamptz,
        void_reason text check (length(void_reason) between 1 and 2000),
        version integer not null check (version > 0),
        created_at timestamptz not null,
        updated_at timestamptz not null,
        constraint invoices_booking foreign key (booking_id, currency) references bookings (id, currency),
        constraint invoices_series_sequence unique (series_id, period_key, sequence),
        constraint invoices_type_number unique (type, number),
        constraint invoices_total check (subtotal_cents + tax_cents = total_cents),
        constraint invoices_due check (due_date >= issue_date),
        constraint invoices_numbered check (
          num_nulls(number, series_id, period_key, sequence, issue_date, issued_at, seller_name) in (0, 7)
          and (number is null or status <> 'draft')
          and (number is not null or status in ('draft', 'void'))
          and (number is null or due_date is not null)
        ),
        constraint invoices_paid check (
          paid_cents between 0 and total_cents
          and case status
            when 'partially_paid' then paid_cents > 0 and paid_cents < total_cents
            when 'paid' then paid_cents = total_cents
            when 'issued' then paid_cents = 0 and total_cents > 0
            else paid_cents = 0
          end
        ),
        constraint invoices_voiding check (
          (voided_at is not null) = (status = 'void') and (void_reason is not null) = (status = 'void')
        )
      )`);
    await runner.query(`
      create unique index invoices_live_schedule on invoices (schedule_id) where status <> 'void'`);
    await runner.query('create index invoices_booking_id on invoices (booking_id)');
    await runner.query('create index invoices_created on invoices (created_at, id)');
    await runner.query('create index invoices_status_due on invoices (status, due_date)');
    await runner.query(`
      create index invoices_search on invoices using gin (payer_name gin_trgm_ops, number gin_trgm_ops)`);

    await runner.query(`
      create table invoice_lines (
        invoice_id text not null references invoices,
        position integer not null check (position between 1 and 500),
        booking_item_id text references booking_items,
        description text not null check (length(description) between 1 and 500),
        quantity numeric(12, 4) not null check (quantity > 0),
        unit_price_cents bigint not null,
        tax_rate_basis_points integer check (tax_rate_basis_points between 0 and 10000),
        net_cents bigint not null,
        tax_cents bigint not null,
        total_cents bigint not null,
        primary key (invoice_id, position),
        constraint invoice_lines_total check (net_cents + tax_cents = total_cents),
        constraint invoice_lines_net check (net_cents = round(quantity * unit_price_cents)),
        constraint invoice_lines_tax check (
          tax_rate_basis_points is null or tax_cents = round(net_cents * tax_rate_basis_points / 10000.0)
        )
      )`);
    await runner.query(`
      create index invoice_lines_booking_item on invoice_lines (booking_item_id) where booking_item_id is not null`);
    await this.protect(runner);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop table invoice_lines');
    await runner.query('drop table invoices');
    await runner.query('drop function invoice_lines_immutable');
    await runner.query('drop function invoices_immutable');
  }

  private async protect(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create function invoices_immutable() returns trigger language plpgsql as $$
      declare
        moving constant text[] := '{status,paid_cents,voided_at,void_reason,version,updated_at}';
        lines record;
      begin
        if tg_op = 'DELETE' then
          if old.number is not null then
            raise exception 'An invoice that has a number stays'
              using errcode = '23514', constraint = 'invoices_immutable';
          end if;
          return old;
        end if;
        if old.number is not null and (to_jsonb(new) - moving) is distinct from (to_jsonb(old) - moving) then
          raise exception 'Of an issued invoice only the status and what is paid change'
            using errcode = '23514', constraint = 'invoices_immutable';
        end if;
        if old.status = 'void' then
          raise exception 'A void invoice stays as it is' using errcode = '23514', constraint = 'invoices_immutable';
        end if;
        if old.number is null and new.number is not null then
          select coalesce(sum(net_cents), 0) as net, coalesce(sum(tax_cents), 0) as tax, count(*) as count into lines
          from invoice_lines where invoice_id = new.id;
          if lines.count = 0 or lines.net <> new.subtotal_cents or lines.tax <> new.tax_cents then
            raise exception 'The lines do not add up to the total'
              using errcode = '23514', constraint = 'invoices_sum_of_lines';
          end if;
        end if;
        return new;
      end $$`);
    await runner.query(`
      create trigger invoices_immutable before update or delete on invoices
      for each row execute function invoices_immutable()`);
    await runner.query(`
      create function invoice_lines_immutable() returns trigger language plpgsql as $$
      begin
        if exists (
          select from invoices where number is not null
            and id in (case when tg_op <> 'INSERT' then old.invoice_id end, case when tg_op <> 'DELETE' then new.invoice_id end)
        ) then
          raise exception 'The lines of an issued invoice stay'
            using errcode = '23514', constraint = 'invoice_lines_immutable';
        end if;
        return case tg_op when 'DELETE' then old else new end;
      end $$`);
    await runner.query(`
      create trigger invoice_lines_immutable before insert or update or delete on invoice_lines
      for each row execute function invoice_lines_immutable()`);
  }
}
