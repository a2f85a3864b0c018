import { OmitType } from '@nestjs/swagger';
import { PageQuery, patchOf } from '../../../platform/http/dto.js';
import { Cents, Clearable, Id, Ignored, OneOf, Optional, Text, Whole } from '../../../platform/http/fields.js';
import { SortBy } from '../../../platform/http/query-fields.js';
import { CurrencyCode, Instant, IsoDate, TimeZone } from '../../../platform/http/trade-fields.js';
import { DEPARTURE_STATUSES, type DepartureStatus } from './departure.entity.js';

/** The catalog's document ID, which is not looked up: the catalog is an index of products, not their master. */
export const PRODUCT_ID = /^[A-Za-z0-9._:-]{1,128}$/;
export const MAX_UNITS = 1_000_000;

/** A new departure: one dated run of a product. */
export class CreateDeparture {
  @Ignored()
  id?: undefined;

  /**
   * Document ID of the product in the catalog; it is not looked up.
   * @example "tour-danube-delta"
   */
  @Text({ max: 128, pattern: PRODUCT_ID })
  productId: string;

  /**
   * When the departure starts (RFC 3339 with offset).
   * @example "2027-05-12T09:00:00+03:00"
   */
  @Instant()
  startsAt: string;

  /**
   * When the departure ends (RFC 3339 with offset); after `startsAt`.
   * @example "2027-05-12T18:00:00+03:00"
   */
  @Instant()
  endsAt: string;

  /**
   * IANA time zone of the departure; it determines the local start date.
   * @example "Europe/Bucharest"
   */
  @TimeZone()
  timeZone: string;

  /**
   * Total number of units, such as seats; not below sold, held and guaranteed units.
   * @example 20
   */
  @Whole({ min: 0, max: MAX_UNITS })
  capacity: number;

  /**
   * Price of one unit with tax, in minor units of `currency`.
   * @example 5900
   */
  @Cents()
  priceCents: number;

  /**
   * Tax included in `priceCents`, in minor units; 0 by default, not above the price.
   * @example 942
   */
  @Optional()
  @Cents()
  taxIncludedCents?: number;

  /**
   * ISO 4217 code for the price.
   * @example "EUR"
   */
  @CurrencyCode()
  currency: string;

  /**
   * Meeting point (prefix `fac`); must not be archived. Null if there is none.
   * @example "fac_01k0dem000e000000000000001"
   */
  @Clearable()
  @Id('fac')
  facilityId?: string | null;
}

/** The fields of a departure to change. The product is fixed, since allotments of it have slots here. */
export class UpdateDeparture extends patchOf(OmitType(CreateDeparture, ['id', 'productId'] as const)) {}

/** Optional reason for the cancellation of a departure. The body may be omitted. */
export class CancelDeparture {
  /**
   * Stored with the action ledger entry.
   * @example "The boat is in repair"
   */
  @Optional()
  @Text({ max: 2000, multiline: true })
  reason?: string;
}

export class ListDepartures extends PageQuery {
  /** Only departures of this product. */
  @Optional()
  @Text({ max: 128, pattern: PRODUCT_ID })
  productId?: string;

  /** Only departures that start on this local day or later. */
  @Optional()
  @IsoDate()
  from?: string;

  /** Only departures that start on this local day or earlier. */
  @Optional()
  @IsoDate()
  to?: string;

  /** Only departures in this status. */
  @Optional()
  @OneOf(DEPARTURE_STATUSES)
  status?: DepartureStatus;

  /** Sort field; a leading `-` means descending order, `startsAt` by default. */
  @Optional()
  @SortBy(['startsAt', 'createdAt'])
  sort?: string;
}
