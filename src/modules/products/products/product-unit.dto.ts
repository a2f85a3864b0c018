import { OmitType } from '@nestjs/swagger';
import { dataOf, PageQuery, pageOf, patchOf } from '../../../platform/http/dto.js';
import {
  Cents,
  Clearable,
  Flag,
  Id,
  Ignored,
  OneOf,
  Optional,
  Text,
  Texts,
  Version,
  Whole,
} from '../../../platform/http/fields.js';
import { AnyOf, SortBy } from '../../../platform/http/query-fields.js';
import { respond } from '../../../platform/http/respond.js';
import { CurrencyCode, Instant } from '../../../platform/http/trade-fields.js';
import { PRODUCT_ID } from './product.entity.js';
import { type ProductUnit, UNIT_TYPES, type UnitType } from './product-unit.entity.js';

/** What a customer buys one or more of. */
export class CreateProductUnit {
  @Ignored()
  id?: undefined;

  /**
   * Kind of the unit.
   * @example "child"
   */
  @OneOf(UNIT_TYPES)
  type: UnitType;

  /**
   * Name that customers see.
   * @example "Child"
   */
  @Text({ max: 255 })
  name: string;

  /**
   * Place in lists; by default after all others.
   * @example 2
   */
  @Optional()
  @Whole({ min: 0, max: 10_000 })
  position?: number;

  /**
   * Least age in years on the service date, inclusive; null if there is none.
   * @example 4
   */
  @Clearable()
  @Whole({ min: 0, max: 150 })
  minAge?: number | null;

  /**
   * Greatest age in years on the service date, inclusive; null if there is none.
   * @example 12
   */
  @Clearable()
  @Whole({ min: 0, max: 150 })
  maxAge?: number | null;

  /**
   * People that one unit stands for; 1 by default.
   * @example 1
   */
  @Optional()
  @Whole({ min: 0, max: 50 })
  paxCount?: number;

  /**
   * Capacity of the departure that one unit takes; 1 by default. An infant on a lap takes 0.
   * @example 1
   */
  @Optional()
  @Whole({ min: 0, max: 50 })
  seats?: number;

  /**
   * Least quantity in a sale that contains the unit; null if there is none.
   * @example 1
   */
  @Clearable()
  @Whole({ min: 1, max: 100_000 })
  minQuantity?: number | null;

  /**
   * Greatest quantity in a sale; null if there is none.
   * @example 6
   */
  @Clearable()
  @Whole({ min: 1, max: 100_000 })
  maxQuantity?: number | null;

  /**
   * Units of the product (prefix `punt`) of which a sale needs at least one, such as adults with a child. Empty if the unit can
   * be sold alone.
   */
  @Optional()
  @Texts({ max: 20, maxLength: 100, unique: true })
  accompaniedBy?: string[];

  /** Whether staff check an identity card at the start; false by default. */
  @Optional()
  @Flag()
  idRequired?: boolean;

  /** Tax code (prefix `taxc`); must be active. With null that of the product applies. */
  @Clearable()
  @Id('taxc')
  taxCodeId?: string | null;

  /**
   * Expected cost of one unit in minor units of `costCurrency`, without tax; null if unknown.
   * @example 2100
   */
  @Clearable()
  @Cents()
  costCents?: number | null;

  /**
   * Currency of `costCents`; set together with it.
   * @example "EUR"
   */
  @Clearable()
  @CurrencyCode()
  costCurrency?: string | null;
}

/** The fields of a unit to change; null clears a field. */
export class UpdateProductUnit extends patchOf(OmitType(CreateProductUnit, ['id'] as const)) {}

export class ListProductUnits extends PageQuery {
  /** Only units of one of these kinds. */
  @Optional()
  @AnyOf(UNIT_TYPES)
  type?: UnitType[];

  /** Sort field, `position` by default; a leading `-` means descending order. */
  @Optional()
  @SortBy(['position', 'name', 'createdAt'])
  sort?: string;
}

/** What a customer buys one or more of. */
export class ProductUnitResponse {
  @Id('punt')
  id: string;

  /** Product that is sold by this unit. */
  @Text({ max: 128, pattern: PRODUCT_ID })
  productId: string;

  /** Kind of the unit. */
  @OneOf(UNIT_TYPES)
  type: UnitType;

  /** Name that customers see. */
  @Text({ max: 255 })
  name: string;

  /** Place in lists. */
  @Whole({ min: 0, max: 10_000 })
  position: number;

  /** Least age in years on the service date, inclusive; null if there is none. */
  @Whole({ min: 0, max: 150 })
  minAge: number | null;

  /** Greatest age in years on the service date, inclusive; null if there is none. */
  @Whole({ min: 0, max: 150 })
  maxAge: number | null;

  /** People that one unit stands for. */
  @Whole({ min: 0, max: 50 })
  paxCount: number;

  /** Capacity of the departure that one unit takes. */
  @Whole({ min: 0, max: 50 })
  seats: number;

  /** Least quantity in a sale that contains the unit; null if there is none. */
  @Whole({ min: 1, max: 100_000 })
  minQuantity: number | null;

  /** Greatest quantity in a sale; null if there is none. */
  @Whole({ min: 1, max: 100_000 })
  maxQuantity: number | null;

  /** Units of the product (prefix `punt`) of which a sale needs at least one; empty if the unit can be sold alone. */
  @Texts({ max: 20, maxLength: 100, unique: true })
  accompaniedBy: string[];

  /** Whether staff check an identity card at the start. */
  @Flag()
  idRequired: boolean;

  /** Tax code (prefix `taxc`); null if that of the product applies. */
  @Id('taxc')
  taxCodeId: string | null;

  /** Expected cost of one unit in minor units of `costCurrency`; null if unknown. */
  @Cents()
  costCents: number | null;

  /** Currency of `costCents`; null without a cost. */
  @CurrencyCode()
  costCurrency: string | null;

  @Version()
  version: number;

  @Instant()
  createdAt: string;

  @Instant()
  updatedAt: string;
}

export class ProductUnitEnvelope extends dataOf(ProductUnitResponse) {}
export class ProductUnitPage extends pageOf(ProductUnitResponse) {}

export function toProductUnit(unit: ProductUnit): ProductUnitResponse {
  return respond(ProductUnitResponse, unit);
}
