import { PickType } from '@nestjs/swagger';
import { pageOf } from '../../../platform/http/dto.js';
import { Id, OneOf, Text, Whole } from '../../../platform/http/fields.js';
import { Instant, IsoDate, TimeZone } from '../../../platform/http/trade-fields.js';
import { type DepartureSummary, ListDepartures, SALES_STATES, type SalesState } from '../../operations/index.js';

/** `startFrom` is today by default. */
export class ListPartnerDepartures extends PickType(ListDepartures, [
  'productId',
  'startFrom',
  'startTo',
  'salesState',
  'sort',
  'limit',
  'offset',
] as const) {}

/** A departure, and what the caller's channel can sell of it. */
export class PartnerDeparture {
  @Id('dep')
  id: string;

  /** Product that the departure sells. */
  @Text({ max: 128 })
  productId: string;

  /** When it starts (RFC 3339, UTC). */
  @Instant()
  startsAt: string;

  /** When it ends (RFC 3339, UTC). */
  @Instant()
  endsAt: string;

  /** Time zone of the departure. */
  @TimeZone()
  timeZone: string;

  /** Day of the start in this time zone. */
  @IsoDate()
  startDate: string;

  /** Whether it is sold now. A channel can lack seats of a departure that is `open`. */
  @OneOf(SALES_STATES)
  salesState: SalesState;

  /** Until when it can be booked (RFC 3339, UTC); null until its start. */
  @Instant()
  bookableUntil: string | null;

  /** Seats that the channel can sell now: of its allotment and, unless the connection excludes it, of the pool. */
  @Whole({ min: 0, max: 2_147_483_647 })
  available: number;
}

export class PartnerDeparturePage extends pageOf(PartnerDeparture) {}

export function toPartnerDeparture(departure: DepartureSummary, available: number): PartnerDeparture {
  const { id, productId, startsAt, endsAt, timeZone, startDate, salesState, bookableUntil } = departure;
  return {
    ...{ id, productId, timeZone, startDate, salesState, available },
    startsAt: startsAt.toISOString(),
    endsAt: endsAt.toISOString(),
    bookableUntil: bookableUntil?.toISOString() ?? null,
  };
}
