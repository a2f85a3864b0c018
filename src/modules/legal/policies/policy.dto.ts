import { PickType } from '@nestjs/swagger';
import { dataOf, PageQuery, pageOf, patchOf } from '../../../platform/http/dto.js';
import { Id, Ignored, OneOf, Optional, Text, Version } from '../../../platform/http/fields.js';
import { AnyOf, SortBy } from '../../../platform/http/query-fields.js';
import { respond } from '../../../platform/http/respond.js';
import { Instant } from '../../../platform/http/trade-fields.js';
import type { PolicyView } from './policy.entity.js';
import { MAX_SLUG, SLUG } from './policy-slug.js';
import { POLICY_KINDS, type PolicyKind } from './policy-kind.js';

class PolicyFields {
  /**
   * Subject of the policy. It cannot be changed later.
   * @example "cancellation"
   */
  @OneOf(POLICY_KINDS)
  kind: PolicyKind;

  /**
   * Name for staff. The title that customers read is in the version.
   * @example "Cancellation of cruises"
   */
  @Text({ max: 255 })
  name: string;

  /**
   * Unique key of lower-case letters and digits, with hyphens between words. Derived from the name by default.
   * @example "cruises-cancellation"
   */
  @Optional()
  @Text({ max: MAX_SLUG, pattern: SLUG })
  slug?: string;

  /**
   * Language of the texts, for example an ISO 639 code; `en` by default.
   * @example "en"
   */
  @Optional()
  @Text({ min: 2, max: 10 })
  language?: string;
}

/** A new policy. Its text is added as a version. */
export class CreatePolicy extends PolicyFields {
  @Ignored()
  id?: string;
}

/** Changes of a policy; fields that are not sent keep their value. The kind cannot be changed. */
export class UpdatePolicy extends patchOf(PickType(PolicyFields, ['name', 'slug', 'language'] as const)) {}

/** Filters and paging of the list of policies. */
export class ListPolicies extends PageQuery {
  /** Only policies of these kinds. */
  @Optional()
  @AnyOf(POLICY_KINDS)
  kind?: PolicyKind[];

  /** Only policies with this text in the name or the slug, ignoring case. */
  @Optional()
  @Text({ max: 255 })
  search?: string;

  /** Sort field, `-createdAt` by default; a leading `-` means descending order. */
  @Optional()
  @SortBy(['createdAt', 'name'])
  sort?: string;
}

/** A policy with a reference to its published version. */
export class PolicyResponse {
  @Id('pol')
  id: string;

  /** Subject of the policy, fixed at creation. */
  @OneOf(POLICY_KINDS)
  kind: PolicyKind;

  /** Name for staff. The title that customers read is in the version. */
  @Text({ max: 255 })
  name: string;

  /** Unique key of lower-case letters and digits, with hyphens between words. */
  @Text({ max: MAX_SLUG, pattern: SLUG })
  slug: string;

  /** Language of the texts, as sent by the client. */
  @Text({ min: 2, max: 10 })
  language: string;

  /** The published version; null if no version is published. */
  @Id('polv')
  currentVersionId: string | null;

  /**
   * Increases with every change, including publishing or retiring a version. It is also the ETag; If-Match is compared with it.
   */
  @Version()
  version: number;

  @Instant()
  createdAt: string;

  @Instant()
  updatedAt: string;
}

export function toPolicy({ policy, currentVersionId }: PolicyView): PolicyResponse {
  return respond(PolicyResponse, policy, { currentVersionId });
}

export class PolicyEnvelope extends dataOf(PolicyResponse) {}
export class PolicyPage extends pageOf(PolicyResponse) {}
