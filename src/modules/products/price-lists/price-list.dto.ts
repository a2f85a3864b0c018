import { OmitType } from '@nestjs/swagger';
import { dataOf, PageQuery, pageOf, patchOf } from '../../../platform/http/dto.js';
import {
  Cents,
  Clearable,
  Id,
  Ignored,
  ListOf,
  OneOf,
  Optional,
  Text,
  Version,
  Whole,
} from '../../../platform/http/fields.js';
import { AnyOf, SortBy } from '../../../platform/http/query-fields.js';
import { respond } from '../../../platform/http/respond.js';
import { CurrencyCode, Instant, IsoDate } from '../../../platform/http/trade-fields.js';
import { withNames } from '../../../platform/http/row-names.js';
import { PRODUCT_ID } from '../products/product.entity.js';
import type { Price } from './price.entity.js';
import { type PriceList, PRICE_LIST_STATUSES, type PriceListStatus } from './price-list.entity.js';

const MAX_PRICES = 2000;
const MAX_PRIORITY = 10_000;

/** A list of prices in one currency. */
export class CreatePriceList {
  @Ignored()
  id?: undefined;

  /**
   * Name for staff.
   * @example "Summer 2027"
   */
  @Text({ max: 255 })
  name: string;

  /**
   * Currency of all prices of the list; it cannot be changed.
   * @example "EUR"
   */
  @CurrencyCode()
  currency: string;

  /** Channel (prefix `chan`) whose sales use the list; null applies to all sales. */
  @Clearable()
  @Id('chan')
  channelId?: string | null;

  /**
   * First day of sale in the organization's time zone, inclusive; null if there is none.
   * @example "2027-01-01"
   */
  @Clearable()
  @IsoDate()
  soldFrom?: string | null;

  /**
   * Last day of sale in the organization's time zone, inclusive; null if there is none.
   * @example "2027-12-31"
   */
  @Clearable()
  @IsoDate()
  soldTo?: string | null;

  /**
   * Of several lists with a price, the one with the greatest priority applies; 0 by default. A list of the channel of the sale
   * precedes all general lists.
   * @example 10
   */
  @Optional()
  @Whole({ min: -MAX_PRIORITY, max: MAX_PRIORITY })
  priority?: number;
}

/** The fields of a price list to change; null clears a field. */
export class UpdatePriceList extends patchOf(OmitType(CreatePriceList, ['id', 'currency'] as const)) {}

/** How a copy differs from its price list. */
export class CopyPriceList {
  /**
   * Name of the copy; by default that of the list.
   * @example "Summer 2028"
   */
  @Optional()
  @Text({ max: 255 })
  name?: string;

  /**
   * Change of each price in hundredths of a percent: 350 adds 3.5 %, -1000 deducts 10 %. 0 by default.
   * @example 350
   */
  @Optional()
  @Whole({ min: -10_000, max: 100_000 })
  changeBasisPoints?: number;

  /**
   * Rounds each changed price to a multiple of this amount in minor units, half up; 1 by default. A price above 0
   * that would become 0 is rejected.
   * @example 50
   */
  @Optional()
  @Whole({ min: 1, max: 1_000_000 })
  roundToCents?: number;
}

export class ListPriceLists extends PageQuery {
  /** Only price lists whose name contains this text, ignoring case. */
  @Optional()
  @Text({ max: 255 })
  search?: string;

  /** Only price lists in one of these statuses. */
  @Optional()
  @AnyOf(PRICE_LIST_STATUSES)
  status?: PriceListStatus[];

  /** Only price lists in this currency. */
  @Optional()
  @CurrencyCode()
  currency?: string;

  /** Only price lists of this channel (prefix `chan`). */
  @Optional()
  @Id('chan')
  channelId?: string;

  /** Sort field, `-createdAt` by default; a leading `-` means descending order. */
  @Optional()
  @SortBy(['createdAt', 'name', 'priority'])
  sort?: string;
}

/** The price of a unit on some service dates. */
export class PriceBody {
  /** Product that has the unit. */
  @Text({ max: 128, pattern: PRODUCT_ID })
  productId: string;

  /** Option of the product (prefix `popt`) to which the price applies; null applies to all. */
  @Clearable()
  @Id('popt')
  optionId?: string | null;

  /** Unit of the product (prefix `punt`). */
  @Id('punt')
  unitId: string;

  /**
   * First service date, inclusive; null if there is none.
   * @example "2027-06-01"
   */
  @Clearable()
  @IsoDate()
  from?: string | null;

  /**
   * Last service date, inclusive; null if there is none.
   * @example "2027-08-31"
   */
  @Clearable()
  @IsoDate()
  to?: string | null;

  /**
   * Day of the week of the service date, from Monday (1) to Sunday (7); null applies to all.
   * @example 6
   */
  @Clearable()
  @Whole({ min: 1, max: 7 })
  weekday?: number | null;

  /**
   * Price of one unit in minor units of the currency, including tax. 0 is a price.
   * @example 5900
   */
  @Cents()
  amountCents: number;
}

/** All prices of a list, in their order. */
export class ReplacePrices {
  /** The whole list: prices that it does not contain are deleted. */
  @ListOf(() => PriceBody, { max: MAX_PRICES })
  prices: PriceBody[];
}

/** A price in an entry of the ledger. */
class RecordedPrice extends PriceBody {
  @Ignored()
  id?: undefined;

  @Ignored()
  priceListId?: undefined;

  @Ignored()
  createdAt?: undefined;

  @Whole({ min: 1, max: MAX_PRICES })
  position: number;
}

/** The prices that were deleted from a list or added to it, in an entry of the ledger. */
export class RecordedPrices {
  @ListOf(() => RecordedPrice, { max: MAX_PRICES })
  prices: RecordedPrice[];
}

export class ListPrices extends PageQuery {
  /** Only prices of units of this product. */
  @Optional()
  @Text({ max: 128, pattern: PRODUCT_ID })
  productId?: string;

  /** Only prices of this unit (prefix `punt`). */
  @Optional()
  @Id('punt')
  unitId?: string;

  /** Sort field, `position` by default; a leading `-` means descending order. */
  @Optional()
  @SortBy(['position', 'amountCents', 'createdAt'])
  sort?: string;
}

/** A list of prices in one currency. */
export class PriceListResponse {
  @Id('plst')
  id: string;

  /** Name for staff. */
  @Text({ max: 255 })
  name: string;

  /** Currency of all prices of the list. */
  @CurrencyCode()
  currency: string;

  /** Channel (prefix `chan`) whose sales use the list; null if all sales do. */
  @Id('chan')
  channelId: string | null;

  /** First day of sale in the organization's time zone, inclusive; null if there is none. */
  @IsoDate()
  soldFrom: string | null;

  /** Last day of sale in the organization's time zone, inclusive; null if there is none. */
  @IsoDate()
  soldTo: string | null;

  /** Of several lists with a price, the one with the greatest priority applies. */
  @Whole({ min: -MAX_PRIORITY, max: MAX_PRIORITY })
  priority: number;

  /** Only an `active` list has effect; a `retired` one never changes again. */
  @OneOf(PRICE_LIST_STATUSES)
  status: PriceListStatus;

  /** Number of prices of the list. */
  @Whole({ min: 0, max: MAX_PRICES })
  priceCount: number;

  /** When the list was activated; null for a list that never was. */
  @Instant()
  activatedAt: string | null;

  /** When the list was retired; null until then. */
  @Instant()
  retiredAt: string | null;

  @Version()
  version: number;

  @Instant()
  createdAt: string;

  @Instant()
  updatedAt: string;
}

/** The price of a unit on some service dates. */
export class PriceResponse {
  /** ID of the price, a TypeID with the prefix `pric`. Replacing the prices of a list gives each a new ID. */
  @Id('pric')
  id: string;

  /** List that contains the price, and states its currency and its days of sale. */
  @Id('plst')
  priceListId: string;

  /** Product that has the unit. */
  @Text({ max: 128, pattern: PRODUCT_ID })
  productId: string;

  /** Option of the product (prefix `popt`) to which the price applies; null if it applies to all. */
  @Id('popt')
  optionId: string | null;

  /** Unit of the product. */
  @Id('punt')
  unitId: string;

  /** Place in the list, from 1. */
  @Whole({ min: 1, max: MAX_PRICES })
  position: number;

  /** First service date, inclusive; null if there is none. */
  @IsoDate()
  from: string | null;

  /** Last service date, inclusive; null if there is none. */
  @IsoDate()
  to: string | null;

  /** Day of the week of the service date, from Monday (1) to Sunday (7); null if the price applies to all. */
  @Whole({ min: 1, max: 7 })
  weekday: number | null;

  /** Price of one unit in minor units of the currency, including tax. */
  @Cents()
  amountCents: number;

  @Instant()
  createdAt: string;
}

export class PriceListEnvelope extends dataOf(PriceListResponse) {}
/** A price list in the list of all, with names beside its IDs. */
class PriceListRow extends withNames(PriceListResponse, 'channelId') {}

export class PriceListPage extends pageOf(PriceListRow) {}
/** A price in the list of a price list, with names beside its IDs. */
class PriceRow extends withNames(PriceResponse, 'productId') {}

export class PricePage extends pageOf(PriceRow) {}

export function toPriceList(list: PriceList): PriceListResponse {
  return respond(PriceListResponse, list);
}

export function toPrice(price: Price): PriceResponse {
  return respond(PriceResponse, price);
}
