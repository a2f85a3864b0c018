import { minorUnits } from '../../../platform/money/money.js';
import { LIVE_TRIGGERS, type LiveTrigger } from '../targets/reminder-trigger.js';
import type { DueTarget } from '../targets/reminder-source.js';
type Template = (target: DueTarget) => { subject: string; sentence: string };

const money = ({ ask }: DueTarget): string => {
  if (ask === null) return 'the open amount';
  const digits = minorUnits(ask.currency);
  return `${(ask.cents / 10 ** digits).toFixed(digits)} ${ask.currency}`;
};
const payment =
  (what: string): Template =>
  (target) => ({
    subject: `${what} for booking ${target.bookingNumber}, due ${target.anchorDate}`,
    sentence: `${money(target)} of your booking ${target.bookingNumber} is due on ${target.anchorDate}.`,
  });

/** The built-in templates, one for each trigger. */
const TEMPLATES: Record<LiveTrigger, Template> = {
  deposit_due: payment('Deposit'),
  balance_due: payment('Balance'),
  installment_due: payment('Payment'),
  invoice_due: payment('Invoice'),
  departure_upcoming: ({ bookingNumber, anchorDate }) => ({
    subject: `Your trip ${bookingNumber} departs on ${anchorDate}`,
    sentence: `your trip ${bookingNumber} departs on ${anchorDate}.`,
  }),
  departure_changed: ({ bookingNumber, moved }) => ({
    subject: `The departure of your trip ${bookingNumber} has changed`,
    sentence: moved
      ? `your trip ${bookingNumber} departs on ${moved.to} instead of ${moved.from}.`
      : `the departure of your trip ${bookingNumber} has changed.`,
  }),
  booking_confirmed: ({ bookingNumber }) => ({
    subject: `Your booking ${bookingNumber} is confirmed`,
    sentence: `your booking ${bookingNumber} is confirmed.`,
  }),
  payment_complete: ({ bookingNumber }) => ({
    subject: `Your booking ${bookingNumber} is paid`,
    sentence: `your booking ${bookingNumber} is paid in full. Thank you.`,
  }),
};

/** Returns subject and text of a reminder. */
export function reminderMail(template: LiveTrigger, target: DueTarget, organization: string) {
  const { subject, sentence } = TEMPLATES[template](target);
  return { subject, text: [`Dear ${target.customerName},`, sentence, organization].join('\n\n') };
}

/** Returns whether this is the built-in template of the trigger, which has the trigger's name (`balance-due`). */
export function isBuiltIn(slug: string, trigger: LiveTrigger | null): boolean {
  return trigger !== null && slugOf(trigger) === slug;
}

export function slugOf(trigger: LiveTrigger): string {
  return trigger.replaceAll('_', '-');
}

/** The trigger whose built-in template has this name; null if there is none. */
export function builtInOf(slug: string): LiveTrigger | null {
  return LIVE_TRIGGERS.find((live) => slugOf(live) === slug) ?? null;
}
