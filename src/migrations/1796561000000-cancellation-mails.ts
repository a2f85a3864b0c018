import type { MigrationInterface, QueryRunner } from 'typeorm';

const TRIGGERS = `'deposit_due', 'balance_due', 'installment_due', 'invoice_due', 'departure_upcoming', 'departure_changed',
  'booking_confirmed', 'payment_complete', 'hold_expiry', 'supplier_response_due', 'supplier_reconciliation_due',
  'legal_acceptance_due', 'legal_signature_due', 'booking_cancelled_non_payment', 'document_missing'`;

/** The trigger `booking_cancelled`. */
export class CancellationMails1796561000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    // Older builds: they plan nothing for a rule with the trigger, and show it. Another migration validates the constraint.
    await runner.query(`
      alter table reminder_rules
        drop constraint reminder_rules_trigger_check,
        add constraint reminder_rules_trigger_check check (trigger in (${TRIGGERS}, 'booking_cancelled')) not valid`);
  }

  /** Rules with the trigger are unknown to the earlier build; like the dormant ones they plan nothing there. */
  async down(runner: QueryRunner): Promise<void> {
    await runner.query(
      `update reminder_rules set trigger = 'document_missing', enabled = false where trigger = 'booking_cancelled'`,
    );
    await runner.query(`
      alter table reminder_rules
        drop constraint reminder_rules_trigger_check,
        add constraint reminder_rules_trigger_check check (trigger in (${TRIGGERS}))`);
  }
}
