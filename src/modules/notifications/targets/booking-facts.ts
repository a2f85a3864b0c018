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
  /** Services that are not cancelled, the earliest first; at most 100. */
  items: { title: string; date: string | null; quantity: number }[];
}

/** Provides the facts of bookings. The module that owns bookings implements it with `@Listens(BookingFactsSource, ...)`. */
export abstract class BookingFactsSource {
  /** Returns null if there is no such booking. */
  abstract read(bookingId: string): Promise<BookingFacts | null>;
}
