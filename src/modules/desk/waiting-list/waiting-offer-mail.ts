import { LINK } from '../../notifications/index.js';
import type { DepartureSummary } from '../../operations/index.js';

/** What the mail about an offer states. */
export interface OfferFacts {
  /** Name of the product; null if it has no record. */
  product: string | null;
  departure: Pick<DepartureSummary, 'startsAt' | 'timeZone'>;
  seats: number;
  expiresAt: Date;
}

/** Returns the subject and the paragraphs of the mail that offers freed units. Times are local to the departure. */
export function waitingOfferMail({ product, departure, seats, expiresAt }: OfferFacts): {
  subject: string;
  paragraphs: string[];
} {
  const { timeZone } = departure;
  const start = localTime(departure.startsAt, timeZone);
  const what = product === null ? 'the departure' : product;
  const places = seats === 1 ? '1 place' : `${seats} places`;
  return {
    subject: `There is room for you: ${what}, ${start}`,
    paragraphs: [
      `you are on our waiting list, and ${places} on ${what} on ${start} are now free for you.`,
      `We hold them for you until ${localTime(expiresAt, timeZone)} (${timeZone}). Please take or decline them on this page:`,
      LINK,
      'If we do not hear from you, we offer them to the next customer.',
    ],
  };
}

/** `2027-05-12 09:00` */
function localTime(instant: Date, timeZone: string): string {
  return new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'short' }).format(instant);
}
