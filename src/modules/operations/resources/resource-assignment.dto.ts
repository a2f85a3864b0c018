import { OmitType } from '@nestjs/swagger';
import { dataOf, pageOf, PageQuery, patchOf } from '../../../platform/http/dto.js';
import { Clearable, Flag, Id, Ignored, OneOf, Optional, Text, Version, Whole } from '../../../platform/http/fields.js';
import { SortBy } from '../../../platform/http/query-fields.js';
import { respond } from '../../../platform/http/respond.js';
import { Instant } from '../../../platform/http/trade-fields.js';
import { RESOURCE_TYPES, type ResourceType } from '../../products/index.js';
import type { ResourceAssignment } from './resource-assignment.entity.js';
import { MAX_SEATS } from './resource.dto.js';

/** A resource for a departure. */
export class CreateResourceAssignment {
  @Ignored()
  id?: undefined;

  /** Active resource (prefix `rsrc`); a departure has each resource once. */
  @Id('rsrc')
  resourceId: string;

  /**
   * What it does there.
   * @example "Second guide"
   */
  @Clearable()
  @Text({ max: 100 })
  role?: string | null;

  /**
   * When it is needed (RFC 3339 with offset); by default from the start of the departure, less the `bufferBeforeMinutes` of its
   * product.
   * @example "2027-05-12T08:00:00+03:00"
   */
  @Optional()
  @Instant()
  startsAt?: string;

  /**
   * Until when it is needed (RFC 3339 with offset), after `startsAt`; by default until the end of the departure, plus the
   * `bufferAfterMinutes` of its product.
   * @example "2027-05-12T19:00:00+03:00"
   */
  @Optional()
  @Instant()
  endsAt?: string;

  /**
   * Seats that the departure takes of a resource which several departures share; required if that has seats, and not allowed
   * otherwise.
   * @example 8
   */
  @Clearable()
  @Whole({ min: 1, max: MAX_SEATS })
  seats?: number | null;
}

/** The fields of an assignment to change. Its departure and its resource are fixed. */
export class UpdateResourceAssignment extends patchOf(
  OmitType(CreateResourceAssignment, ['id', 'resourceId'] as const),
) {}

export class ListResourceAssignments extends PageQuery {
  /** Sort field, `startsAt` by default; a leading `-` means descending order. */
  @Optional()
  @SortBy(['startsAt', 'createdAt'])
  sort?: string;
}

/** A resource that serves a departure. */
export class ResourceAssignmentResponse {
  @Id('rasn')
  id: string;

  @Id('dep')
  departureId: string;

  @Id('rsrc')
  resourceId: string;

  /** Kind of the resource. */
  @OneOf(RESOURCE_TYPES)
  resourceType: ResourceType;

  /** Name by which staff know the resource. */
  @Text({ max: 255 })
  resourceName: string;

  /** What it does there; null if nobody wrote it. */
  @Text({ max: 100 })
  role: string | null;

  /** When it is needed. */
  @Instant()
  startsAt: string;

  /** Until when it is needed. */
  @Instant()
  endsAt: string;

  /** Whether the resource serves no other departure at that time. */
  @Flag()
  exclusive: boolean;

  /** Seats that the departure takes of a shared resource; null if they are not counted. */
  @Whole({ min: 1, max: MAX_SEATS })
  seats: number | null;

  @Version()
  version: number;

  @Instant()
  createdAt: string;

  @Instant()
  updatedAt: string;
}

/** An assignment with the names of its resource. */
export interface AssignmentView {
  assignment: ResourceAssignment;
  resourceType: ResourceType;
  resourceName: string;
}

export function toAssignment({ assignment, resourceType, resourceName }: AssignmentView): ResourceAssignmentResponse {
  return respond(ResourceAssignmentResponse, assignment, { resourceType, resourceName });
}

export class ResourceAssignmentEnvelope extends dataOf(ResourceAssignmentResponse) {}
export class ResourceAssignmentPage extends pageOf(ResourceAssignmentResponse) {}
