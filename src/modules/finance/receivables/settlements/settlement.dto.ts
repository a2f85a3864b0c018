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

  /** Sort field; a leading `-` means descending order, `-createdAt` by default. */
  @Optional()
  @SortBy(['createdAt', 'refundDueOn'])
  sort?: string;
}

/** How the money that exceeds the fee is paid back. */
export class SettlementRefund {
  /**
   * How the money is to be paid back.
   * @example "bank_transfer"
   */
  @OneOf(METHODS)
  method: Method;

  /**
   * Stored with the refund and the action ledger entry.
   * @example "The customer fell ill"
   */
  @Text({ max: 2000, multiline: true })
  reason: string;

  /** Receipt whose money goes back (prefix `pay`); required for `card`. Omitted: the latest receipts. */
  @Optional()
  @Id('pay')
  paymentId?: string;
}

/** The fee and the form of the rest; without members the computed fee applies. */
export class SettleCancellation {
  /**
   * The fee that was agreed, at most the booking's total before the cancellation. The computed fee by default; another one
   * requires `feeReason` and the scope `finance:approve`.
   * @example 0
   */
  @Optional()
  @Cents()
  agreedFeeCents?: number;

  /**
   * Why another fee than the computed one was agreed.
   * @example "Goodwill for a regular guest"
   */
  @Optional()
  @Text({ max: 2000, multiline: true })
  feeReason?: string;

  /**
   * Whether what exceeds the fee is refunded or stays as a credit of the customer; by default as the terms define.
   * @example "refund"
   */
  @Optional()
  @OneOf(CANCELLATION_OUTCOMES)
  outcome?: Cost['outcome'];

  /** How the rest is paid back; by default as a bank transfer. */
  @Optional()
  @Nested(() => SettlementRefund)
  refund?: SettlementRefund;
}

/** The fee for the items to which one version of the terms applies. */
export class CancellationFeeLine {
  /** The version of the cancellation policy; null for items to which none applies. */
  @Id('polv')
  policyVersionId: string | null;

  /** Position of the rule that decided; null if none matched. */
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

  /** The fee, with the items that are not refundable; null if staff have to decide it. */
  @Cents({ min: Number.MIN_SAFE_INTEGER })
  feeCents: number | null;

  /** Form of the refund by the rule; null if it states none. */
  @OneOf(REFUND_TYPES)
  refundType: Line['refundType'];
}

/** What settling would do now. */
export class SettlementPreview {
  /** Draft invoices that would be deleted. */
  @Texts({ max: 1000, maxLength: 31 })
  deletedInvoiceIds: string[];

  /** Invoices that would be credited in full. */
  @Texts({ max: 1000, maxLength: 31 })
  creditedInvoiceIds: string[];

  /** Money received for the booking and not paid back. */
  @Cents()
  receivedCents: number;

  /** What the customer would still owe of the fee; null if staff have to decide the fee. */
  @Cents()
  openFeeCents: number | null;

  /** What the customer would get back or keep as a credit; null if staff have to decide the fee. */
  @Cents()
  restCents: number | null;
}

/** The settlement of a cancelled booking: the fee, and what was credited, billed and refunded. Amounts are in minor units. */
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

  /** Who ended the sale. */
  @OneOf(CANCELLATION_INITIATORS)
  initiator: BookingCancellation['initiator'];

  /** The booking's total when it was cancelled; the fee never exceeds it. */
  @Cents()
  totalCents: number;

  /** How the fee was computed, by the terms of the confirmation. */
  @ListOf(() => CancellationFeeLine, { max: 4000 })
  lines: CancellationFeeLine[];

  /** `no_cancellation_terms`: no cancellation policy applies to some of the items, or the booking was a draft. */
  @Texts({ max: 10, maxLength: 50 })
  warnings: string[];

  /** The fee by the terms; null if they do not determine it. It never changes. */
  @Cents()
  computedFeeCents: number | null;

  /** The fee that applies: the computed one, or another one that was agreed. Null until staff have decided it. */
  @Cents()
  agreedFeeCents: number | null;

  /** Why another fee than the computed one was agreed; null otherwise. */
  @Text({ max: 2000 })
  feeReason: string | null;

  /** Whether what exceeds the fee is refunded or stays as a credit. */
  @OneOf(CANCELLATION_OUTCOMES)
  outcome: Cost['outcome'];

  /** Day by which a refund is due. */
  @IsoDate()
  refundDueOn: string;

  /** What exceeded the fee when it was settled; null before. */
  @Cents()
  restCents: number | null;

  /** Installment over the fee (prefix `psch`); null before settling and without a fee. */
  @Id('psch')
  feeScheduleId: string | null;

  /** Invoice over the fee (prefix `inv`); null before settling and without a fee. */
  @Id('inv')
  feeInvoiceId: string | null;

  /** Requested refund of the rest (prefix `pay`); null before settling and without one. */
  @Id('pay')
  refundId: string | null;

  /** Day on which it was settled; null before. */
  @IsoDate()
  settledOn: string | null;

  @Version()
  version: number;

  @Instant()
  createdAt: string;

  @Instant()
  updatedAt: string;
}

/** A settlement with what settling it would do. */
export class SettlementResponse extends SettlementSummary {
  /** What settling would do now; null once it is settled. */
  @Nested(() => SettlementPreview)
  preview: SettlementPreview | null;
}

export class SettlementEnvelope extends dataOf(SettlementResponse) {}
export class SettlementPage extends pageOf(SettlementSummary) {}

export function toSettlementSummary(settlement: CancellationSettlement): SettlementSummary {
  return respond(SettlementSummary, settlement, { lines: settlement.lines.map(toLine) });
}

export function toSettlement({ settlement, preview }: SettlementView): SettlementResponse {
  return { ...toSettlementSummary(settlement), preview };
}

function toLine(line: Line): CancellationFeeLine {
  return respond(CancellationFeeLine, line);
}
