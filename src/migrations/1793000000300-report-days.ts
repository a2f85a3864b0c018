import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The organization's day of a timestamp of an existing row; the migrator sets the time zone. */
const dayOf = (column: string) =>
  `(${column} at time zone coalesce(nullif(current_setting('app.time_zone', true), ''), 'UTC'))::date`;

/**
 * More of what reports as of a past day read: the local days on which reminders were sent, and the due dates of supplier
 * invoices, which may change after their approval.
 */
export class ReportDays1793000000300 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      alter table reminder_runs add column sent_on date check (sent_on between '1900-01-01' and '2199-12-31')`);
    await runner.query(`update reminder_runs set sent_on = ${dayOf('run_at')} where status = 'sent'`);
    // Not set by a trigger before an update: the table has a generated column in a unique key, so that each update would then
    // wait for transactions that have inserted a message of the run.
    await runner.query(
      `alter table reminder_runs add constraint reminder_runs_sent_on check ((sent_on is null) = (status <> 'sent'))`,
    );

    // No entity: written by a trigger, read by reports.
    await runner.query(`
      create table supplier_invoice_history (
        invoice_id text not null,
        version integer not null check (version > 0),
        effective_on date not null,
        recorded_at timestamptz not null,
        due_date date,
        primary key (invoice_id, version)
      );
      create trigger supplier_invoice_history_append_only before update or delete or truncate on supplier_invoice_history
      for each statement execute function refuse_change();`);
    await runner.query(`
      insert into supplier_invoice_history select id, 1, ${dayOf('created_at')}, created_at, due_date from supplier_invoices`);
    await runner.query(`
      create function supplier_invoices_keep_history() returns trigger language plpgsql as $$
      begin
        insert into supplier_invoice_history
        select new.id, coalesce(max(version), 0) + 1, app_today(), app_now(), new.due_date
        from supplier_invoice_history where invoice_id = new.id;
        return null;
      end $$;
      create trigger supplier_invoices_new_history after insert on supplier_invoices
      for each row execute function supplier_invoices_keep_history();
      create trigger supplier_invoices_history after update on supplier_invoices for each row
      when (old.due_date is distinct from new.due_date) execute function supplier_invoices_keep_history();`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop trigger supplier_invoices_history on supplier_invoices');
    await runner.query('drop trigger supplier_invoices_new_history on supplier_invoices');
    await runner.query('drop function supplier_invoices_keep_history');
    await runner.query('drop table supplier_invoice_history');
    await runner.query('alter table reminder_runs drop column sent_on');
  }
}
