import type { LiveTrigger } from '../../../notifications/index.js';

/** Reminders to reschedule when installments of a booking, or their paid amounts, have changed. */
export const INSTALLMENT_TRIGGERS: readonly LiveTrigger[] = [
  'deposit_due',
  'balance_due',
  'installment_due',
  'payment_complete',
];

/** Reminders to reschedule when an invoice of a booking was issued, paid or voided, or is no longer paid. */
export const INVOICE_TRIGGERS: readonly LiveTrigger[] = ['invoice_due'];
