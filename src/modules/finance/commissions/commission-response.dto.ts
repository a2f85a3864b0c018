import { dataOf } from '../../../platform/http/dto.js';
import { Cents, Flag, Id, ListOf, OneOf, Text, Version, Whole } from '../../../platform/http/fields.js';
import { CurrencyCode, Instant, IsoDate } from '../../../platform/http/trade-fields.js';
import {
  COMMISSION_STATUSES,
  type CommissionLine,
  type CommissionStatus,
  PAYABLE_TRIGGERS,
  type PayableTrigger,
  RECIPIENT_TYPES,
  type RecipientType,
} from './commission-line.entity.js';
import { COMMISSION_BASES, COMMISSION_MODELS, type CommissionBasis, type CommissionModel } from './commission-terms.js';

export class CommissionResponse {
  @Id('comm')
  id: string;

  @Id('book')
  bookingId: string;

  @Id('bkit')
  bookingItemId: string;

  @OneOf(RECIPIENT_TYPES)
  recipientType: RecipientType;

  @Text({ max: 255 })
  recipientName: string;

  @Text({ max: 100 })
  recipientId: string | null;

  @Id('chan')
  channelId: string | null;

  @OneOf(COMMISSION_MODELS)
  commissionModel: CommissionModel;

  @OneOf(COMMISSION_BASES)
  basis: CommissionBasis | null;

  @Whole({ min: 0, max: 10_000 })
  rateBasisPoints: number | null;

  /** What was given as the amount of a fixed commission. */
  @Cents()
  fixedCents: number | null;

  @Flag()
  perUnit: boolean;

  @Cents()
  netRateCents: number | null;

  /** What is earned, of every model; below 0 where it takes back what was paid. */
  @Cents({ min: Number.MIN_SAFE_INTEGER })
  amountCents: number;

  /** The item's. */
  @CurrencyCode()
  currency: string;

  /** What amountCents was computed from. */
  @Cents()
  baseCents: number;

  @Instant()
  computedAt: string;

  @OneOf(PAYABLE_TRIGGERS)
  payableTrigger: PayableTrigger;

  @OneOf(COMMISSION_STATUSES)
  status: CommissionStatus;

  @Instant()
  payableAt: string | null;

  @IsoDate()
  paidOn: string | null;

  @Instant()
  paidAt: string | null;

  @Text({ max: 255 })
  payoutReference: string | null;

  @Instant()
  voidedAt: string | null;

  @Text({ max: 2000 })
  voidReason: string | null;

  /** The paid commission that this one takes back. */
  @Id('comm')
  reversesId: string | null;

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
  return {
    id: line.id,
    bookingId: line.bookingId,
    bookingItemId: line.bookingItemId,
    recipientType: line.recipientType,
    recipientName: line.recipientName,
    recipientId: line.recipientId,
    channelId: line.channelId,
    commissionModel: line.commissionModel,
    basis: line.basis,
    rateBasisPoints: line.rateBasisPoints,
    fixedCents: line.fixedCents,
    perUnit: line.perUnit,
    netRateCents: line.netRateCents,
    amountCents: line.amountCents,
    currency: line.currency,
    baseCents: line.baseCents,
    computedAt: line.computedAt.toISOString(),
    payableTrigger: line.payableTrigger,
    status: line.status,
    payableAt: line.payableAt?.toISOString() ?? null,
    paidOn: line.paidOn,
    paidAt: line.paidAt?.toISOString() ?? null,
    payoutReference: line.payoutReference,
    voidedAt: line.voidedAt?.toISOString() ?? null,
    voidReason: line.voidReason,
    reversesId: line.reversesId,
    notes: line.notes,
    version: line.version,
    createdAt: line.createdAt.toISOString(),
    updatedAt: line.updatedAt.toISOString(),
  };
}

export class CommissionEnvelope extends dataOf(CommissionResponse) {}

/** Not paged: an item has at most 50, and as many that take one back. */
export class CommissionList {
  @ListOf(() => CommissionResponse, { max: 100 })
  data: CommissionResponse[];
}
