import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Indexes in the order of lists, found by reading the plan of every list of large tables. Where a column can be null, a
 * descending order has an index of its own: null comes last in both directions.
 */
const INDEXES: Readonly<Record<string, string>> = {
  bookings_departure_date_desc: 'bookings (departure_date desc nulls last, id desc)',
  contracts_title: 'contracts (title, id)',
  departures_created: 'departures (created_at, id)',
  departures_status: 'departures (status, starts_at, id)',
  invoices_issue_date_asc: 'invoices (type, issue_date, id)',
  invoices_issue_date_desc: 'invoices (type, issue_date desc nulls last, id desc)',
  invoices_due_date_asc: 'invoices (type, due_date, id)',
  invoices_due_date_desc: 'invoices (type, due_date desc nulls last, id desc)',
  invoices_total: 'invoices (type, total_cents, id)',
  notification_messages_status: 'notification_messages (status, created_at, id)',
  payments_amount: 'payments (amount_cents, id)',
  payments_status: 'payments (status, created_at, id)',
  supplier_invoices_issue_date: 'supplier_invoices (issue_date, id)',
  supplier_invoices_due_date_asc: 'supplier_invoices (due_date, id)',
  supplier_invoices_due_date_desc: 'supplier_invoices (due_date desc nulls last, id desc)',
  supplier_invoices_total: 'supplier_invoices (total_cents, id)',
  trip_envelopes_updated: 'trip_envelopes (updated_at, id)',
};

export class ListIndexes1794000000720 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const [name, columns] of Object.entries(INDEXES)) await runner.query(`create index ${name} on ${columns}`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`drop index ${Object.keys(INDEXES).join(', ')}`);
  }
}
