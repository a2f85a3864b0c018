import { minorUnits } from '../../../platform/money/money.js';
import type { CallOffItem } from './call-off-item.entity.js';

/** What the mail to a customer states. */
export interface CallOffFacts {
  /** Null for a trip without a booking. */
  bookingNumber: string | null;
  /** Local day of the departure that was called off. */
  day: string;
  /** Local day of the departure to which the booking was moved. */
  targetDay: string | null;
  /** Whether the whole booking was cancelled, not only a part of it. */
  isWhole: boolean;
  note: string | null;
}

/** Returns the subject and the paragraphs of the mail about a departure that was called off. */
export function callOffMail(
  item: Pick<CallOffItem, 'action' | 'reprice' | 'currency' | 'refundedCents' | 'creditedCents' | 'openCents'>,
  facts: CallOffFacts,
): { subject: string; paragraphs: string[] } {
  const { bookingNumber, day, note } = facts;
  const what = bookingNumber === null ? 'your trip' : `your booking ${bookingNumber}`;
  const paragraphs = [`unfortunately we had to call off the departure of ${what} on ${day}.`, ...outcome(item, facts)];
  return {
    subject: `The departure of ${what} on ${day} is called off`,
    paragraphs: [...paragraphs, ...(note ? [note] : [])],
  };
}

function outcome(
  { action, reprice, currency, refundedCents, creditedCents, openCents }: Parameters<typeof callOffMail>[0],
  { targetDay, isWhole }: CallOffFacts,
): string[] {
  switch (action) {
    case 'move':
      return [`Your booking is moved to the departure on ${targetDay}${reprice ? '.' : ', at the same price.'}`];
    case 'keep':
      return ['We will contact you about your booking.'];
    case 'release':
      return ['Your reservation has ended. It costs you nothing.'];
    case 'cancel': {
      const cancelled = isWhole ? 'Your booking is cancelled' : 'The services of this departure are cancelled';
      const money = [
        ...(refundedCents > 0 ? [`We will refund ${amount(refundedCents, currency)}.`] : []),
        ...(creditedCents > 0 ? [`You have a credit of ${amount(creditedCents, currency)} for another booking.`] : []),
        ...(openCents > 0 ? ['We will contact you about what you have paid.'] : []),
      ];
      return [`${cancelled}, free of charge.`, ...money];
    }
  }
}

function amount(cents: number, currency: string): string {
  const digits = minorUnits(currency);
  return `${(cents / 10 ** digits).toFixed(digits)} ${currency}`;
}
