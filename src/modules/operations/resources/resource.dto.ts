import { OmitType } from '@nestjs/swagger';
import { dataOf, pageOf, PageQuery, patchOf } from '../../../platform/http/dto.js';
import {
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
import { AnyOf, SortBy } from '../../../platform/http/query-fields.js';
import { respond } from '../../../platform/http/respond.js';
import { Instant, IsoDate, LANGUAGE_TAG } from '../../../platform/http/trade-fields.js';
import { RESOURCE_TYPES, type ResourceType } from '../../products/index.js';
import { type Resource, RESOURCE_STATUSES, type ResourceStatus } from './resource.entity.js';

export const MAX_SEATS = 100_000;
const MAX_DOCUMENTS = 50;
const MAX_PERIODS = 200;
const LANGUAGES = {
  max: 20,
  maxLength: 6,
  pattern: LANGUAGE_TAG,
  otherwise: 'must be a language such as de',
  unique: true,
};

/** A licence or another document of the resource. */
export class ResourceDocumentBody {
  /**
   * Kind of the document.
   * @example "driving licence D"
   */
  @Text({ max: 100 })
  kind: string;

  /**
   * Last day on which it is valid; null if it does not expire.
   * @example "2028-03-31"
   */
  @Clearable()
  @IsoDate()
  expiresOn?: string | null;
}

/** A period in which the resource serves nobody: a holiday, a repair. */
export class UnavailabilityBody {
  /**
   * When it begins (RFC 3339 with offset).
   * @example "2027-07-01T00:00:00+03:00"
   */
  @Instant()
  startsAt: string;

  /**
   * When the resource is available again (RFC 3339 with offset); after `startsAt`.
   * @example "2027-07-15T00:00:00+03:00"
   */
  @Instant()
  endsAt: string;
}

/** Somebody or something that a departure needs. */
export class CreateResource {
  @Ignored()
  id?: undefined;

  /** Kind of the resource; it cannot be changed. */
  @OneOf(RESOURCE_TYPES)
  type: ResourceType;

  /**
   * Name by which staff know it.
   * @example "Minibus TL 12 ABC"
   */
  @Text({ max: 255 })
  name: string;

  /**
   * Number of people whom it can take; null if that does not matter.
   * @example 18
   */
  @Clearable()
  @Whole({ min: 1, max: MAX_SEATS })
  seats?: number | null;

  /**
   * Languages that a guide speaks.
   * @example ["en", "de"]
   */
  @Optional()
  @Texts(LANGUAGES)
  languages?: string[];

  /** Ground operator to whom it belongs (prefix `gop`); null if it is your own. */
  @Clearable()
  @Id('gop')
  groundOperatorId?: string | null;

  /** User, if it is a guide who logs in (prefix `user`); null otherwise. */
  @Clearable()
  @Id('user')
  userId?: string | null;

  /** Its documents. A change replaces all of them. */
  @Optional()
  @ListOf(() => ResourceDocumentBody, { max: MAX_DOCUMENTS })
  documents?: ResourceDocumentBody[];

  /** Whether it serves one departure at a time, which is the default. Otherwise the departures share its seats. */
  @Optional()
  @Flag()
  exclusive?: boolean;

  /** Periods in which it serves nobody. A change replaces all of them. */
  @Optional()
  @ListOf(() => UnavailabilityBody, { max: MAX_PERIODS })
  unavailability?: UnavailabilityBody[];
}

/** The fields of a resource to change. */
export class UpdateResource extends patchOf(OmitType(CreateResource, ['id', 'type'] as const)) {}

export class ListResources extends PageQuery {
  /** Only resources of these kinds. */
  @Optional()
  @AnyOf(RESOURCE_TYPES)
  type?: ResourceType[];

  /** Only resources in one of these statuses. */
  @Optional()
  @AnyOf(RESOURCE_STATUSES)
  status?: ResourceStatus[];

  /** Only resources of this ground operator (prefix `gop`). */
  @Optional()
  @Id('gop')
  groundOperatorId?: string;

  /** Text that the name contains, in any case. */
  @Optional()
  @Text({ max: 100 })
  search?: string;

  /** Sort field, `name` by default; a leading `-` means descending order. */
  @Optional()
  @SortBy(['name', 'createdAt', 'updatedAt'])
  sort?: string;
}

/** A licence or another document, and how long it is valid. */
export class ResourceDocumentResponse {
  /** Kind of the document. */
  @Text({ max: 100 })
  kind: string;

  /** Last day on which it is valid; null if it does not expire. */
  @IsoDate()
  expiresOn: string | null;
}

/** A period in which a resource serves nobody. */
export class UnavailabilityResponse {
  /** When it begins. */
  @Instant()
  startsAt: string;

  /** When the resource is available again. */
  @Instant()
  endsAt: string;
}

/** Somebody or something that a departure needs. */
export class ResourceResponse {
  @Id('rsrc')
  id: string;

  /** Kind of the resource. */
  @OneOf(RESOURCE_TYPES)
  type: ResourceType;

  /** Name by which staff know it. */
  @Text({ max: 255 })
  name: string;

  /** `archived` resources are not assigned any more. */
  @OneOf(RESOURCE_STATUSES)
  status: ResourceStatus;

  /** Number of people whom it can take; null if that does not matter. */
  @Whole({ min: 1, max: MAX_SEATS })
  seats: number | null;

  /** Languages that a guide speaks. */
  @Texts(LANGUAGES)
  languages: string[];

  /** Ground operator to whom it belongs (prefix `gop`); null if it is your own. */
  @Id('gop')
  groundOperatorId: string | null;

  /** User, if it is a guide who logs in (prefix `user`); null otherwise. */
  @Id('user')
  userId: string | null;

  /** Its documents. */
  @ListOf(() => ResourceDocumentResponse, { max: MAX_DOCUMENTS })
  documents: ResourceDocumentResponse[];

  /** Whether it serves one departure at a time. Otherwise the departures share its seats. */
  @Flag()
  exclusive: boolean;

  /** Periods in which it serves nobody. */
  @ListOf(() => UnavailabilityResponse, { max: MAX_PERIODS })
  unavailability: UnavailabilityResponse[];

  @Version()
  version: number;

  @Instant()
  createdAt: string;

  @Instant()
  updatedAt: string;
}

export function toResource(resource: Resource): ResourceResponse {
  return respond(ResourceResponse, resource);
}

export class ResourceEnvelope extends dataOf(ResourceResponse) {}
export class ResourcePage extends pageOf(ResourceResponse) {}
