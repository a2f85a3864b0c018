import { OmitType } from '@nestjs/swagger';
import { dataOf, pageOf } from '../../../platform/http/dto.js';
import { Cents, Id, ListOf, OneOf, Text, Version, Whole } from '../../../platform/http/fields.js';
import { CurrencyCode, Instant, IsoDate } from '../../../platform/http/trade-fields.js';
import { MAX_FROZEN_BODY } from '../contracts/contract-body.js';
import { type PolicyRule, REFUND_TYPES, RULE_TYPES, type RefundType, type RuleType } from './policy-rule.js';
import { MAX_BASIS_POINTS, MAX_DAYS, MAX_POSITION, MAX_RULES } from './policy-version.dto.js';
import { VERSION_STATUSES, type VersionStatus } from './policy-version.entity.js';
import type { ListedVersion, VersionView } from './policy-version-rows.service.js';

export class PolicyRuleResponse {
  @Whole({ min: 0, max: MAX_POSITION })
  position: number;

  @OneOf(RULE_TYPES)
  type: RuleType;

  @Whole({ min: 0, max: MAX_DAYS })
  daysBeforeDeparture: number | null;

  @Whole({ min: 0, max: MAX_BASIS_POINTS })
  refundBasisPoints: number | null;

  @OneOf(REFUND_TYPES)
  refundType: RefundType | null;

  @Cents()
  flatAmountCents: number | null;

  @CurrencyCode()
  currency: string | null;

  @IsoDate()
  validFrom: string | null;

  @IsoDate()
  validTo: string | null;
}

export class PolicyVersionResponse {
  @Id('polv')
  id: string;

  @Id('pol')
  policyId: string;

  /** Of the policy's versions; the first is 1. */
  @Whole({ min: 1, max: 2_147_483_647 })
  number: number;

  @Text({ max: 500 })
  title: string;

  /** HTML: as written in a draft, harmless and frozen once it was published. */
  @Text({ min: 0, max: MAX_FROZEN_BODY })
  body: string;

  @ListOf(() => PolicyRuleResponse, { max: MAX_RULES })
  rules: PolicyRuleResponse[];

  @OneOf(VERSION_STATUSES)
  status: VersionStatus;

  /** SHA-256 of the canonical JSON (RFC 8785) of `{body, rules, title}`; null in draft. */
  @Text({ max: 64 })
  sha256: string | null;

  @Instant()
  publishedAt: string | null;

  @Instant()
  retiredAt: string | null;

  @Version()
  version: number;

  @Instant()
  createdAt: string;

  @Instant()
  updatedAt: string;
}

/** As lists show it: without text and rules, which may be large. */
export class PolicyVersionSummary extends OmitType(PolicyVersionResponse, ['body', 'rules'] as const) {}

export function toVersion({ version, rules }: VersionView): PolicyVersionResponse {
  return { ...toVersionSummary(version), body: version.body, rules: rules.map(toRule) };
}

export function toVersionSummary(version: ListedVersion): PolicyVersionSummary {
  return {
    id: version.id,
    policyId: version.policyId,
    number: version.number,
    title: version.title,
    status: version.status,
    sha256: version.sha256,
    publishedAt: version.publishedAt?.toISOString() ?? null,
    retiredAt: version.retiredAt?.toISOString() ?? null,
    version: version.version,
    createdAt: version.createdAt.toISOString(),
    updatedAt: version.updatedAt.toISOString(),
  };
}

function toRule(rule: PolicyRule): PolicyRuleResponse {
  return {
    position: rule.position,
    type: rule.type,
    daysBeforeDeparture: rule.daysBeforeDeparture,
    refundBasisPoints: rule.refundBasisPoints,
    refundType: rule.refundType,
    flatAmountCents: rule.flatAmountCents,
    currency: rule.currency,
    validFrom: rule.validFrom,
    validTo: rule.validTo,
  };
}

export class PolicyVersionEnvelope extends dataOf(PolicyVersionResponse) {}
export class PolicyVersionPage extends pageOf(PolicyVersionSummary) {}
