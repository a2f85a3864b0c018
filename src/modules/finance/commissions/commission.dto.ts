import { OmitType } from '@nestjs/swagger';
import { dataOf, pageOf, PageQuery, patchOf } from '../../../platform/http/dto.js';
import {
  Cents,
  Clearable,
  Flag,
  Id,
  Ignored,
  ListOf,
  OneOf,
  Optional,
  Text,
  Version,
  Whole,
} from '../../../platform/http/fields.js';
import { CurrencyCode, Instant, IsoDate } from '../../../platform/http/trade-fields.js';
import { AnyOf, FormerName, SortBy } from '../../../platform/http/query-fields.js';
import { respond } from '../../../platform/http/respond.js';
import { withNames } from '../../../platform/http/row-names.js';
import {
  ADJUST_REASONS,
  type AdjustReason,
  COMMISSION_STATUSES,
  type CommissionLine,
  type CommissionStatus,
  PAYABLE_TRIGGERS,
  type PayableTrigger,
  RECIPIENT_TYPES,
  type RecipientType,
} from './commission-line.entity.js';
import { COMMISSION_BASES, COMMISSION_MODELS, type CommissionBasis, type CommissionModel } from './commission-terms.js';

/** A commission of a recipient for a booking item. The required inputs depend on `commissionModel`. */
export class CreateCommission {
  @Ignored()
  id?: undefined;

  /**
   * Kind of recipient; informational.
   * @example "agency"
   */
  @OneOf(RECIPIENT_TYPES)
  recipientType: RecipientType;

  /**
   * Person or company that earns the commission.
   * @example "Alpine Resellers"
   */
  @Text({ max: 255 })
  recipientName: string;

  /**
   * Your own identifier of the recipient, free text; null if there is none.
   * @example "AR-17"
   */
  @Clearable()
  @Text({ max: 100 })
  recipientId?: string | null;

  /**
   * Distribution channel that earns the commission (prefix `chan`); must not be archived.
   * @example "chan_01k0dem000e000000000000002"
   */
  @Clearable()
  @Id('chan')
  channelId?: string | null;

  /**
   * `percentage` of a basis (default), `fixed` amount, `markup` as a percentage of the margin, or `net`: the price
   * minus a net rate.
   * @example "percentage"
   */
  @Optional()
  @OneOf(COMMISSION_MODELS)
  commissionModel?: CommissionModel;

  /**
   * Basis of a percentage: `net_sell` (price without tax, default), `gross_sell` or `margin`. Only for `percentage`.
   * @example "net_sell"
   */
  @Optional()
  @OneOf(COMMISSION_BASES)
  basis?: CommissionBasis;

  /**
   * Rate in basis points, 1250 is 12.5 %. Required for `percentage` and `markup`.
   * @example 1250
   */
  @Optional()
  @Whole({ min: 0, max: 10_000 })
  rateBasisPoints?: number;

  /** Amount of a `fixed` commission, in minor units of the item's currency. Rejected for other models. */
  @Optional()
  @Cents()
  amountCents?: number;

  /** Whether the fixed amount applies to each unit of the item; false by default. Only for `fixed`. */
  @Optional()
  @Flag()
  perUnit?: boolean;

  /**
   * Net rate for the whole quantity, in minor units; the recipient earns the price minus it, at least 0. Required for
   * `net`.
   */
  @Optional()
  @Cents()
  netRateCents?: number;

  /**
   * Condition for payout: booking `paid_in_full` (default), `departed`, or `both`.
   * @example "both"
   */
  @Optional()
  @OneOf(PAYABLE_TRIGGERS)
  payableTrigger?: PayableTrigger;

  /**
   * Internal notes of staff; null if there are none.
   * @example "Agreed by phone"
   */
  @Clearable()
  @Text({ min: 0, max: 2000, multiline: true })
  notes?: string | null;
}

/** The fields of a commission to change. Another model needs its own inputs; those of the old one are cleared. */
export class UpdateCommission extends patchOf(
  OmitType(CreateCommission, ['id', 'basis', 'recipientName', 'rateBasisPoints'] as const),
) {
  /**
   * Person or company that earns the commission.
   * @example "Alpine Resellers GmbH"
   */
  @Optional()
  @Text({ max: 255 })
  recipientName?: string;

  /** Basis of a percentage: `net_sell` (price without tax), `gross_sell` or `margin`. */
  @Optional()
  @OneOf(COMMISSION_BASES)
  basis?: CommissionBasis;

  /**
   * Rate in basis points, 1000 is 10 %.
   * @example 1000
   */
  @Optional()
  @Whole({ min: 0, max: 10_000 })
  rateBasisPoints?: number;
}

/** Reason for voiding a commission. */
export class VoidCommission {
  /**
   * Stored with the commission and the action ledger entry.
   * @example "Booked under the wrong partner"
   */
  @Text({ max: 2000, multiline: true })
  reason: string;
}

export class ListCommissions {
  /** Only commissions in one of these statuses. */
  @Optional()
  @AnyOf(COMMISSION_STATUSES)
  status?: CommissionStatus[];

  /** Only commissions with exactly this recipient identifier. */
  @Optional()
  @Text({ max: 100 })
  recipientId?: string;

  /** Sort field, `-createdAt` by default; a leading `-` means descending order. */
  @Optional()
  @SortBy(['createdAt'])
  sort?: string;
}

export class SearchCommissions extends PageQuery {
  /** Only commissions of this booking (prefix `book`). */
  @Optional()
  @Id('book')
  bookingId?: string;

  /** Only commissions of these kinds of recipients. */
  @Optional()
  @AnyOf(RECIPIENT_TYPES)
  recipientType?: RecipientType[];

  /** Only commissions with exactly this recipient identifier. */
  @Optional()
  @Text({ max: 100 })
  recipientId?: string;

  /** Only commissions of recipients with exactly this name, ignoring case. */
  @Optional()
  @Text({ max: 255 })
  recipientName?: string;

  /** Only commissions that this channel earns (prefix `chan`). */
  @Optional()
  @Id('chan')
  channelId?: string;

  /** Only commissions in one of these statuses. */
  @Optional()
  @AnyOf(COMMISSION_STATUSES)
  status?: CommissionStatus[];

  /** Only commissions that were paid out on this day or later. */
  @FormerName('from')
  @Optional()
  @IsoDate()
  paidFrom?: string;

  /** Only commissions that were paid out on this day or earlier. */
  @FormerName('to')
  @Optional()
  @IsoDate()
  paidTo?: string;

  /** Sort field, `-createdAt` by default; a leading `-` means descending order. */
  @Optional()
  @SortBy(['createdAt'])
  sort?: string;
}

/** The commission of one recipient for one booking item. Amounts are in minor units of `currency`. */
export class CommissionResponse {
  @Id('comm')
  id: string;

  @Id('book')
  bookingId: string;

  @Id('bkit')
  bookingItemId: string;

  /** Kind of recipient; informational. */
  @OneOf(RECIPIENT_TYPES)
  recipientType: RecipientType;

  /** Person or company that earns the commission. */
  @Text({ max: 255 })
  recipientName: string;

  /** Your own identifier of the recipient; null if there is none. */
  @Text({ max: 100 })
  recipientId: string | null;

  /** Distribution channel that earns the commission (prefix `chan`); null if none. */
  @Id('chan')
  channelId: string | null;

  /** Model that computes `amountCents`. */
  @OneOf(COMMISSION_MODELS)
  commissionModel: CommissionModel;

  /** Basis of a percentage; null for other models. */
  @OneOf(COMMISSION_BASES)
  basis: CommissionBasis | null;

  /** Rate in basis points, 1250 is 12.5 %; null for models without a rate. */
  @Whole({ min: 0, max: 10_000 })
  rateBasisPoints: number | null;

  /** Amount of a `fixed` commission as sent; null for other models. */
  @Cents()
  fixedCents: number | null;

  /** True if the fixed amount applies to each unit of the item. */
  @Flag()
  perUnit: boolean;

  /** Net rate for the whole quantity; null unless the model is `net`. */
  @Cents()
  netRateCents: number | null;

  /** Earned amount, computed by the server; negative on a line that adjusts a paid commission downwards. */
  @Cents({ min: Number.MIN_SAFE_INTEGER })
  amountCents: number;

  /** Currency of the booking item, ISO 4217. */
  @CurrencyCode()
  currency: string;

  /** Amount from which `amountCents` was computed, for example the price without tax. */
  @Cents()
  baseCents: number;

  /** When the amount was last computed with a different result. */
  @Instant()
  computedAt: string;

  /** Condition for payout: booking `paid_in_full`, `departed`, or `both`. */
  @OneOf(PAYABLE_TRIGGERS)
  payableTrigger: PayableTrigger;

  /**
   * `pending` until the booking is confirmed, `accrued` until the trigger is met, then `payable`; set by the server.
   * A `paid` commission becomes `payable` again if its payout is reversed; `void` is final.
   */
  @OneOf(COMMISSION_STATUSES)
  status: CommissionStatus;

  /** Time at which the trigger was met; null until then. */
  @Instant()
  payableAt: string | null;

  /** Day on which it was paid out; null until then. */
  @IsoDate()
  paidOn: string | null;

  /** When the payout was recorded; null until then. */
  @Instant()
  paidAt: string | null;

  /** Reference of the payout; null if none was given. */
  @Text({ max: 255 })
  payoutReference: string | null;

  /** When the commission was voided; null unless its status is `void`. */
  @Instant()
  voidedAt: string | null;

  /** Reason for the voiding; null unless its status is `void`. */
  @Text({ max: 2000 })
  voidReason: string | null;

  /** Paid commission whose amount this line adjusts (prefix `comm`); null for ordinary lines. */
  @Id('comm')
  adjustsId: string | null;

  /** The change after the payout; null for ordinary lines, and for adjusting lines of earlier releases. */
  @OneOf(ADJUST_REASONS)
  adjustReason: AdjustReason | null;

  /** Internal notes of staff; null if there are none. */
  @Text({ min: 0, max: 2000 })
  notes: string | null;

  @Version()
  version: number;

  @Instant()
  createdAt: string;

  @Instant()
  updatedAt: string;
}

export function toCommission(line: CommissionLine): CommissionResponse {
  return respond(CommissionResponse, line);
}

export class CommissionEnvelope extends dataOf(CommissionResponse) {}
/** A commission in the list of all, with names beside its IDs. */
class CommissionRow extends withNames(CommissionResponse, 'bookingId', 'channelId') {}

export class CommissionPage extends pageOf(CommissionRow) {}

/** All commissions of a booking item, without paging. */
export class CommissionList {
  /** Commissions newest first: at most 50 and their adjusting lines. */
  @ListOf(() => CommissionResponse, { max: 100 })
  data: CommissionResponse[];
}
