import { PageQuery, pageOf } from '../../../platform/http/dto.js';
import { Cents, Id, OneOf, Optional, Text, Whole } from '../../../platform/http/fields.js';
import { AnyOf, SortBy } from '../../../platform/http/query-fields.js';
import { respond } from '../../../platform/http/respond.js';
import { CurrencyCode, Instant, IsoDate } from '../../../platform/http/trade-fields.js';
import { named } from '../../../platform/http/named-values.js';
import type { CommissionLine } from './commission-line.entity.js';

const PARTNER_COMMISSION_STATUSES = named('PartnerCommissionStatus', ['accrued', 'payable', 'paid', 'void']);
type PartnerCommissionStatus = (typeof PARTNER_COMMISSION_STATUSES)[number];

export class ListPartnerCommissions extends PageQuery {
  /** Only commissions in one of these statuses. */
  @Optional()
  @AnyOf(PARTNER_COMMISSION_STATUSES)
  status?: PartnerCommissionStatus[];

  /** Only commissions of this booking (prefix `book`). */
  @Optional()
  @Id('book')
  bookingId?: string;

  /** Only commissions created at this instant or later. */
  @Optional()
  @Instant()
  createdAfter?: string;

  /** Only commissions created at this instant or earlier. */
  @Optional()
  @Instant()
  createdBefore?: string;

  /** Sort field, `-createdAt` by default; a leading `-` means descending order. */
  @Optional()
  @SortBy(['createdAt', 'updatedAt'])
  sort?: string;
}

/** A commission that a channel of the partner earns, or a repayment. */
export class PartnerCommission {
  @Id('comm')
  id: string;

  /** Booking of the item. */
  @Id('book')
  bookingId: string;

  /** Item that was sold. */
  @Id('bkit')
  bookingItemId: string;

  /** Channel that earns it. */
  @Id('chan')
  channelId: string;

  /** `accrued` until the condition of its payout is met, `payable`, `paid`, or `void`. */
  @OneOf(PARTNER_COMMISSION_STATUSES)
  status: PartnerCommissionStatus;

  /** Currency of the amounts. */
  @CurrencyCode()
  currency: string;

  /** Amount from which the commission was computed, in minor units. */
  @Cents({ min: Number.MIN_SAFE_INTEGER })
  baseCents: number;

  /** Commission in minor units; negative for a repayment. */
  @Cents({ min: Number.MIN_SAFE_INTEGER })
  amountCents: number;

  /** Paid commission that this one adjusts; null for a commission of its own. */
  @Id('comm')
  adjustsId: string | null;

  /** Since when it can be paid out (RFC 3339, UTC). */
  @Instant()
  payableAt: string | null;

  /** Day of the payout; null before it. */
  @IsoDate()
  paidOn: string | null;

  /** Purpose of the payout, as on the statement of the bank; null if none was given. */
  @Text({ max: 255 })
  payoutReference: string | null;

  /** When it was created (RFC 3339, UTC). */
  @Instant()
  createdAt: string;

  /** When it last changed (RFC 3339, UTC). */
  @Instant()
  updatedAt: string;
}

export class PartnerCommissionPage extends pageOf(PartnerCommission) {}

export class ListCommissionStatements extends PageQuery {
  /** Only months from the one of this day on. */
  @Optional()
  @IsoDate()
  from?: string;

  /** Only months up to the one of this day. */
  @Optional()
  @IsoDate()
  to?: string;
}

/** The commissions of a channel that were created in a month, in one currency, as they stand now. */
export class CommissionStatement {
  /** First day of the month in the time zone of the organization. */
  @IsoDate()
  month: string;

  /** Channel that earns the commissions. */
  @Id('chan')
  channelId: string;

  /** Currency of the amounts. */
  @CurrencyCode()
  currency: string;

  /** Number of commissions and repayments that are not void. */
  @Whole({ min: 0, max: 1_000_000_000 })
  commissions: number;

  /** Sum of those whose condition of payout is not met yet, in minor units. */
  @Cents({ min: Number.MIN_SAFE_INTEGER })
  accruedCents: number;

  /** Sum of those that can be paid out, less repayments that are due, in minor units. */
  @Cents({ min: Number.MIN_SAFE_INTEGER })
  payableCents: number;

  /** Sum of those that were paid out or repaid, in minor units. */
  @Cents({ min: Number.MIN_SAFE_INTEGER })
  paidCents: number;

  /** Sum of the three amounts, in minor units. */
  @Cents({ min: Number.MIN_SAFE_INTEGER })
  totalCents: number;
}

export class CommissionStatementPage extends pageOf(CommissionStatement) {}

/** A commission of a channel. */
export type ChannelCommission = CommissionLine & { channelId: string; status: PartnerCommissionStatus };

export function toPartnerCommission(line: ChannelCommission): PartnerCommission {
  return respond(PartnerCommission, line);
}
