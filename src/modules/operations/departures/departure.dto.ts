import { OmitType } from '@nestjs/swagger';
import { PageQuery, patchOf } from '../../../platform/http/dto.js';
import { Cents, Clearable, Id, Ignored, OneOf, Optional, Text, Whole } from '../../../platform/http/fields.js';
import { SortBy } from '../../../platform/http/query-fields.js';
import { CurrencyCode, Instant, IsoDate, TimeZone } from '../../../platform/http/trade-fields.js';
import { DEPARTURE_STATUSES, type DepartureStatus } from './departure.entity.js';

/** The catalog's document id, which is not looked up: the catalog is an index of products, not their master. */
export const PRODUCT_ID = /^[A-Za-z0-9._:-]{1,128}$/;
export const MAX_UNITS = 1_000_000;

export class CreateDeparture {
  @Ignored()
  id?: undefined;

  /** The catalog's id of the product; it is not looked up.
   * @example "tour-danube-delta" */
  @Text({ max: 128, pattern: PRODUCT_ID })
  productId: string;

  /** @example "2027-05-12T09:00:00+03:00" */
  @Instant()
  startsAt: string;

  /** After `startsAt`.
   * @example "2027-05-12T18:00:00+03:00" */
  @Instant()
  endsAt: string;

  /** IANA name; its calendar says on which day the departure starts.
   * @example "Europe/Bucharest" */
  @TimeZone()
  timeZone: string;

  /** In units: seats, places. Not below what is sold, held and guaranteed.
   * @example 20 */
  @Whole({ min: 0, max: MAX_UNITS })
  capacity: number;

  /** Of one unit.
   * @example 5900 */
  @Cents()
  priceCents: number;

  /** Tax that the price includes; 0 unless given.
   * @example 942 */
  @Optional()
  @Cents()
  taxIncludedCents?: number;

  /** @example "EUR" */
  @CurrencyCode()
  currency: string;

  /** Where one meets.
   * @example "fac_01k0dem000e000000000000001" */
  @Clearable()
  @Id('fac')
  facilityId?: string | null;
}

/** Without `productId`: allotments of the product have their slots here. */
export class UpdateDeparture extends patchOf(OmitType(CreateDeparture, ['id', 'productId'] as const)) {}

/** May be left out as a whole. */
export class CancelDeparture {
  /** Kept in the action ledger.
   * @example "The boat is in repair" */
  @Optional()
  @Text({ max: 2000, multiline: true })
  reason?: string;
}

export class ListDepartures extends PageQuery {
  @Optional()
  @Text({ max: 128, pattern: PRODUCT_ID })
  productId?: string;

  /** First local day on which they start. */
  @Optional()
  @IsoDate()
  from?: string;

  /** Last local day on which they start. */
  @Optional()
  @IsoDate()
  to?: string;

  @Optional()
  @OneOf(DEPARTURE_STATUSES)
  status?: DepartureStatus;

  /** `startsAt`, the next ones first, unless given. */
  @Optional()
  @SortBy(['startsAt', 'createdAt'])
  sort?: string;
}
