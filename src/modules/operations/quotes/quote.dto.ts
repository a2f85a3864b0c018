import { dataOf } from '../../../platform/http/dto.js';
import {
  Cents,
  Clearable,
  Flag,
  Id,
  ListOf,
  OneOf,
  Optional,
  Text,
  Whole,
  Wholes,
} from '../../../platform/http/fields.js';
import { CurrencyCode, Instant, IsoDate } from '../../../platform/http/trade-fields.js';
import { PRICE_OUTCOMES, PRICE_SOURCES, type PriceOutcome, type PriceSource } from '../../products/index.js';
import { SALES_STATES, type SalesState } from '../departures/sales-state.js';

const MAX_LINES = 50;
const MAX_QUANTITY = 100_000;
const MAX_AGES = 100;
export const MAX_EXPLAINED = 50;

/** A unit of the product, and how many of it. */
export class QuotedUnit {
  /** Unit of the product (prefix `punt`); named at most once. */
  @Id('punt')
  unitId: string;

  /**
   * Number of units.
   * @example 2
   */
  @Whole({ min: 1, max: MAX_QUANTITY })
  quantity: number;

  /**
   * Ages in years on the service date of people of the unit, as far as they are known.
   * @example [41, 38]
   */
  @Optional()
  @Wholes({ min: 0, max: 150, maxItems: MAX_AGES })
  ages?: number[];
}

/** An extra of the product, and how many of it. */
export class QuotedExtra {
  /**
   * Extra of the product (prefix `pxtr`); named at most once.
   * @example "pxtr_01k0dem000e000000000000001"
   */
  @Id('pxtr')
  extraId: string;

  /**
   * Number of the extra.
   * @example 2
   */
  @Whole({ min: 1, max: MAX_QUANTITY })
  quantity: number;
}

/** Units of a product on a departure, or on a service date without one. */
export class CreateQuote {
  /**
   * Departure of the product (prefix `dep`); send either this or `serviceDate`.
   * @example "dep_01k0dem000e000000000000001"
   */
  @Clearable()
  @Id('dep')
  departureId?: string | null;

  /** Local day of the service; send either this or `departureId`. */
  @Clearable()
  @IsoDate()
  serviceDate?: string | null;

  /** Option of the product (prefix `popt`); by default its default option. */
  @Clearable()
  @Id('popt')
  optionId?: string | null;

  /** Channel of the sale (prefix `chan`); without one only general price lists apply. */
  @Clearable()
  @Id('chan')
  channelId?: string | null;

  /**
   * Currency of the sale.
   * @example "EUR"
   */
  @CurrencyCode()
  currency: string;

  /** Units to be sold together. */
  @ListOf(() => QuotedUnit, { min: 1, max: MAX_LINES })
  units: QuotedUnit[];

  /** Extras to be sold with the units. Required extras are part of the quote without being named. */
  @Optional()
  @ListOf(() => QuotedExtra, { max: MAX_LINES })
  extras?: QuotedExtra[];
}

/** A candidate for the price of a unit. */
export class ExplainedPriceResponse {
  /** `list`: a price list; `departure`: a price of the departure. */
  @OneOf(PRICE_SOURCES)
  source: PriceSource;

  /** Price list (prefix `plst`); null for the price of the departure. */
  @Id('plst')
  priceListId: string | null;

  /** Currency of the candidate. */
  @CurrencyCode()
  currency: string;

  /** Price of one unit in minor units of the candidate's currency. */
  @Cents()
  amountCents: number;

  /**
   * `applies`: it is the price. It lost to a better one because of its list: `general_channel`, `lower_priority`,
   * `general_option`, `general_weekday` or `older_list`; `list_price_exists`: the price of the departure counts only without a
   * list. `unit_price_exists`: the departure has a price for the unit, which precedes all others. It does not count for the sale:
   * `other_currency`, `other_channel`, `not_on_sale` (today is outside of the days of sale) or `not_for_unit` (the price of a
   * departure counts for adults and for an only unit).
   */
  @OneOf(PRICE_OUTCOMES)
  outcome: PriceOutcome;
}

/** The price of a unit in a quote. */
export class QuoteLineResponse {
  /** Unit of the product. */
  @Id('punt')
  unitId: string;

  /** Number of units. */
  @Whole({ min: 1, max: MAX_QUANTITY })
  quantity: number;

  /** People that the units stand for. */
  @Whole({ min: 0, max: MAX_QUANTITY * 50 })
  people: number;

  /** Capacity of the departure that the units take. */
  @Whole({ min: 0, max: MAX_QUANTITY * 50 })
  seats: number;

  /** Price of one unit, including tax. */
  @Cents()
  unitSellCents: number;

  /** Price of all units of the line, including tax. */
  @Cents()
  totalSellCents: number;

  /** `list`: from a price list; `departure`: the price of the departure. */
  @OneOf(PRICE_SOURCES)
  priceSource: PriceSource;

  /** Price list of the price; null for the price of the departure. */
  @Id('plst')
  priceListId: string | null;

  /** Tax code (prefix `taxc`) of the unit, otherwise of the product or the departure; null if none of them has one. */
  @Id('taxc')
  taxCodeId: string | null;

  /** Rate of the tax code on the service date in hundredths of a percent; null without a tax code. */
  @Whole({ min: 0, max: 10_000 })
  taxRateBasisPoints: number | null;

  /** Tax included in `totalSellCents`. Without a tax code it is the share that the price of the departure includes. */
  @Cents()
  taxIncludedCents: number;

  /** Up to 50 candidates for the price, the best first and those that do not count for the sale last. */
  @ListOf(() => ExplainedPriceResponse, { max: MAX_EXPLAINED })
  explain: ExplainedPriceResponse[];
}

/** The price of an extra in a quote. */
export class QuoteExtraResponse {
  /** Extra of the product. */
  @Id('pxtr')
  extraId: string;

  /** Name of the extra. */
  @Text({ max: 255 })
  title: string;

  /** Whether each sale of these units has it. */
  @Flag()
  required: boolean;

  /** Number of the extra. */
  @Whole({ min: 1, max: MAX_LINES * MAX_QUANTITY * 50 })
  quantity: number;

  /** Price of one, including tax. */
  @Cents()
  unitSellCents: number;

  /** Price of all of them, including tax. */
  @Cents()
  totalSellCents: number;

  /** Tax code (prefix `taxc`) of the extra, otherwise of the product or the departure; null if none of them has one. */
  @Id('taxc')
  taxCodeId: string | null;

  /** Rate of the tax code on the service date in hundredths of a percent; null without a tax code. */
  @Whole({ min: 0, max: 10_000 })
  taxRateBasisPoints: number | null;

  /** Tax included in `totalSellCents`. Without a tax code it is the share that the price of the departure includes. */
  @Cents()
  taxIncludedCents: number;
}

/** Prices of units at the time of the request. Nothing is reserved. */
export class QuoteResponse {
  /** Product of the units. */
  @Text({ max: 128 })
  productId: string;

  /** Departure; null for a quote of a service date. */
  @Id('dep')
  departureId: string | null;

  /** Local day of the service. */
  @IsoDate()
  serviceDate: string;

  /** Option that applies; null if the product has no options. */
  @Id('popt')
  optionId: string | null;

  /** Channel of the sale; null without one. */
  @Id('chan')
  channelId: string | null;

  /** Currency of all amounts. */
  @CurrencyCode()
  currency: string;

  /** The units in the order of the request. */
  @ListOf(() => QuoteLineResponse, { min: 1, max: MAX_LINES })
  lines: QuoteLineResponse[];

  /** The extras in the order of the request, then the required ones that it does not name. */
  @ListOf(() => QuoteExtraResponse, { max: MAX_LINES })
  extras: QuoteExtraResponse[];

  /** Price of all lines and extras, including tax. */
  @Cents()
  totalCents: number;

  /** Tax included in `totalCents`. */
  @Cents()
  taxIncludedCents: number;

  /** Capacity of the departure that all lines take. */
  @Whole({ min: 0, max: MAX_LINES * MAX_QUANTITY * 50 })
  seats: number;

  /** End of sales of the departure; null if it has no cut-off, and without a departure. */
  @Instant()
  cutoffAt: string | null;

  /** Whether the departure can be sold now; null without a departure. */
  @OneOf(SALES_STATES)
  salesState: SalesState | null;

  /** Units in the pool of the departure; null without a departure. A channel with an allotment has the units of its slot instead. */
  @Whole({ min: 0, max: 2_147_483_647 })
  unitsLeft: number | null;
}

export class QuoteEnvelope extends dataOf(QuoteResponse) {}
