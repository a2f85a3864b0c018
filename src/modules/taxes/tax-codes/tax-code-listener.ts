/** Booking items whose rate of a tax code differs from the rate of their service day. */
export interface OtherRateSales {
  items: number;
  bookings: number;
}

/** Called for changes of a tax code, in their transaction. Implementations declare `@Listens(TaxCodeListener, ...)`. */
export abstract class TaxCodeListener {
  /** Called when a rate was added from this day on. Returns the items that were sold before at another rate. */
  rateAdded?(taxCodeId: string, validFrom: string): Promise<OtherRateSales>;
}
