/** What was sold with another rate of a tax code than that of its service day. */
export interface OtherRateSales {
  items: number;
  bookings: number;
}

/** Called for changes of a tax code, in their transaction. Implementations declare `@Listens(TaxCodeListener, ...)`. */
export abstract class TaxCodeListener {
  /** A rate was added from this day on. Returns what was sold before at another rate. */
  rateAdded?(taxCodeId: string, validFrom: string): Promise<OtherRateSales>;
}
