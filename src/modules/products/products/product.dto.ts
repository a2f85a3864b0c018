import { OmitType } from '@nestjs/swagger';
import { dataOf, PageQuery, pageOf, patchOf } from '../../../platform/http/dto.js';
import {
  Clearable,
  Id,
  ListOf,
  Nested,
  OneOf,
  Optional,
  Text,
  Texts,
  Version,
  Whole,
} from '../../../platform/http/fields.js';
import { AnyOf, SortBy } from '../../../platform/http/query-fields.js';
import { respond } from '../../../platform/http/respond.js';
import { Instant, LANGUAGE_TAG, TimeZone, WebAddress } from '../../../platform/http/trade-fields.js';
import { patternOf } from '../../../platform/validation/word-pattern.js';
import { CutoffBody, CutoffResponse, toCutoff } from './cutoff.dto.js';
import {
  CONTACT_FIELDS,
  type Product,
  PRODUCT_ID,
  PRODUCT_STATUSES,
  type ProductStatus,
  TRAVELER_FIELDS,
} from './product.entity.js';
import { MEDIA_KINDS, type MediaKind, PRODUCT_KINDS, type ProductKind } from './product-texts.js';
import { RESOURCE_TYPES, type ResourceType } from './resource-types.js';
import { VOUCHER_RULES, type VoucherRule } from './voucher-rules.js';

/** A week. */
const MAX_BUFFER = 10_080;

const CONTACT_FIELD = {
  max: CONTACT_FIELDS.length,
  maxLength: 20,
  unique: true,
  pattern: patternOf(CONTACT_FIELDS),
  otherwise: `must be one of ${CONTACT_FIELDS.join(', ')}`,
};
const TRAVELER_FIELD = {
  max: TRAVELER_FIELDS.length,
  maxLength: 20,
  unique: true,
  pattern: patternOf(TRAVELER_FIELDS),
  otherwise: `must be one of ${TRAVELER_FIELDS.join(', ')}`,
};

/** A kind of resource that each departure needs. */
export class ResourceNeedBody {
  /**
   * Kind of the resource.
   * @example "guide"
   */
  @OneOf(RESOURCE_TYPES)
  type: ResourceType;

  /**
   * Number of resources of this kind; 1 by default.
   * @example 1
   */
  @Optional()
  @Whole({ min: 1, max: 100 })
  quantity?: number;
}

/** The texts of a product in one language. */
export class ProductTextBody {
  /**
   * Language of the texts; each only once.
   * @example "de"
   */
  @Text({ max: 6, pattern: LANGUAGE_TAG })
  locale: string;

  /**
   * Title that customers see; without one they see `name`.
   * @example "Donaudelta mit dem Boot"
   */
  @Clearable()
  @Text({ max: 255, emptyIsNull: true })
  title?: string | null;

  /** Summary of a few sentences. */
  @Clearable()
  @Text({ max: 1000, multiline: true, emptyIsNull: true })
  summary?: string | null;

  /** Full description. */
  @Clearable()
  @Text({ max: 20_000, multiline: true, emptyIsNull: true })
  description?: string | null;
}

/** A picture, video or document of a product. */
export class ProductMediaBody {
  /**
   * Address of the file.
   * @example "https://media.example.com/delta.jpg"
   */
  @WebAddress()
  url: string;

  /** `image` by default. */
  @Optional()
  @OneOf(MEDIA_KINDS)
  kind?: MediaKind;

  /** What it shows. */
  @Clearable()
  @Text({ max: 255, emptyIsNull: true })
  caption?: string | null;
}

/** Something that is sold on departures. */
export class CreateProduct {
  /**
   * ID of the product, which never changes; a TypeID (prefix `prod`) by default. Departures, allotments and documents of the
   * catalog name the product by it. `price-lists` is reserved.
   * @example "delta-boat-tour"
   */
  @Optional()
  @Text({ max: 128, pattern: PRODUCT_ID })
  id?: string;

  /**
   * Name for staff.
   * @example "Danube Delta boat tour"
   */
  @Text({ max: 255 })
  name: string;

  /**
   * What kind of service it is.
   * @example "day_tour"
   */
  @OneOf(PRODUCT_KINDS)
  kind: ProductKind;

  /**
   * IANA time zone in which it takes place.
   * @example "Europe/Bucharest"
   */
  @TimeZone()
  timeZone: string;

  /**
   * Minutes from start to end.
   * @example 540
   */
  @Clearable()
  @Whole({ min: 1, max: 1_000_000 })
  durationMinutes?: number | null;

  /**
   * Capacity of new departures, in units such as seats.
   * @example 20
   */
  @Clearable()
  @Whole({ min: 0, max: 1_000_000 })
  defaultCapacity?: number | null;

  /** Meeting point (prefix `fac`); must not be archived. Null if there is none. */
  @Clearable()
  @Id('fac')
  facilityId?: string | null;

  /** Tax code (prefix `taxc`) of units without another tax code; must be active. Null if there is none. */
  @Clearable()
  @Id('taxc')
  taxCodeId?: string | null;

  /** The end of sales before the start of a departure; with null sales end at the start. */
  @Clearable()
  @Nested(() => CutoffBody)
  cutoff?: CutoffBody | null;

  /**
   * Minimum people for a departure to run; null if it always runs.
   * @example 6
   */
  @Clearable()
  @Whole({ min: 1, max: 1_000_000 })
  minParticipants?: number | null;

  /**
   * Days before the start on which staff decide about a departure below the minimum. Needs `minParticipants`.
   * @example 10
   */
  @Clearable()
  @Whole({ min: 0, max: 365 })
  decideDaysBefore?: number | null;

  /**
   * Contact fields of a customer that a booking needs: `email`, `phone`, `address` or `language`.
   * @example ["email", "phone"]
   */
  @Optional()
  @Texts(CONTACT_FIELD)
  requiredContactFields?: string[];

  /**
   * Fields that each traveler needs: `firstName`, `lastName`, `birthDate`, `gender`, `nationality`, `language`, `phone`,
   * `email`, `emergencyContact` or `document`.
   * @example ["firstName", "lastName", "birthDate"]
   */
  @Optional()
  @Texts(TRAVELER_FIELD)
  requiredTravelerFields?: string[];

  /** Resources that each departure needs. A change replaces all of them. */
  @Optional()
  @ListOf(() => ResourceNeedBody, { max: 20 })
  resourceNeeds?: ResourceNeedBody[];

  /**
   * Minutes for which the resources of a departure are needed before its start; 0 by default. The default period of an assignment
   * begins with them.
   * @example 30
   */
  @Optional()
  @Whole({ min: 0, max: MAX_BUFFER })
  bufferBeforeMinutes?: number;

  /**
   * Minutes for which they are needed after its end; 0 by default.
   * @example 45
   */
  @Optional()
  @Whole({ min: 0, max: MAX_BUFFER })
  bufferAfterMinutes?: number;

  /**
   * When vouchers are issued; `on_confirmation` by default.
   * @example "when_paid"
   */
  @Optional()
  @OneOf(VOUCHER_RULES)
  issueVouchers?: VoucherRule;

  /** Texts for customers, one for each language. A change replaces all of them. */
  @Optional()
  @ListOf(() => ProductTextBody, { max: 30 })
  texts?: ProductTextBody[];

  /** Pictures, videos and documents in the order in which they are shown. A change replaces all of them. */
  @Optional()
  @ListOf(() => ProductMediaBody, { max: 50 })
  media?: ProductMediaBody[];
}

/** The fields of a product to change; null clears a field. A list replaces the whole list. */
export class UpdateProduct extends patchOf(OmitType(CreateProduct, ['id'] as const)) {}

/** How the copy differs: everything else is taken over, and the copy is a draft. */
export class CopyProduct {
  /**
   * ID of the copy; a TypeID (prefix `prod`) by default.
   * @example "delta-boat-tour-2028"
   */
  @Optional()
  @Text({ max: 128, pattern: PRODUCT_ID })
  id?: string;

  /**
   * Name of the copy; by default that of the product.
   * @example "Danube Delta boat tour 2028"
   */
  @Optional()
  @Text({ max: 255 })
  name?: string;
}

export class ListProducts extends PageQuery {
  /**
   * Only products whose name, ID or titles contain each of these words (up to eight), in any order, ignoring case, accents,
   * apostrophes and hyphens.
   */
  @Optional()
  @Text({ max: 255 })
  search?: string;

  /** Only products of one of these kinds. */
  @Optional()
  @AnyOf(PRODUCT_KINDS)
  kind?: ProductKind[];

  /** Only products in one of these statuses; `draft` and `active` by default. */
  @Optional()
  @AnyOf(PRODUCT_STATUSES)
  status?: ProductStatus[];

  /** Sort field, `name` by default; a leading `-` means descending order. */
  @Optional()
  @SortBy(['name', 'createdAt', 'updatedAt'])
  sort?: string;
}

/** A kind of resource that each departure needs. */
export class ResourceNeedResponse {
  /** Kind of the resource. */
  @OneOf(RESOURCE_TYPES)
  type: ResourceType;

  /** Number of resources of this kind. */
  @Whole({ min: 1, max: 100 })
  quantity: number;
}

/** The texts of a product in one language. */
export class ProductTextResponse {
  /** Language of the texts. */
  @Text({ max: 6 })
  locale: string;

  /** Title that customers see; null if they see `name`. */
  @Text({ max: 255 })
  title: string | null;

  /** Summary of a few sentences; null if there is none. */
  @Text({ max: 1000 })
  summary: string | null;

  /** Full description; null if there is none. */
  @Text({ max: 20_000 })
  description: string | null;
}

/** A picture, video or document of a product. */
export class ProductMediaResponse {
  /** Address of the file. */
  @Text({ max: 2048 })
  url: string;

  /** What kind of file it is. */
  @OneOf(MEDIA_KINDS)
  kind: MediaKind;

  /** What the file shows; null if unknown. */
  @Text({ max: 255 })
  caption: string | null;
}

/** Something that is sold on departures. */
export class ProductResponse {
  /** ID of the product: a text of the client, or a TypeID with the prefix `prod`. */
  @Text({ max: 128, pattern: PRODUCT_ID })
  id: string;

  /** Name for staff. */
  @Text({ max: 255 })
  name: string;

  /** What kind of service it is. */
  @OneOf(PRODUCT_KINDS)
  kind: ProductKind;

  /** Only drafts can be activated; an archived product is read-only and gets no new departures. */
  @OneOf(PRODUCT_STATUSES)
  status: ProductStatus;

  /** IANA time zone in which it takes place. */
  @TimeZone()
  timeZone: string;

  /** Minutes from start to end; null if unknown. */
  @Whole({ min: 1, max: 1_000_000 })
  durationMinutes: number | null;

  /** Capacity of new departures; null if there is no default. */
  @Whole({ min: 0, max: 1_000_000 })
  defaultCapacity: number | null;

  /** Meeting point (prefix `fac`); null if there is none. */
  @Id('fac')
  facilityId: string | null;

  /** Tax code (prefix `taxc`) of units without another tax code; null if there is none. */
  @Id('taxc')
  taxCodeId: string | null;

  /** The end of sales before the start of a departure; null if sales end at the start. */
  @Nested(() => CutoffResponse)
  cutoff: CutoffResponse | null;

  /** Minimum people for a departure to run; null if it always runs. */
  @Whole({ min: 1, max: 1_000_000 })
  minParticipants: number | null;

  /** Days before the start on which staff decide about a departure below the minimum; null if there is no such day. */
  @Whole({ min: 0, max: 365 })
  decideDaysBefore: number | null;

  /** Contact fields of a customer that a booking needs. */
  @Texts(CONTACT_FIELD)
  requiredContactFields: string[];

  /** Fields that each traveler needs. */
  @Texts(TRAVELER_FIELD)
  requiredTravelerFields: string[];

  /** Resources that each departure needs. */
  @ListOf(() => ResourceNeedResponse, { max: 20 })
  resourceNeeds: ResourceNeedResponse[];

  /** Minutes for which the resources of a departure are needed before its start. */
  @Whole({ min: 0, max: MAX_BUFFER })
  bufferBeforeMinutes: number;

  /** Minutes for which they are needed after its end. */
  @Whole({ min: 0, max: MAX_BUFFER })
  bufferAfterMinutes: number;

  /** When vouchers are issued. */
  @OneOf(VOUCHER_RULES)
  issueVouchers: VoucherRule;

  /** Texts for customers, one for each language. */
  @ListOf(() => ProductTextResponse, { max: 30 })
  texts: ProductTextResponse[];

  /** Pictures, videos and documents in the order in which they are shown. */
  @ListOf(() => ProductMediaResponse, { max: 50 })
  media: ProductMediaResponse[];

  /** When the product was activated; null if it never was. */
  @Instant()
  activatedAt: string | null;

  /** When the product was archived; null unless the status is `archived`. */
  @Instant()
  archivedAt: string | null;

  @Version()
  version: number;

  @Instant()
  createdAt: string;

  @Instant()
  updatedAt: string;
}

export class ProductEnvelope extends dataOf(ProductResponse) {}
export class ProductPage extends pageOf(ProductResponse) {}

export function toProduct(product: Product): ProductResponse {
  const { cutoff } = product;
  return respond(ProductResponse, product, { cutoff: cutoff && toCutoff(cutoff) });
}
