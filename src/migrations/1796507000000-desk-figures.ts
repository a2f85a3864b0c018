import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Name, table and definition of each new index, and the index that it makes unnecessary. */
const INDEXES = [
  ['bookings_status_id', 'bookings', '(status, id)', 'bookings_status'],
  [
    'bookings_sales',
    'bookings',
    '(confirmed_on) include (currency, total_cents, status) where confirmed_on is not null',
    'bookings_confirmed_on',
  ],
  [
    'payment_schedules_pending',
    'payment_schedules',
    `(due_date) include (booking_id, type, currency, amount_cents, paid_cents) where status = 'pending'`,
    'payment_schedules_due',
  ],
  [
    'payments_unapplied_paid',
    'payments',
    `(paid_on, booking_id) where unapplied_cents > 0 and status = 'completed'`,
    null,
  ],
  ['supplier_invoices_status_due_id', 'supplier_invoices', '(status, due_date, id)', 'supplier_invoices_status_due'],
  [
    'departures_below_minimum',
    'departures',
    `(start_date, id) where status = 'scheduled' and minimum_not_reached_at is not null`,
    null,
  ],
] as const;

const REPLACED = {
  bookings_status: 'bookings (status)',
  bookings_confirmed_on: 'bookings (confirmed_on) where confirmed_on is not null',
  payment_schedules_due: `payment_schedules (due_date) where status = 'pending'`,
  supplier_invoices_status_due: 'supplier_invoices (status, due_date)',
} as const;

/**
 * Indexes from which the dashboard and the list of open bookings are answered without reading the tables. Older builds use them too:
 * each one begins like the index that it replaces.
 */
export class DeskFigures1796507000000 implements MigrationInterface {
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    for (const [name, table, definition, replaced] of INDEXES) {
      // A build that was killed leaves an invalid index.
      await runner.query(`drop index concurrently if exists ${name}`);
      await runner.query(`create index concurrently ${name} on ${table} ${definition}`);
      if (replaced) await runner.query(`drop index concurrently if exists ${replaced}`);
    }
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const [name, , , replaced] of INDEXES) {
      if (replaced) await runner.query(`create index ${replaced} on ${REPLACED[replaced]}`);
      await runner.query(`drop index ${name}`);
    }
  }
}
