import { OmitType } from '@nestjs/swagger';
import { dataOf, PageQuery, pageOf, patchOf } from '../../../platform/http/dto.js';
import {
  Cents,
  Clearable,
  Flag,
  Id,
  Ignored,
  ListOf,
  OneOf,
  Optional,
  Text,
  Texts,
  Version,
  Whole,
} from '../../../platform/http/fields.js';
import { AnyOf, QueryFlag, SortBy } from '../../../platform/http/query-fields.js';
import { respond } from '../../../platform/http/respond.js';
import { CurrencyCode, Instant, LANGUAGE_TAG } from '../../../platform/http/trade-fields.js';
import { PRODUCT_ID } from './product.entity.js';
import {
  EXTRA_KINDS,
  EXTRA_PRICINGS,
  type ExtraKind,
  type ExtraPricing,
  type ExtraText,
  type ProductExtra,
} from './product-extra.entity.js';

const MAX_LOCALES = 20;
const MAX_CURRENCIES = 20;
const MAX_OPTIONS = 50;

/** The texts of an extra in one language. */
class ProductExtraTextBody {
  /**
   * Language of the texts; each only once.
   * @example "de"
   */
  @Text({ max: 6, pattern: LANGUAGE_TAG })
  locale: string;

  /**
   * Title that customers see; without one they see `name`.
   * @example "Mittagessen"
   */
  @Clearable()
  @Text({ max: 255, emptyIsNull: true })
  title?: string | null;

  /** What it contains. */
  @Clearable()
  @Text({ max: 2000, multiline: true, emptyIsNull: true })
  description?: string | null;
}

/** The price of an extra in a currency. */
class ProductExtraPriceBody {
  /**
   * Currency of the price; each only once.
   * @example "EUR"
   */
  @CurrencyCode()
  currency: string;

  /**
   * Price of one with tax, in minor units of the currency.
   * @example 1500
   */
  @Cents()
  amountCents: number;
}

/** What is sold beside the units of a product. */
export class CreateProductExtra {
  @Ignored()
  id?: undefined;

  /**
   * Name for staff, and for customers whose language has no title.
   * @example "Lunch on board"
   */
  @Text({ max: 255 })
  name: string;

  /** Texts for customers, one for each language. */
  @Optional()
  @ListOf(() => ProductExtraTextBody, { max: MAX_LOCALES })
  texts?: ProductExtraTextBody[];

  /**
   * Kind of the extra.
   * @example "meal"
   */
  @OneOf(EXTRA_KINDS)
  kind: ExtraKind;

  /**
   * What the quantity counts: `per_booking` (once, or up to `maxQuantity`), `per_person` (at most the people of the units) or
   * `per_unit_quantity` (at most the quantities of the units).
   * @example "per_person"
   */
  @OneOf(EXTRA_PRICINGS)
  pricing: ExtraPricing;

  /** Prices, one for each currency. It is not sold in other currencies. */
  @Optional()
  @ListOf(() => ProductExtraPriceBody, { max: MAX_CURRENCIES })
  prices?: ProductExtraPriceBody[];

  /** Tax code (prefix `taxc`); must be active. With null that of the product applies. */
  @Clearable()
  @Id('taxc')
  taxCodeId?: string | null;

  /**
   * Whether each sale of units has it, for all people or units; false by default. An extra that is not required is sold only if a
   * sale names it.
   */
  @Optional()
  @Flag()
  required?: boolean;

  /**
   * Least quantity in a sale that contains the extra; null if there is none.
   * @example 1
   */
  @Clearable()
  @Whole({ min: 1, max: 100_000 })
  minQuantity?: number | null;

  /**
   * Greatest quantity in a sale; null if only the pricing limits it.
   * @example 20
   */
  @Clearable()
  @Whole({ min: 1, max: 100_000 })
  maxQuantity?: number | null;

  /** Options of the product (prefix `popt`) with which it is sold; null for all sales. */
  @Clearable()
  @Texts({ min: 1, max: MAX_OPTIONS, maxLength: 100, unique: true })
  optionIds?: string[] | null;

  /**
   * Place in lists; by default after all others.
   * @example 2
   */
  @Optional()
  @Whole({ min: 0, max: 10_000 })
  position?: number;

  /** Whether it is sold; true by default. */
  @Optional()
  @Flag()
  active?: boolean;
}

/** The fields of an extra to change; null clears a field. */
export class UpdateProductExtra extends patchOf(OmitType(CreateProductExtra, ['id'] as const)) {}

export class ListProductExtras extends PageQuery {
  /** Only extras of one of these kinds. */
  @Optional()
  @AnyOf(EXTRA_KINDS)
  kind?: ExtraKind[];

  /** If true, only extras that are sold; if false, only the others. */
  @Optional()
  @QueryFlag()
  active?: boolean;

  /** Sort field, `position` by default; a leading `-` means descending order. */
  @Optional()
  @SortBy(['position', 'name', 'createdAt'])
  sort?: string;
}

/** The texts of an extra in one language. */
class ProductExtraTextResponse {
  /** Language of the texts. */
  @Text({ max: 6, pattern: LANGUAGE_TAG })
  locale: string;

  /** Title that customers see; null if they see `name`. */
  @Text({ max: 255 })
  title: string | null;

  /** What it contains; null if nothing is said. */
  @Text({ max: 2000, multiline: true })
  description: string | null;
}

/** The price of an extra in a currency. */
class ProductExtraPriceResponse {
  /** Currency of the price. */
  @CurrencyCode()
  currency: string;

  /** Price of one with tax, in minor units of the currency. */
  @Cents()
  amountCents: number;
}

/** What is sold beside the units of a product. */
class ProductExtraResponse {
  @Id('pxtr')
  id: string;

  /** Product with which it is sold. */
  @Text({ max: 128, pattern: PRODUCT_ID })
  productId: string;

  /** Name for staff, and for customers whose language has no title. */
  @Text({ max: 255 })
  name: string;

  /** Texts for customers, one for each language. */
  @ListOf(() => ProductExtraTextResponse, { max: MAX_LOCALES })
  texts: ProductExtraTextResponse[];

  /** Kind of the extra. */
  @OneOf(EXTRA_KINDS)
  kind: ExtraKind;

  /** What the quantity counts. */
  @OneOf(EXTRA_PRICINGS)
  pricing: ExtraPricing;

  /** Prices, one for each currency. */
  @ListOf(() => ProductExtraPriceResponse, { max: MAX_CURRENCIES })
  prices: ProductExtraPriceResponse[];

  /** Tax code (prefix `taxc`); null if that of the product applies. */
  @Id('taxc')
  taxCodeId: string | null;

  /** Whether each sale of units has it. */
  @Flag()
  required: boolean;

  /** Least quantity in a sale that contains the extra; null if there is none. */
  @Whole({ min: 1, max: 100_000 })
  minQuantity: number | null;

  /** Greatest quantity in a sale; null if only the pricing limits it. */
  @Whole({ min: 1, max: 100_000 })
  maxQuantity: number | null;

  /** Options of the product (prefix `popt`) with which it is sold; null for all sales. */
  @Texts({ min: 1, max: MAX_OPTIONS, maxLength: 100, unique: true })
  optionIds: string[] | null;

  /** Place in lists. */
  @Whole({ min: 0, max: 10_000 })
  position: number;

  /** Whether it is sold. */
  @Flag()
  active: boolean;

  @Version()
  version: number;

  @Instant()
  createdAt: string;

  @Instant()
  updatedAt: string;
}

export class ProductExtraEnvelope extends dataOf(ProductExtraResponse) {}
export class ProductExtraPage extends pageOf(ProductExtraResponse) {}

/** The texts of a request, with null for what one lacks. */
export function extraTextsOf(texts: NonNullable<CreateProductExtra['texts']>): ExtraText[] {
  return texts.map(({ locale, title = null, description = null }) => ({ locale, title, description }));
}

export function toProductExtra(extra: ProductExtra): ProductExtraResponse {
  return respond(ProductExtraResponse, extra, {
    texts: extra.texts.map((text) => respond(ProductExtraTextResponse, text)),
    prices: extra.prices.map((price) => respond(ProductExtraPriceResponse, price)),
  });
}
