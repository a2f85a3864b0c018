import { OmitType } from '@nestjs/swagger';
import { dataOf, PageQuery, pageOf, patchOf } from '../../../platform/http/dto.js';
import {
  Clearable,
  Flag,
  Id,
  Ignored,
  Nested,
  Optional,
  Text,
  Texts,
  Version,
  Whole,
} from '../../../platform/http/fields.js';
import { QueryFlag, SortBy } from '../../../platform/http/query-fields.js';
import { respond } from '../../../platform/http/respond.js';
import { Instant } from '../../../platform/http/trade-fields.js';
import { CutoffBody, CutoffResponse, LOCAL_TIME, toCutoff } from './cutoff.dto.js';
import { PRODUCT_ID } from './product.entity.js';
import type { ProductOption } from './product-option.entity.js';

const START_TIMES = { max: 24, maxLength: 5, pattern: LOCAL_TIME, otherwise: 'must be a time HH:MM', unique: true };

/** A variant of a product. */
export class CreateProductOption {
  @Ignored()
  id?: undefined;

  /**
   * Name of the variant.
   * @example "Private"
   */
  @Text({ max: 255 })
  name: string;

  /**
   * Whether it applies if a sale names no option; true for the first option of a product. Setting it ends that of the former
   * default option.
   */
  @Optional()
  @Flag()
  isDefault?: boolean;

  /**
   * Place in lists; by default after all others.
   * @example 2
   */
  @Optional()
  @Whole({ min: 0, max: 10_000 })
  position?: number;

  /**
   * Usual local start times, `HH:MM`.
   * @example ["09:00", "14:00"]
   */
  @Optional()
  @Texts(START_TIMES)
  startTimes?: string[];

  /**
   * Minimum units per booking; null if there is no minimum.
   * @example 2
   */
  @Clearable()
  @Whole({ min: 1, max: 100_000 })
  minUnits?: number | null;

  /**
   * Maximum units per booking; null if there is no maximum.
   * @example 8
   */
  @Clearable()
  @Whole({ min: 1, max: 100_000 })
  maxUnits?: number | null;

  /** The end of sales before the start of a departure; null uses the product's. */
  @Clearable()
  @Nested(() => CutoffBody)
  cutoff?: CutoffBody | null;

  /** Whether it is sold; true by default. */
  @Optional()
  @Flag()
  active?: boolean;
}

/** The fields of an option to change; null clears a field. */
export class UpdateProductOption extends patchOf(OmitType(CreateProductOption, ['id'] as const)) {}

export class ListProductOptions extends PageQuery {
  /** If true, only options that are sold; if false, only the others. */
  @Optional()
  @QueryFlag()
  active?: boolean;

  /** Sort field, `position` by default; a leading `-` means descending order. */
  @Optional()
  @SortBy(['position', 'name', 'createdAt'])
  sort?: string;
}

/** A variant of a product. */
export class ProductOptionResponse {
  @Id('popt')
  id: string;

  /** Product that is sold in this variant. */
  @Text({ max: 128, pattern: PRODUCT_ID })
  productId: string;

  /** Name of the variant. */
  @Text({ max: 255 })
  name: string;

  /** Whether it applies if a sale names no option; true for exactly one option of a product. */
  @Flag()
  isDefault: boolean;

  /** Place in lists. */
  @Whole({ min: 0, max: 10_000 })
  position: number;

  /** Usual local start times, `HH:MM`; empty if there are none. */
  @Texts(START_TIMES)
  startTimes: string[];

  /** Minimum units per booking; null if there is no minimum. */
  @Whole({ min: 1, max: 100_000 })
  minUnits: number | null;

  /** Maximum units per booking; null if there is no maximum. */
  @Whole({ min: 1, max: 100_000 })
  maxUnits: number | null;

  /** The end of sales before the start of a departure; null if that of the product applies. */
  @Nested(() => CutoffResponse)
  cutoff: CutoffResponse | null;

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

export class ProductOptionEnvelope extends dataOf(ProductOptionResponse) {}
export class ProductOptionPage extends pageOf(ProductOptionResponse) {}

export function toProductOption(option: ProductOption): ProductOptionResponse {
  const { cutoff } = option;
  return respond(ProductOptionResponse, option, { cutoff: cutoff && toCutoff(cutoff) });
}
