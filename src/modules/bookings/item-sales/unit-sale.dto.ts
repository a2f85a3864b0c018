import { OmitType } from '@nestjs/swagger';
import { dataOf } from '../../../platform/http/dto.js';
import { Cents, Clearable, Id, ListOf, OneOf, Optional, Text, Texts, Whole } from '../../../platform/http/fields.js';
import { named } from '../../../platform/http/named-values.js';
import { BookingItemResponse, CreateBookingItem } from '../items/booking-item.dto.js';
import { ITEM_TYPES, type ItemType } from '../items/booking-item.entity.js';

const MAX_LINES = 50;
const MAX_TRAVELERS = 100;
const MIN_CENTS = Number.MIN_SAFE_INTEGER;

/** A unit of the departure's product, and how many of it. */
export class SoldUnit {
  /** Unit of the product (prefix `punt`); named at most once. */
  @Id('punt')
  unitId: string;

  /**
   * Number of units.
   * @example 2
   */
  @Whole({ min: 1, max: 100_000 })
  quantity: number;

  /** Travelers of the booking who take the seats of the item (prefix `trav`); their ages are checked. */
  @Optional()
  @Texts({ max: MAX_TRAVELERS, maxLength: 100, unique: true })
  travelerIds?: string[];

  /**
   * Price of one unit with tax, as it was quoted, in minor units of the booking currency. Rejected if the unit has another price,
   * unless `override` contains `price`.
   * @example 5900
   */
  @Optional()
  @Cents()
  unitSellCents?: number;
}

/** An extra of the departure's product, and how many of it. */
export class SoldExtra {
  /** Extra of the product (prefix `pxtr`); named at most once. */
  @Id('pxtr')
  extraId: string;

  /**
   * Number of the extra.
   * @example 2
   */
  @Whole({ min: 1, max: 100_000 })
  quantity: number;

  /**
   * Price of one with tax, as it was quoted, in minor units of the booking currency. Rejected if the extra has another price,
   * unless `override` contains `price`.
   * @example 1500
   */
  @Optional()
  @Cents()
  unitSellCents?: number;
}

/**
 * A new item of a booking, or with `units` one item for each unit of a departure. Without `units`, `type`, `title` and
 * `unitSellCents` are required, and the total is `quantity` * `unitSellCents`.
 */
export class AddBookingItems extends OmitType(CreateBookingItem, ['type', 'title', 'unitSellCents'] as const) {
  /**
   * Kind of service; `unit` with `units`. A `discount` needs a price of at most 0, an `adjustment` takes any sign, all other
   * types need at least 0.
   * @example "unit"
   */
  @Optional()
  @OneOf(ITEM_TYPES)
  type?: ItemType;

  /**
   * Text for the customer; the description of the invoice line. With `units` by default the title of the product in the
   * language of the booking, and the name of the unit follows it.
   * @example "City tour of 12 May, 09:00"
   */
  @Optional()
  @Text({ max: 255 })
  title?: string;

  /**
   * Price of one unit with tax, in minor units of the booking currency. At most 0 for a `discount`, any sign for an
   * `adjustment`, at least 0 otherwise. On a departure whose product has units, a seat without `units` needs the override
   * `price`.
   * @example 5900
   */
  @Optional()
  @Cents({ min: MIN_CENTS })
  unitSellCents?: number;

  /** Option of the product (prefix `popt`), with `units`; by default its default option. */
  @Clearable()
  @Id('popt')
  optionId?: string | null;

  /**
   * Units to sell on the departure, at the prices of a quote of today. Members that follow from the units and their prices are
   * not allowed together with it.
   */
  @Optional()
  @ListOf(() => SoldUnit, { min: 1, max: MAX_LINES })
  units?: SoldUnit[];

  /**
   * Extras to sell with the units. Those that the product requires are sold without being named, for all people or units of the
   * request; one for the whole booking only if the booking does not have it yet.
   */
  @Optional()
  @ListOf(() => SoldExtra, { max: MAX_LINES })
  extras?: SoldExtra[];
}

export const SALE_WARNINGS = named('BookingItemWarningCode', ['age_unknown']);
export type SaleWarningCode = (typeof SALE_WARNINGS)[number];

/** Something to check about a sold item. */
export class BookingItemWarning {
  /** `age_unknown`: the unit has age limits, and the age of a traveler is unknown. */
  @OneOf(SALE_WARNINGS)
  code: SaleWarningCode;

  /** Item that the warning is about (prefix `bkit`). */
  @Id('bkit')
  bookingItemId: string;
}

export class AddedItemsEnvelope extends dataOf(BookingItemResponse) {
  /** All new items in the order of `units`, then one for each extra; `data` is the first of them. */
  @ListOf(() => BookingItemResponse, { min: 1, max: 2 * MAX_LINES })
  items: BookingItemResponse[];

  /** What to check about the new items. */
  @ListOf(() => BookingItemWarning, { max: MAX_LINES })
  warnings: BookingItemWarning[];
}
