import { PageQuery, patchOf } from '../../../platform/http/dto.js';
import { Cents, Clearable, Ignored, ListOf, OneOf, Optional, Text, Whole } from '../../../platform/http/fields.js';
import { CurrencyCode, IsoDate, Worded } from '../../../platform/http/trade-fields.js';
import { isContractText, MAX_BODY } from '../contracts/contract-body.js';
import { REFUND_TYPES, RULE_TYPES, type RefundType, type RuleType } from './policy-rule.js';
import { VERSION_STATUSES, type VersionStatus } from './policy-version.entity.js';

const TEXT_RULE = '$property must be HTML of at most 20000 tags, without control characters';

export const MAX_RULES = 100;
export const MAX_DAYS = 3650;
export const MAX_BASIS_POINTS = 10_000;
export const MAX_POSITION = 999;

export class PolicyRuleBody {
  /** A window needs daysBeforeDeparture, a percentage refundBasisPoints, a flat amount flatAmountCents, a range of dates
   * validFrom or validTo.
   * @example "percentage" */
  @OneOf(RULE_TYPES)
  type: RuleType;

  /** From so many days before departure on.
   * @example 30 */
  @Clearable()
  @Whole({ min: 0, max: MAX_DAYS })
  daysBeforeDeparture?: number | null;

  /** What is given back of the price, in hundredths of a percent.
   * @example 5000 */
  @Clearable()
  @Whole({ min: 0, max: MAX_BASIS_POINTS })
  refundBasisPoints?: number | null;

  /** @example "cash" */
  @Clearable()
  @OneOf(REFUND_TYPES)
  refundType?: RefundType | null;

  /** In the currency's minor unit.
   * @example null */
  @Clearable()
  @Cents()
  flatAmountCents?: number | null;

  /** Goes with flatAmountCents.
   * @example null */
  @Clearable()
  @CurrencyCode()
  currency?: string | null;

  /** @example null */
  @Clearable()
  @IsoDate()
  validFrom?: string | null;

  /** Not before validFrom.
   * @example null */
  @Clearable()
  @IsoDate()
  validTo?: string | null;

  /** Its index unless given; unique within the version. Rules are answered in this order.
   * @example 0 */
  @Optional()
  @Whole({ min: 0, max: MAX_POSITION })
  position?: number;
}

class PolicyVersionFields {
  /** @example "Cancellation terms 2027" */
  @Text({ max: 500 })
  title: string;

  /** HTML; a draft keeps it as it is. At publication headings, paragraphs, lists, tables, links and plain emphasis stay, images,
   * styles, classes, scripts and all other tags are taken out, and what is left is frozen.
   * @example "<p>Until 30 days before departure half of the price is given back.</p>" */
  @Optional()
  @Worded('isContractText', isContractText, { max: MAX_BODY, message: TEXT_RULE })
  body?: string;

  /** All of them; none unless given. */
  @Optional()
  @ListOf(() => PolicyRuleBody, { max: MAX_RULES })
  rules?: PolicyRuleBody[];
}

export class CreatePolicyVersion extends PolicyVersionFields {
  @Ignored()
  id?: string;
}

/** `rules` takes the place of all rules there were. */
export class UpdatePolicyVersion extends patchOf(PolicyVersionFields) {}

export class ListPolicyVersions extends PageQuery {
  @Optional()
  @OneOf(VERSION_STATUSES)
  status?: VersionStatus;
}
