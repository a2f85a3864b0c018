import { OmitType } from '@nestjs/swagger';
import { dataOf, pageOf } from '../../../platform/http/dto.js';
import { Cents, Id, ListOf, OneOf, Text, Version, Whole } from '../../../platform/http/fields.js';
import { CurrencyCode, Instant, IsoDate } from '../../../platform/http/trade-fields.js';
import { MAX_FROZEN_BODY } from '../contracts/contract-body.js';
import { type PolicyRule, REFUND_TYPES, RULE_TYPES, type RefundType, type RuleType } from './policy-rule.js';
import { MAX_BASIS_POINTS, MAX_DAYS, MAX_POSITION, MAX_RULES } from './policy-version.dto.js';
import { VERSION_STATUSES, type VersionStatus } from './policy-version.entity.js';
import type { ListedVersion, VersionView } from './policy-version-rows.service.js';

/** One rule of a policy version. Values that the rule does not use are null. */
export class PolicyRuleResponse {
  /** Place of the rule in the list, unique within the version. */
  @Whole({ min: 0, max: MAX_POSITION })
  position: number;

  /** Form of the rule, which says which values it uses. */
  @OneOf(RULE_TYPES)
  type: RuleType;

  /** The number of days before departure to which the rule refers; null if not used. */
  @Whole({ min: 0, max: MAX_DAYS })
  daysBeforeDeparture: number | null;

  /** Refunded share of the price in hundredths of a percent (5000 is 50 %); null if not used. */
  @Whole({ min: 0, max: MAX_BASIS_POINTS })
  refundBasisPoints: number | null;

  /** Form in which the refund is made; null if not stated. */
  @OneOf(REFUND_TYPES)
  refundType: RefundType | null;

  /** Fixed amount in minor units of `currency`; null if not used. */
  @Cents()
  flatAmountCents: number | null;

  /** ISO 4217 code of `flatAmountCents`; null without an amount. */
  @CurrencyCode()
  currency: string | null;

  /** First day of the range of dates; null if open or not used. */
  @IsoDate()
  validFrom: string | null;

  /** Last day of the range of dates; null if open or not used. */
  @IsoDate()
  validTo: string | null;
}

/** A version of a policy with its text and rules. */
export class PolicyVersionResponse {
  @Id('polv')
  id: string;

  /** The policy that the version belongs to. */
  @Id('pol')
  policyId: string;

  /** Sequence of the version within its policy, starting at 1. */
  @Whole({ min: 1, max: 2_147_483_647 })
  number: number;

  /** Title of the text, as customers read it. */
  @Text({ max: 500 })
  title: string;

  /** HTML text: as sent while it is a draft, sanitized and frozen from publication on. */
  @Text({ min: 0, max: MAX_FROZEN_BODY })
  body: string;

  /** Machine-readable rules, ordered by position. */
  @ListOf(() => PolicyRuleResponse, { max: MAX_RULES })
  rules: PolicyRuleResponse[];

  /** State of the version. A policy has at most one published version. */
  @OneOf(VERSION_STATUSES)
  status: VersionStatus;

  /** SHA-256 of the canonical JSON (RFC 8785) of `{body, rules, title}`, in hexadecimal; null in a draft. */
  @Text({ max: 64 })
  sha256: string | null;

  /** Time of publication; null in a draft. */
  @Instant()
  publishedAt: string | null;

  /** Time when another version replaced it or it was retired; null until then. */
  @Instant()
  retiredAt: string | null;

  @Version()
  version: number;

  @Instant()
  createdAt: string;

  @Instant()
  updatedAt: string;
}

/** A version of a policy as lists return it, without text and rules. */
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
