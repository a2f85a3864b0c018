import { dataOf, pageOf } from '../../../platform/http/dto.js';
import { Cents, Id, OneOf, Text, Version, Whole } from '../../../platform/http/fields.js';
import { CurrencyCode, Instant, IsoDate, TimeZone } from '../../../platform/http/trade-fields.js';
import { MAX_UNITS, PRODUCT_ID } from './departure.dto.js';
import { availableOf, DEPARTURE_STATUSES, type DepartureStatus, type DepartureView } from './departure.entity.js';

/** One dated run of a product, with its capacity and price. Counts are in units, such as seats. */
export class DepartureResponse {
  @Id('dep')
  id: string;

  /** Document ID of the product in the catalog. */
  @Text({ max: 128, pattern: PRODUCT_ID })
  productId: string;

  /** When the departure starts (RFC 3339, UTC). */
  @Instant()
  startsAt: string;

  /** When the departure ends (RFC 3339, UTC). */
  @Instant()
  endsAt: string;

  /** IANA time zone of the departure; it determines `startDate`. */
  @TimeZone()
  timeZone: string;

  /** Local day on which it starts. */
  @IsoDate()
  startDate: string;

  /** Total number of units. */
  @Whole({ min: 0, max: MAX_UNITS })
  capacity: number;

  /** Price of one unit with tax, in minor units of `currency`. */
  @Cents()
  priceCents: number;

  /** Tax included in `priceCents`, in minor units. */
  @Cents()
  taxIncludedCents: number;

  /** ISO 4217 code for the price. */
  @CurrencyCode()
  currency: string;

  /** Meeting point (prefix `fac`); null if there is none. */
  @Id('fac')
  facilityId: string | null;

  /** `cancelled` is final. */
  @OneOf(DEPARTURE_STATUSES)
  status: DepartureStatus;

  /** Units sold to bookings. */
  @Whole({ min: 0, max: MAX_UNITS })
  sold: number;

  /** Units held by reserved trips. */
  @Whole({ min: 0, max: MAX_UNITS })
  held: number;

  /** Units guaranteed to channels and not sold yet. */
  @Whole({ min: 0, max: MAX_UNITS })
  guaranteedOpen: number;

  /** `capacity` - `sold` - `held` - `guaranteedOpen`: units that can still be sold from the pool. */
  @Whole({ min: 0, max: MAX_UNITS })
  available: number;

  /** When the departure was cancelled; null unless its status is `cancelled`. */
  @Instant()
  cancelledAt: string | null;

  /**
   * Increases with every change made by staff, not with sales. It is also the ETag, and what If-Match is compared
   * with.
   */
  @Version()
  version: number;

  @Instant()
  createdAt: string;

  @Instant()
  updatedAt: string;
}

export function toDeparture(departure: DepartureView): DepartureResponse {
  return {
    id: departure.id,
    productId: departure.productId,
    startsAt: departure.startsAt.toISOString(),
    endsAt: departure.endsAt.toISOString(),
    timeZone: departure.timeZone,
    startDate: departure.startDate,
    capacity: departure.capacity,
    priceCents: departure.priceCents,
    taxIncludedCents: departure.taxIncludedCents,
    currency: departure.currency,
    facilityId: departure.facilityId,
    status: departure.status,
    sold: departure.sold,
    held: departure.held,
    guaranteedOpen: departure.guaranteedOpen,
    available: availableOf(departure),
    cancelledAt: departure.cancelledAt?.toISOString() ?? null,
    version: departure.version,
    createdAt: departure.createdAt.toISOString(),
    updatedAt: departure.updatedAt.toISOString(),
  };
}

export class DepartureEnvelope extends dataOf(DepartureResponse) {}
export class DeparturePage extends pageOf(DepartureResponse) {}
