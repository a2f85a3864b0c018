import { OmitType } from '@nestjs/swagger';
import { dataOf, PageQuery, pageOf, patchOf } from '../../../platform/http/dto.js';
import {
  Cents,
  Clearable,
  Id,
  Ignored,
  ListOf,
  OneOf,
  Optional,
  Text,
  Version,
  Whole,
} from '../../../platform/http/fields.js';
import { CurrencyCode, Instant, IsoDate, CheckedText } from '../../../platform/http/trade-fields.js';
import { AnyOf, SortBy } from '../../../platform/http/query-fields.js';
import { respond } from '../../../platform/http/respond.js';
import { isDocumentText, MAX_BODY, MAX_FROZEN_BODY, TEXT_RULE } from '../texts/document-text.js';
import { type PolicyRule, REFUND_TYPES, RULE_TYPES, type RefundType, type RuleType } from './policy-rule.js';
import { type PolicyVersion, VERSION_STATUSES, type VersionStatus, type VersionView } from './policy-version.entity.js';

const MAX_RULES = 100;
const MAX_DAYS = 3650;
const MAX_BASIS_POINTS = 10_000;
const MAX_POSITION = 999;

/** One rule of a policy version in machine-readable form. */
export class PolicyRuleBody {
  /**
   * Form of the rule. `window` requires `daysBeforeDeparture`, `percentage` requires `refundBasisPoints`, `flat_amount`
   * requires `flatAmountCents`, `date_range` requires `validFrom` or `validTo`.
   * @example "percentage"
   */
  @OneOf(RULE_TYPES)
  type: RuleType;

  /**
   * The number of days before departure to which the rule refers.
   * @example 30
   */
  @Clearable()
  @Whole({ min: 0, max: MAX_DAYS })
  daysBeforeDeparture?: number | null;

  /**
   * Refunded share of the price in hundredths of a percent (5000 is 50 %).
   * @example 5000
   */
  @Clearable()
  @Whole({ min: 0, max: MAX_BASIS_POINTS })
  refundBasisPoints?: number | null;

  /**
   * Form in which the refund is made.
   * @example "cash"
   */
  @Clearable()
  @OneOf(REFUND_TYPES)
  refundType?: RefundType | null;

  /**
   * Fixed amount in minor units of `currency`. Requires `currency`.
   * @example null
   */
  @Clearable()
  @Cents()
  flatAmountCents?: number | null;

  /**
   * ISO 4217 code of `flatAmountCents`. Sent together with it or not at all.
   * @example null
   */
  @Clearable()
  @CurrencyCode()
  currency?: string | null;

  /**
   * First day of the range of dates.
   * @example null
   */
  @Clearable()
  @IsoDate()
  validFrom?: string | null;

  /**
   * Last day of the range of dates, not before `validFrom`.
   * @example null
   */
  @Clearable()
  @IsoDate()
  validTo?: string | null;

  /**
   * Position of the rule in the list; its index by default. Unique within the version. Rules are returned in this order.
   * @example 0
   */
  @Optional()
  @Whole({ min: 0, max: MAX_POSITION })
  position?: number;
}

class PolicyVersionFields {
  /**
   * Title of the text, as customers read it.
   * @example "Cancellation terms 2027"
   */
  @Text({ max: 500 })
  title: string;

  /**
   * HTML text. A draft keeps it as sent. Publication keeps headings, paragraphs, lists, tables, links and plain
   * emphasis, removes all other elements, styles, classes and scripts, and freezes the result.
   * @example "<p>Until 30 days before departure half of the price is refunded.</p>"
   */
  @Optional()
  @CheckedText('isDocumentText', isDocumentText, { max: MAX_BODY, message: TEXT_RULE })
  body?: string;

  /** Machine-readable rules; empty by default. On an update they replace all present rules. */
  @Optional()
  @ListOf(() => PolicyRuleBody, { max: MAX_RULES })
  rules?: PolicyRuleBody[];
}

/** A new draft of a policy text. */
export class CreatePolicyVersion extends PolicyVersionFields {
  @Ignored()
  id?: string;
}

/** Changes of a draft; fields that are not sent keep their value. `rules` replaces all rules. */
export class UpdatePolicyVersion extends patchOf(PolicyVersionFields) {}

/** Filters and paging of the versions of a policy. */
export class ListPolicyVersions extends PageQuery {
  /** Only versions with one of these statuses. */
  @Optional()
  @AnyOf(VERSION_STATUSES)
  status?: VersionStatus[];

  /** Sort field, `-number` by default; a leading `-` means descending order. */
  @Optional()
  @SortBy(['number', 'createdAt'])
  sort?: string;
}

/** Columns that lists read, without the text. */
export const LISTED_COLUMNS = [
  ...(['id', 'policyId', 'number', 'title', 'status', 'sha256', 'publishedAt'] as const),
  ...(['retiredAt', 'version', 'createdAt', 'updatedAt'] as const),
];
export type ListedVersion = Pick<PolicyVersion, (typeof LISTED_COLUMNS)[number]>;

/** One rule of a policy version. Values that the rule does not use are null. */
export class PolicyRuleResponse {
  /** Position of the rule in the list, unique within the version. */
  @Whole({ min: 0, max: MAX_POSITION })
  position: number;

  /** Form of the rule, which determines the values that it uses. */
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

  /** The policy of the version. */
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
  return respond(PolicyVersionResponse, version, { rules: rules.map(toRule) });
}

export function toVersionSummary(version: ListedVersion): PolicyVersionSummary {
  return respond(PolicyVersionSummary, version);
}

function toRule(rule: PolicyRule): PolicyRuleResponse {
  return respond(PolicyRuleResponse, rule);
}

export class PolicyVersionEnvelope extends dataOf(PolicyVersionResponse) {}
export class PolicyVersionPage extends pageOf(PolicyVersionSummary) {}
