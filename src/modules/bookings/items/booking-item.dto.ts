import { OmitType } from '@nestjs/swagger';
import { PageQuery, patchOf } from '../../../platform/http/dto.js';
import { Cents, Clearable, Id, Ignored, OneOf, Optional, Text, Whole } from '../../../platform/http/fields.js';
import { CurrencyCode, IsoDate } from '../../../platform/http/trade-fields.js';
import {
  ITEM_STATUSES,
  ITEM_TYPES,
  type ItemStatus,
  type ItemType,
  PRICING_TREATMENTS,
  type PricingTreatment,
} from './booking-item.entity.js';

const MIN_CENTS = Number.MIN_SAFE_INTEGER;

export class CreateBookingItem {
  @Ignored()
  id?: undefined;

  /** @example "unit" */
  @OneOf(ITEM_TYPES)
  type: ItemType;

  /** @example "City tour of 12 May, 09:00" */
  @Text({ max: 255 })
  title: string;

  /** `confirmed`, also if it is not given.
   * @example "confirmed" */
  @Optional()
  @OneOf(ITEM_STATUSES)
  status?: ItemStatus;

  /** 1 unless given.
   * @example 2 */
  @Optional()
  @Whole({ min: 1, max: 1_000_000 })
  quantity?: number;

  /** What the customer pays for one. Of a discount not above 0, of an adjustment of any sign, else not below 0.
   * @example 5900 */
  @Cents({ min: MIN_CENTS })
  unitSellCents: number;

  /** Tax that the price of the whole quantity includes, between 0 and that price; 0 unless given.
   * @example 1884 */
  @Optional()
  @Cents({ min: MIN_CENTS })
  taxIncludedCents?: number;

  /** What we owe the supplier for the whole quantity; only with costCurrency.
   * @example 7000 */
  @Clearable()
  @Cents()
  costCents?: number | null;

  /** @example "EUR" */
  @Clearable()
  @CurrencyCode()
  costCurrency?: string | null;

  /** `standard` unless given; `pass_through` is sold at cost on behalf of somebody else and carries no commission.
   * @example "standard" */
  @Optional()
  @OneOf(PRICING_TREATMENTS)
  pricingTreatment?: PricingTreatment;

  /** Local date on which it is delivered; with a departure, the day on which that starts, also once
   * it was moved.
   * @example "2027-05-12" */
  @Clearable()
  @IsoDate()
  serviceDate?: string | null;

  /** The departure of which it takes `quantity` units; one that is still to come.
   * @example "dep_01k0dem000e000000000000001" */
  @Clearable()
  @Id('dep')
  departureId?: string | null;

  /** The allotment through whose slot on the departure it takes them; from the pool unless given. */
  @Clearable()
  @Id('alot')
  allotmentId?: string | null;
}

/** Without `status`, which moves by cancellation and the calendar. */
export class UpdateBookingItem extends patchOf(OmitType(CreateBookingItem, ['id', 'status'] as const)) {}

/** May be left out as a whole. */
export class CancelBookingItem {
  /** Kept with the item and in the action ledger.
   * @example "One traveller less" */
  @Optional()
  @Text({ max: 2000, multiline: true })
  reason?: string;
}

export class ListBookingItems extends PageQuery {
  @Optional()
  @OneOf(ITEM_STATUSES)
  status?: ItemStatus;
}
