import { dataOf, pageOf, PageQuery } from '../../../../platform/http/dto.js';
import {
  Cents,
  Id,
  ListOf,
  Nested,
  OneOf,
  Optional,
  Text,
  Texts,
  Version,
  Whole,
} from '../../../../platform/http/fields.js';
import { CurrencyCode, Instant, IsoDate } from '../../../../platform/http/trade-fields.js';
import { AnyOf, Deprecated, SortBy } from '../../../../platform/http/query-fields.js';
import { respond } from '../../../../platform/http/respond.js';
import { withNames } from '../../../../platform/http/row-names.js';
import {
  type BookingCancellation,
  CANCELLATION_INITIATORS,
  CANCELLATION_OUTCOMES,
  REFUND_TYPES,
} from '../../../bookings/index.js';
import {
  type CancellationSettlement,
  SETTLEMENT_STATUSES,
  type SettlementStatus,
} from './cancellation-settlement.entity.js';
import { type Method, METHODS } from '../../books/index.js';
import type { SettlementView } from './settlements.service.js';

type Cost = BookingCancellation['cost'];
type Line = Cost['lines'][number];

export class ListSettlements extends PageQuery {
  /** Only settlements in one of these states. */
  @Optional()
  @AnyOf(SETTLEMENT_STATUSES)
  status?: SettlementStatus[];

  /** Only settlements whose refund is due on this day or later. */
  @Optional()
  @IsoDate()
  dueFrom?: string;

  /** Only settlements whose refund is due on this day or earlier. */
  @Optional()
  @IsoDate()
  dueTo?: string;

  /** Only settlements whose refund is due before this day. Use `dueTo`, which includes its day. */
  @Deprecated()
  @Optional()
  @IsoDate()
  dueBefore?: string;

  /** Sort field, `-createdAt` by default; a leading `-` means descending order. */
  @Optional()
  @SortBy(['createdAt', 'refundDueOn'])
  sort?: string;
}

/** The refund of the money that exceeds the fee. */
export class SettlementRefund {
  /**
   * Method of the refund.
   * @example "bank_transfer"
   */
  @OneOf(METHODS)
  method: Method;

  /**
   * Reason, stored with the refund and the action ledger entry.
   * @example "The customer fell ill"
   */
  @Text({ max: 2000, multiline: true })
  reason: string;

  /** Receipt whose money is refunded (prefix `pay`); required for `card`. By default the latest receipts. */
  @Optional()
  @Id('pay')
  paymentId?: string;
}

/** The fee and the use of the rest; without members the computed fee applies. */
export class SettleCancellation {
  /**
   * The agreed fee, at most the booking's total before the cancellation. The computed fee by default; another one requires
   * `feeReason` and the scope `finance:approve`.
   * @example 0
   */
  @Optional()
  @Cents()
  agreedFeeCents?: number;

  /**
   * Reason for agreeing on a fee other than the computed one.
   * @example "Goodwill for a regular guest"
   */
  @Optional()
  @Text({ max: 2000, multiline: true })
  feeReason?: string;

  /**
   * Whether the money beyond the fee is refunded or kept as a credit of the customer; by default as the terms define.
   * @example "refund"
   */
  @Optional()
  @OneOf(CANCELLATION_OUTCOMES)
  outcome?: Cost['outcome'];

  /** The refund of the rest; a bank transfer by default. */
  @Optional()
  @Nested(() => SettlementRefund)
  refund?: SettlementRefund;
}

/** The fee for the items to which one version of the terms applies. */
export class CancellationFeeLine {
  /** The version of the cancellation policy; null for items without one. */
  @Id('polv')
  policyVersionId: string | null;

  /** Position of the applied rule; null if none matched. */
  @Whole({ min: 0, max: 999 })
  rulePosition: number | null;

  /** Calendar days from the cancellation to the departure, negative after it; null without a departure date. */
  @Whole({ min: -200_000, max: 200_000 })
  daysBefore: number | null;

  /** Price of the refundable items, to which the rule is applied. */
  @Cents({ min: Number.MIN_SAFE_INTEGER })
  baseCents: number;

  /** Refunded share of the base in hundredths of a percent; null if the rule states none. */
  @Whole({ min: 0, max: 10_000 })
  refundBasisPoints: number | null;

  /** The fee, including items that are not refundable; null if staff must decide it. */
  @Cents({ min: Number.MIN_SAFE_INTEGER })
  feeCents: number | null;

  /** Form of the refund that the rule states; null if it states none. */
  @OneOf(REFUND_TYPES)
  refundType: Line['refundType'];
}

/** The result that settling would have now. */
export class SettlementPreview {
  /** Draft invoices that would be deleted. */
  @Texts({ max: 1000, maxLength: 31 })
  deletedInvoiceIds: string[];

  /** Invoices that would be credited in full. */
  @Texts({ max: 1000, maxLength: 31 })
  creditedInvoiceIds: string[];

  /** Money received for the booking, less refunds. */
  @Cents()
  receivedCents: number;

  /** Amount of the fee that the customer would still owe; null if staff must decide the fee. */
  @Cents()
  openFeeCents: number | null;

  /** Amount that would be refunded or kept as a credit; null if staff must decide the fee. */
  @Cents()
  restCents: number | null;
}

/**
 * The settlement of a cancelled booking: the fee, and the credited, billed and refunded amounts. Amounts are in minor units.
 */
export class SettlementSummary {
  @Id('cset')
  id: string;

  @Id('book')
  bookingId: string;

  /** Currency of the booking, ISO 4217. */
  @CurrencyCode()
  currency: string;

  /** `open` until it is settled, which is final. */
  @OneOf(SETTLEMENT_STATUSES)
  status: SettlementStatus;

  /** Day on which the cancellation was declared. */
  @IsoDate()
  cancelledOn: string;

  /** Party that ended the sale. */
  @OneOf(CANCELLATION_INITIATORS)
  initiator: BookingCancellation['initiator'];

  /** The booking's total when it was cancelled; the fee never exceeds it. */
  @Cents()
  totalCents: number;

  /** Computation of the fee by the terms of the confirmation. */
  @ListOf(() => CancellationFeeLine, { max: 4000 })
  lines: CancellationFeeLine[];

  /** `no_cancellation_terms`: no cancellation policy applies to some of the items, or the booking was a draft. */
  @Texts({ max: 10, maxLength: 50 })
  warnings: string[];

  /** The fee by the terms; null if they do not determine it. It never changes. */
  @Cents()
  computedFeeCents: number | null;

  /** The fee that applies: the computed one or the agreed one. Null until staff have decided it. */
  @Cents()
  agreedFeeCents: number | null;

  /** Reason for agreeing on a fee other than the computed one; null otherwise. */
  @Text({ max: 2000 })
  feeReason: string | null;

  /** Whether the money beyond the fee is refunded or kept as a credit. */
  @OneOf(CANCELLATION_OUTCOMES)
  outcome: Cost['outcome'];

  /** Day by which a refund is due. */
  @IsoDate()
  refundDueOn: string;

  /** Money beyond the fee at the time of the settlement; null until settled. */
  @Cents()
  restCents: number | null;

  /** Installment for the fee (prefix `psch`); null until settled or if there is no fee. */
  @Id('psch')
  feeScheduleId: string | null;

  /** Invoice for the fee (prefix `inv`); null until settled or if there is no fee. */
  @Id('inv')
  feeInvoiceId: string | null;

  /** Requested refund of the rest (prefix `pay`); null until settled or if there is none. */
  @Id('pay')
  refundId: string | null;

  /** Day of the settlement; null until settled. */
  @IsoDate()
  settledOn: string | null;

  @Version()
  version: number;

  @Instant()
  createdAt: string;

  @Instant()
  updatedAt: string;
}

/** A settlement with a preview of settling it. */
export class SettlementResponse extends SettlementSummary {
  /** The result that settling would have now; null once it is settled. */
  @Nested(() => SettlementPreview)
  preview: SettlementPreview | null;
}

export class SettlementEnvelope extends dataOf(SettlementResponse) {}
/** A settlement in a list, with names beside its IDs. */
class SettlementRow extends withNames(SettlementSummary, 'bookingId') {}

export class SettlementPage extends pageOf(SettlementRow) {}

export function toSettlementSummary(settlement: CancellationSettlement): SettlementSummary {
  return respond(SettlementSummary, settlement, { lines: settlement.lines.map(toLine) });
}

export function toSettlement({ settlement, preview }: SettlementView): SettlementResponse {
  return { ...toSettlementSummary(settlement), preview };
}

function toLine(line: Line): CancellationFeeLine {
  return respond(CancellationFeeLine, line);
}
