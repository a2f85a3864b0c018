import { PickType } from '@nestjs/swagger';
import { dataOf, PageQuery, pageOf, patchOf } from '../../../platform/http/dto.js';
import { Id, Ignored, OneOf, Optional, Text, Version } from '../../../platform/http/fields.js';
import { SortBy } from '../../../platform/http/query-fields.js';
import { Instant } from '../../../platform/http/trade-fields.js';
import type { PolicyView } from './policies.service.js';
import { MAX_SLUG, SLUG } from './policy-slug.js';
import { POLICY_KINDS, type PolicyKind } from './policy-kind.js';

class PolicyFields {
  /** @example "cancellation" */
  @OneOf(POLICY_KINDS)
  kind: PolicyKind;

  /** @example "Cancellation of cruises" */
  @Text({ max: 255 })
  name: string;

  /** Unique, lower-case words joined by hyphens; made of the name unless given.
   * @example "cruises-cancellation" */
  @Optional()
  @Text({ max: MAX_SLUG, pattern: SLUG })
  slug?: string;

  /** `en` unless given.
   * @example "en" */
  @Optional()
  @Text({ min: 2, max: 10 })
  language?: string;
}

export class CreatePolicy extends PolicyFields {
  @Ignored()
  id?: string;
}

/** The kind is fixed. */
export class UpdatePolicy extends patchOf(PickType(PolicyFields, ['name', 'slug', 'language'] as const)) {}

export class ListPolicies extends PageQuery {
  @Optional()
  @OneOf(POLICY_KINDS)
  kind?: PolicyKind;

  /** Part of the name or the slug, whatever its case. */
  @Optional()
  @Text({ max: 255 })
  search?: string;

  /** `-createdAt`, newest first, unless given. */
  @Optional()
  @SortBy(['createdAt', 'name'])
  sort?: string;
}

export class PolicyResponse {
  @Id('pol')
  id: string;

  @OneOf(POLICY_KINDS)
  kind: PolicyKind;

  @Text({ max: 255 })
  name: string;

  @Text({ max: MAX_SLUG, pattern: SLUG })
  slug: string;

  @Text({ min: 2, max: 10 })
  language: string;

  /** The published one; null where there is none. */
  @Id('polv')
  currentVersionId: string | null;

  /** Raised by every change, also of which version is published; also the ETag. */
  @Version()
  version: number;

  @Instant()
  createdAt: string;

  @Instant()
  updatedAt: string;
}

export function toPolicy({ policy, currentVersionId }: PolicyView): PolicyResponse {
  return {
    id: policy.id,
    kind: policy.kind,
    name: policy.name,
    slug: policy.slug,
    language: policy.language,
    currentVersionId,
    version: policy.version,
    createdAt: policy.createdAt.toISOString(),
    updatedAt: policy.updatedAt.toISOString(),
  };
}

export class PolicyEnvelope extends dataOf(PolicyResponse) {}
export class PolicyPage extends pageOf(PolicyResponse) {}
