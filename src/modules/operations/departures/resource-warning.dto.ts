import { Id, OneOf, Text, Whole } from '../../../platform/http/fields.js';
import { IsoDate } from '../../../platform/http/trade-fields.js';
import { RESOURCE_TYPES, type ResourceType } from '../../products/index.js';
import { RESOURCE_WARNINGS, type ResourceWarningCode, type ResourceWarningRow } from './resource-warnings.js';

/** Something that is wrong with the resources of a departure that has not ended. It does not prevent sales. */
export class ResourceWarning implements ResourceWarningRow {
  /**
   * `understaffed`: fewer resources of a kind than the product needs; `vehicle_too_small`: the vehicles or boats have fewer seats than
   * the people of confirmed bookings; `document_expired`: a document of a resource expires before the departure ends.
   */
  @OneOf(RESOURCE_WARNINGS)
  code: ResourceWarningCode;

  /** Kind of the resources. */
  @OneOf(RESOURCE_TYPES)
  resourceType: ResourceType;

  /** Resource with the expired document (prefix `rsrc`); null for other warnings. */
  @Id('rsrc')
  resourceId: string | null;

  /** Name of the resource; null without `resourceId`. */
  @Text({ max: 255 })
  resourceName: string | null;

  /** Kind of the expired document; null for other warnings. */
  @Text({ max: 100 })
  documentKind: string | null;

  /** Last day on which the document is valid; null for other warnings. */
  @IsoDate()
  expiresOn: string | null;

  /** Resources that the product needs, or people who need a seat; null for `document_expired`. */
  @Whole({ min: 1, max: Number.MAX_SAFE_INTEGER })
  required: number | null;

  /** Resources assigned, or seats of the vehicles; null for `document_expired`. */
  @Whole({ min: 0, max: Number.MAX_SAFE_INTEGER })
  available: number | null;
}

/** One for each kind of resource and each document of a departure, which has up to 1,000 resources. */
export const MAX_RESOURCE_WARNINGS = 100_000;
