import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The organization's day of a timestamp of an existing row; the migrator sets the time zone. */
const dayOf = (column: string) =>
  `(${column} at time zone coalesce(nullif(current_setting('app.time_zone', true), ''), 'UTC'))::date`;

/**
 * Posting dates of supplier invoices, whose lines add up to their subtotal and tax too, and closed months that reject the
 * numbers and voidings of invoices.
 */
export class BillPostings1792000000620 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await this.addPostingDates(runner);
    await this.assertSumsOfLines(runner);
    await this.rejectClosedMonths(runner);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop trigger supplier_invoices_period on supplier_invoices');
    await runner.query('drop trigger supplier_invoices_change_period on supplier_invoices');
    await runner.query('drop trigger invoices_period on invoices');
    await runner.query('drop trigger invoices_void_period on invoices');
    await runner.query('drop trigger supplier_invoices_lines_sum on supplier_invoices');
    await runner.query('drop trigger supplier_invoice_lines_sum on supplier_invoice_lines');
    await runner.query('drop function supplier_invoices_assert_period, invoices_assert_period');
    await runner.query('drop function supplier_invoices_assert_lines');
    await runner.query('drop index invoices_issue_date, supplier_invoices_posting_date');
    await runner.query(`
      alter table supplier_invoices drop constraint supplier_invoices_posting,
        drop constraint supplier_invoices_voiding_day, drop column posting_date,
        drop column voided_on`);
  }

  private async addPostingDates(runner: QueryRunner): Promise<void> {
    // An invoice that was voided after its approval keeps its posting date: until the day of the voiding it was a debt.
    await runner.query(`
      alter table supplier_invoices
        add column posting_date date check (posting_date between '1900-01-01' and '2199-12-31'),
        add column voided_on date check (voided_on between '1900-01-01' and '2199-12-31')`);
    await runner.query(`alter table supplier_invoices disable trigger user`);
    await runner.query(`
      update supplier_invoices set posting_date = case when approved_at is not null then issue_date end,
        voided_on = ${dayOf('voided_at')}
      where approved_at is not null or voided_at is not null`);
    // The tax of a head could differ from the taxes of its lines; the total could not.
    await runner.query(`
      update supplier_invoices bill set tax_cents = lines.tax, subtotal_cents = bill.total_cents - lines.tax,
        base_subtotal_cents = bill.base_total_cents - base.tax, base_tax_cents = base.tax
      from (
        select invoice_id, sum(tax_amount_cents) as tax, sum(total_amount_cents) as total
        from supplier_invoice_lines group by 1
      ) lines
      cross join lateral (
        select round(bill.base_total_cents * lines.tax / nullif(lines.total, 0)) as tax
        from supplier_invoices bill where bill.id = lines.invoice_id
      ) base
      where lines.invoice_id = bill.id and lines.total = bill.total_cents and lines.tax <> bill.tax_cents`);
    await runner.query(`alter table supplier_invoices enable trigger user`);
    await runner.query(`
      alter table supplier_invoices
        add constraint supplier_invoices_posting check ((posting_date is null) = (approved_at is null)),
        add constraint supplier_invoices_voiding_day check ((voided_on is null) = (voided_at is null));
      create index supplier_invoices_posting_date on supplier_invoices (posting_date) where posting_date is not null;
      create index invoices_issue_date on invoices (issue_date) where number is not null;`);
  }

  private async assertSumsOfLines(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create function supplier_invoices_assert_lines() returns trigger language plpgsql as $$
      declare
        bill_id text;
        bill supplier_invoices;
        lines record;
      begin
        if tg_table_name = 'supplier_invoices' then bill_id := new.id;
        elsif tg_op = 'DELETE' then bill_id := old.invoice_id;
        else bill_id := new.invoice_id;
        end if;
        select * into bill from supplier_invoices where id = bill_id;
        select count(*) as count, sum(quantity::numeric * unit_amount_cents) as subtotal, sum(tax_amount_cents) as tax
        into lines from supplier_invoice_lines where invoice_id = bill_id;
        if lines.count > 0 and (lines.subtotal, lines.tax) is distinct from (bill.subtotal_cents, bill.tax_cents) then
          raise exception 'The lines of supplier invoice % do not add up to its subtotal and tax', bill_id
            using errcode = '23514', constraint = 'supplier_invoices_sum_of_lines', table = 'supplier_invoices';
        end if;
        return null;
      end $$`);
    await runner.query(`
      create constraint trigger supplier_invoices_lines_sum after update on supplier_invoices
      deferrable initially deferred for each row
      when (old.subtotal_cents <> new.subtotal_cents or old.tax_cents <> new.tax_cents)
      execute function supplier_invoices_assert_lines();
      create constraint trigger supplier_invoice_lines_sum after insert or update or delete on supplier_invoice_lines
      deferrable initially deferred for each row execute function supplier_invoices_assert_lines();`);
  }

  /** The service looks first; the triggers decide when a posting races the closing of its month. */
  private async rejectClosedMonths(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create function supplier_invoices_assert_period() returns trigger language plpgsql as $$
      begin
        if tg_op = 'UPDATE' then
          if old.posting_date is not null and old.posting_date is distinct from new.posting_date then
            perform assert_period_open(old.posting_date);
          end if;
          if new.posting_date is not null and old.posting_date is distinct from new.posting_date then
            perform assert_period_open(new.posting_date);
          end if;
          if new.posting_date is not null and old.voided_on is distinct from new.voided_on then
            perform assert_period_open(new.voided_on);
          end if;
        else
          perform assert_period_open(new.posting_date);
        end if;
        return new;
      end $$;
      create trigger supplier_invoices_period before insert on supplier_invoices for each row
      when (new.posting_date is not null) execute function supplier_invoices_assert_period();`);
    await runner.query(`
      create trigger supplier_invoices_change_period before update on supplier_invoices for each row
      when ((old.posting_date, old.voided_on) is distinct from (new.posting_date, new.voided_on))
      execute function supplier_invoices_assert_period()`);
    await runner.query(`
      create function invoices_assert_period() returns trigger language plpgsql as $$
      begin
        perform assert_period_open(new.issue_date);
        return new;
      end $$;
      create trigger invoices_period before update on invoices for each row
      when (old.number is null and new.number is not null) execute function invoices_assert_period();
      create trigger invoices_void_period before update on invoices for each row
      when (new.number is not null and new.status = 'void' and old.status <> 'void')
      execute function invoices_assert_period();`);
  }
}
