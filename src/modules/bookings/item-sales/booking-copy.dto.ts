import { dataOf } from '../../../platform/http/dto.js';
import { Clearable, Id, Ignored, ListOf, OneOf, Optional } from '../../../platform/http/fields.js';
import { extensible, named } from '../../../platform/http/named-values.js';
import { BookingResponse } from '../bookings/booking.dto.js';

const COPIED_TRAVELERS = named('CopiedTravelers', ['keep', 'drop']);
const OMISSIONS = extensible('BookingCopyOmission', ['price_change', 'supplier_order', 'unit_missing']);

/** How to copy a booking. */
export class CopyBooking {
  @Ignored()
  id?: undefined;

  /**
   * Departure that the copy sells instead of the one of the booking (prefix `dep`), of the same product. By default the copy sells
   * the departures of the booking.
   * @example "dep_01k0dem000e000000000000002"
   */
  @Clearable()
  @Id('dep')
  departureId?: string | null;

  /**
   * Whether the copy has the travelers of the booking, on their seats; `keep` by default.
   * @example "keep"
   */
  @Optional()
  @OneOf(COPIED_TRAVELERS)
  travelers?: (typeof COPIED_TRAVELERS)[number];
}

/** An item that the copy does not have. */
export class OmittedItem {
  /** Item of the copied booking. */
  @Id('bkit')
  bookingItemId: string;

  /**
   * `price_change`: a fee, discount or adjustment of the copied booking; `supplier_order`: a service of an external provider, which
   * only a trip can order; `unit_missing`: an extra whose units are cancelled.
   */
  @OneOf(OMISSIONS)
  reason: (typeof OMISSIONS)[number];
}

export class BookingCopyEnvelope extends dataOf(BookingResponse) {
  /** Items that were left out. */
  @ListOf(() => OmittedItem, { max: 500 })
  omitted: OmittedItem[];
}
