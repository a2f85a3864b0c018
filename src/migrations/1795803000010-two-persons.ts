import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The setting that another person approves and pays a supplier invoice, and who has entered each invoice. */
export class TwoPersons1795803000010 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      alter table organization_settings add column supplier_invoices_need_two_persons boolean not null default false`);
    await runner.query(`alter table supplier_invoices add column entered_by text[] not null default '{}'`);
    // Paid and void invoices need no second person any more. An API token acts for its user.
    await runner.query(`
      update supplier_invoices invoice set entered_by = (
        select coalesce(array_agg(distinct coalesce(token.user_id, entry.actor_id)), '{}')
        from action_ledger_entries entry left join api_tokens token on token.id = entry.actor_id
        where entry.subject_type = 'supplier_invoice' and entry.subject_id = invoice.id
          and entry.action in ('finance.supplier_invoice.create', 'finance.supplier_invoice.update'))
      where invoice.status in ('draft', 'approved')`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('alter table supplier_invoices drop column entered_by');
    await runner.query('alter table organization_settings drop column supplier_invoices_need_two_persons');
  }
}
