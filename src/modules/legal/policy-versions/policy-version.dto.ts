import { PageQuery, patchOf } from '../../../platform/http/dto.js';
import { Cents, Clearable, Ignored, ListOf, OneOf, Optional, Text, Whole } from '../../../platform/http/fields.js';
import { CurrencyCode, IsoDate, Worded } from '../../../platform/http/trade-fields.js';
import { isContractText, MAX_BODY } from '../contracts/contract-body.js';
import { REFUND_TYPES, RULE_TYPES, type RefundType, type RuleType } from './policy-rule.js';
import { VERSION_STATUSES, type VersionStatus } from './policy-version.entity.js';

const TEXT_RULE = '$property must be HTML of at most 20000 tags and 500 open elements, without control characters';

export const MAX_RULES = 100;
export const MAX_DAYS = 3650;
export const MAX_BASIS_POINTS = 10_000;
export const MAX_POSITION = 999;

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
   * Place of the rule in the list; its index by default. Unique within the version. Rules are returned in this order.
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
   * @example "<p>Until 30 days before departure half of the price is given back.</p>"
   */
  @Optional()
  @Worded('isContractText', isContractText, { max: MAX_BODY, message: TEXT_RULE })
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
  /** Only versions with this status. */
  @Optional()
  @OneOf(VERSION_STATUSES)
  status?: VersionStatus;
}
