import { extensible } from '../../../platform/http/named-values.js';

/** The triggers for which reminders are planned and sent. */
export const LIVE_TRIGGERS = [
  'deposit_due',
  'balance_due',
  'installment_due',
  'invoice_due',
  'departure_upcoming',
  'departure_changed',
  'booking_confirmed',
  'booking_cancelled',
  'payment_complete',
] as const;
export type LiveTrigger = (typeof LIVE_TRIGGERS)[number];

/** Accepted in a rule; no reminders are planned for them yet. */
const DORMANT_TRIGGERS = [
  'hold_expiry',
  'supplier_response_due',
  'supplier_reconciliation_due',
  'legal_acceptance_due',
  'legal_signature_due',
  'booking_cancelled_non_payment',
  'document_missing',
] as const;

export const TRIGGERS = extensible('ReminderTrigger', [...LIVE_TRIGGERS, ...DORMANT_TRIGGERS]);
export type Trigger = (typeof TRIGGERS)[number];

/** The kind of record that a trigger concerns. */
export const TARGET_KINDS: Record<LiveTrigger, 'booking' | 'schedule' | 'invoice'> = {
  deposit_due: 'schedule',
  balance_due: 'schedule',
  installment_due: 'schedule',
  invoice_due: 'invoice',
  departure_upcoming: 'booking',
  departure_changed: 'booking',
  booking_confirmed: 'booking',
  booking_cancelled: 'booking',
  payment_complete: 'booking',
};

export function isLive(trigger: Trigger): trigger is LiveTrigger {
  return LIVE_TRIGGERS.some((live) => live === trigger);
}
