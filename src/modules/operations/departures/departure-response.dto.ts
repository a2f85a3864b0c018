import { dataOf, pageOf } from '../../../platform/http/dto.js';
import { Cents, Id, OneOf, Text, Version, Whole } from '../../../platform/http/fields.js';
import { CurrencyCode, Instant, IsoDate, TimeZone } from '../../../platform/http/trade-fields.js';
import { MAX_UNITS, PRODUCT_ID } from './departure.dto.js';
import { availableOf, DEPARTURE_STATUSES, type DepartureStatus, type DepartureView } from './departure.entity.js';

export class DepartureResponse {
  @Id('dep')
  id: string;

  @Text({ max: 128, pattern: PRODUCT_ID })
  productId: string;

  @Instant()
  startsAt: string;

  @Instant()
  endsAt: string;

  @TimeZone()
  timeZone: string;

  /** Local day on which it starts. */
  @IsoDate()
  startDate: string;

  /** In units, as are the other counts. */
  @Whole({ min: 0, max: MAX_UNITS })
  capacity: number;

  @Cents()
  priceCents: number;

  @Cents()
  taxIncludedCents: number;

  @CurrencyCode()
  currency: string;

  @Id('fac')
  facilityId: string | null;

  @OneOf(DEPARTURE_STATUSES)
  status: DepartureStatus;

  /** By bookings. */
  @Whole({ min: 0, max: MAX_UNITS })
  sold: number;

  /** By trips that are reserved. */
  @Whole({ min: 0, max: MAX_UNITS })
  held: number;

  /** Set aside for channels and not sold yet. */
  @Whole({ min: 0, max: MAX_UNITS })
  guaranteedOpen: number;

  /** capacity - sold - held - guaranteedOpen: what anybody may still sell. */
  @Whole({ min: 0, max: MAX_UNITS })
  available: number;

  @Instant()
  cancelledAt: string | null;

  /** Raised by every change that staff make; also the ETag. Selling units does not raise it. */
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
