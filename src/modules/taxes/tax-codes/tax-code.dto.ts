import { dataOf, PageQuery, pageOf, patchOf } from '../../../platform/http/dto.js';
import {
  Clearable,
  Flag,
  Id,
  Ignored,
  ListOf,
  OneOf,
  Optional,
  Text,
  Version,
  Whole,
} from '../../../platform/http/fields.js';
import { named } from '../../../platform/http/named-values.js';
import { AnyOf, QueryFlag, SortBy } from '../../../platform/http/query-fields.js';
import { respond } from '../../../platform/http/respond.js';
import { CountryCode, Instant, IsoDate } from '../../../platform/http/trade-fields.js';
import { TAX_KINDS, type TaxKind } from './tax-kinds.js';
import type { TaxCodeView } from './tax-codes.repository.js';

const CODE = /^[A-Z0-9-]{1,20}$/;

/** A rate of a tax code and the days on which it applies. */
export class TaxRateBody {
  /**
   * Tax rate in basis points, 1900 is 19 %. 0 for the kinds `zero`, `exempt`, `outside_scope` and `reverse_charge`.
   * @example 1900
   */
  @Whole({ min: 0, max: 10_000 })
  rateBasisPoints: number;

  /**
   * First day of the rate.
   * @example "2021-01-01"
   */
  @IsoDate()
  validFrom: string;

  /** Last day of the rate; null or omitted if it has no end. */
  @Clearable()
  @IsoDate()
  validTo?: string | null;
}

/** The members of a tax code that can be changed. */
class TaxCodeFields {
  /**
   * Name for staff.
   * @example "Austria, standard rate"
   */
  @Text({ max: 120 })
  name: string;

  /**
   * Sentence printed on documents. Required for the kinds `exempt`, `reverse_charge` and `margin_scheme`.
   * @example "VAT at the standard rate"
   */
  @Clearable()
  @Text({ max: 500 })
  mention?: string | null;

  /**
   * True by default. New items cannot have an inactive tax code.
   * @example true
   */
  @Optional()
  @Flag()
  active?: boolean;
}

/** A new tax code with its rates. */
export class CreateTaxCode extends TaxCodeFields {
  @Ignored()
  id?: undefined;

  /**
   * Code on documents and in reports, unique per country: upper-case letters, digits and hyphens.
   * @example "AT-20"
   */
  @Text({ max: 20, pattern: CODE })
  code: string;

  /**
   * Country of supply, ISO 3166-1.
   * @example "AT"
   */
  @CountryCode()
  country: string;

  /**
   * Tax treatment of sales. It cannot be changed.
   * @example "standard"
   */
  @OneOf(TAX_KINDS)
  kind: TaxKind;

  /**
   * Rates (1 to 50) whose days do not overlap.
   * @example [{ "rateBasisPoints": 2000, "validFrom": "1995-01-01" }]
   */
  @ListOf(() => TaxRateBody, { min: 1, max: 50 })
  rates: TaxRateBody[];
}

/** The fields of a tax code to change. Code, country and kind are fixed; rates are added. */
export class UpdateTaxCode extends patchOf(TaxCodeFields) {}

/** A new rate from a day on. It ends the previous rate on the day before. */
export class AddTaxRate {
  /**
   * Tax rate in basis points, 1900 is 19 %.
   * @example 2000
   */
  @Whole({ min: 0, max: 10_000 })
  rateBasisPoints: number;

  /**
   * First day of the rate, after the first day of the last rate.
   * @example "2030-01-01"
   */
  @IsoDate()
  validFrom: string;
}

export class ListTaxCodes extends PageQuery {
  /** Only tax codes of this country, ISO 3166-1. */
  @Optional()
  @CountryCode()
  country?: string;

  /** Only tax codes of these kinds. */
  @Optional()
  @AnyOf(TAX_KINDS)
  kind?: TaxKind[];

  /** Only active or only inactive tax codes. */
  @Optional()
  @QueryFlag()
  active?: boolean;

  /** Only tax codes with a rate on this day. */
  @Optional()
  @IsoDate()
  on?: string;

  /** Sort field, `country` by default; a leading `-` means descending order. */
  @Optional()
  @SortBy(['country', 'createdAt'])
  sort?: string;
}

/** A rate of a tax code and the days on which it applies. */
export class TaxRateResponse {
  /** Tax rate in basis points, 1900 is 19 %. */
  @Whole({ min: 0, max: 10_000 })
  rateBasisPoints: number;

  /** First day of the rate. */
  @IsoDate()
  validFrom: string;

  /** Last day of the rate; null if it has no end. */
  @IsoDate()
  validTo: string | null;
}

/** The tax treatment of sales in a country, with the rates over time. */
export class TaxCodeResponse {
  @Id('taxc')
  id: string;

  /** Code on documents and in reports, unique per country. */
  @Text({ max: 20 })
  code: string;

  /** Name for staff. */
  @Text({ max: 120 })
  name: string;

  /** Country of supply. */
  @CountryCode()
  country: string;

  /** Tax treatment of sales. */
  @OneOf(TAX_KINDS)
  kind: TaxKind;

  /** Sentence printed on documents; null if there is none. */
  @Text({ max: 500 })
  mention: string | null;

  /** New items cannot have an inactive tax code. */
  @Flag()
  active: boolean;

  /** All rates, the earliest first. */
  @ListOf(() => TaxRateResponse, { max: 1_000 })
  rates: TaxRateResponse[];

  @Version()
  version: number;

  @Instant()
  createdAt: string;

  @Instant()
  updatedAt: string;
}

export class TaxCodeEnvelope extends dataOf(TaxCodeResponse) {}

export const TAX_RATE_WARNINGS = named('TaxRateWarningCode', ['sold_at_another_rate']);

/** A warning about sales before a rate was added. */
export class TaxRateWarning {
  /** `sold_at_another_rate`: booking items have a different rate than the current one of their service day. */
  @OneOf(TAX_RATE_WARNINGS)
  code: (typeof TAX_RATE_WARNINGS)[number];

  /** Number of booking items that are marked; at most 100000 are counted. */
  @Whole({ min: 1, max: 100_000 })
  items: number;

  /** Number of their bookings. */
  @Whole({ min: 1, max: 100_000 })
  bookings: number;
}

/** A tax code with its new rate, and warnings about earlier sales. */
export class AddedTaxRateEnvelope extends dataOf(TaxCodeResponse) {
  /** Empty if every booking item has the rate of its service day. */
  @ListOf(() => TaxRateWarning, { max: 1 })
  warnings: TaxRateWarning[];
}

export class TaxCodePage extends pageOf(TaxCodeResponse) {}

export function toTaxCode({ taxCode, rates }: TaxCodeView): TaxCodeResponse {
  return respond(TaxCodeResponse, taxCode, {
    rates: rates.map(({ rateBasisPoints, validFrom, validTo }) => ({ rateBasisPoints, validFrom, validTo })),
  });
}
