/** A booking as mails to its customer describe it. */
export interface BookingFacts {
  bookingId: string;
  bookingNumber: string;
  customerId: string | null;
  customerName: string;
  customerEmail: string | null;
  /** Null if the booking has no language of its own. */
  language: string | null;
  departureDate: string | null;
  returnDate: string | null;
  /** In minor units of the currency; null without a price. */
  totalCents: number | null;
  /** What the customer owes by the payment plan, and the day on which the next part of it is due. */
  balanceCents: number;
  balanceDueOn: string | null;
  currency: string;
  /** Services that are not cancelled, the earliest first; at most 100. */
  items: BookedService[];
}

export interface BookedService {
  title: string;
  /** Title of the product in the language of the mail; null if it has no record. */
  tour: string | null;
  date: string | null;
  quantity: number;
  /** Null without a departure, like the meeting point. */
  start: { startsAt: Date; timeZone: string } | null;
  meetingPoint: string | null;
}

/** Provides the facts of bookings. The module that owns bookings implements it with `@Listens(BookingFactsSource, ...)`. */
export abstract class BookingFactsSource {
  /** Returns null if there is no such booking. Titles of products are in the language, by default in the one of the product. */
  abstract read(bookingId: string, language?: string | null): Promise<BookingFacts | null>;
}
