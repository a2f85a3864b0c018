import type { MigrationInterface, QueryRunner } from 'typeorm';

const TRIGGERS = `'deposit_due', 'balance_due', 'installment_due', 'invoice_due', 'departure_upcoming', 'booking_confirmed',
  'payment_complete', 'hold_expiry', 'supplier_response_due', 'supplier_reconciliation_due', 'legal_acceptance_due',
  'legal_signature_due', 'booking_cancelled_non_payment', 'document_missing'`;

/** The trigger `departure_changed`: when and from which day the departure of a confirmed booking was moved. */
export class DepartureChangedMails1792000000810 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      alter table bookings
        add column departure_moved_at timestamptz,
        add column departure_moved_from date,
        add constraint bookings_departure_moved check ((departure_moved_at is null) = (departure_moved_from is null))`);
    await runner.query(`
      alter table reminder_rules
        drop constraint reminder_rules_trigger_check,
        add constraint reminder_rules_trigger_check check (trigger in (${TRIGGERS}, 'departure_changed'))`);
  }

  /** Rules with the trigger are unknown to the earlier build; like the dormant ones they plan nothing there. */
  async down(runner: QueryRunner): Promise<void> {
    await runner.query(
      `update reminder_rules set trigger = 'document_missing', enabled = false where trigger = 'departure_changed'`,
    );
    await runner.query(`
      alter table reminder_rules
        drop constraint reminder_rules_trigger_check,
        add constraint reminder_rules_trigger_check check (trigger in (${TRIGGERS}))`);
    await runner.query(`
      alter table bookings
        drop constraint bookings_departure_moved, drop column departure_moved_at, drop column departure_moved_from`);
  }
}
