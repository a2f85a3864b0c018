import { OmitType } from '@nestjs/swagger';
import { patchOf } from '../../../platform/http/dto.js';
import { Cents, Clearable, Flag, Id, Ignored, OneOf, Optional, Text, Whole } from '../../../platform/http/fields.js';
import { IsoDate } from '../../../platform/http/trade-fields.js';
import {
  COMMISSION_STATUSES,
  type CommissionStatus,
  PAYABLE_TRIGGERS,
  type PayableTrigger,
  RECIPIENT_TYPES,
  type RecipientType,
} from './commission-line.entity.js';
import { COMMISSION_BASES, COMMISSION_MODELS, type CommissionBasis, type CommissionModel } from './commission-terms.js';

export class CreateCommission {
  @Ignored()
  id?: undefined;

  /** @example "agency" */
  @OneOf(RECIPIENT_TYPES)
  recipientType: RecipientType;

  /** @example "Alpine Resellers" */
  @Text({ max: 255 })
  recipientName: string;

  /** Whatever you know the recipient by.
   * @example "AR-17" */
  @Clearable()
  @Text({ max: 100 })
  recipientId?: string | null;

  /** The distribution channel that earns it; not an archived one.
   * @example "chan_01k0dem000e000000000000002" */
  @Clearable()
  @Id('chan')
  channelId?: string | null;

  /** `percentage` unless given.
   * @example "percentage" */
  @Optional()
  @OneOf(COMMISSION_MODELS)
  commissionModel?: CommissionModel;

  /** What a percentage is of: `net_sell` (without tax) unless given. Of no other model.
   * @example "net_sell" */
  @Optional()
  @OneOf(COMMISSION_BASES)
  basis?: CommissionBasis;

  /** Hundredths of a percent; needed by percentage and markup.
   * @example 1250 */
  @Optional()
  @Whole({ min: 0, max: 10_000 })
  rateBasisPoints?: number;

  /** The amount of a fixed commission, in the item's currency; all others are computed. */
  @Optional()
  @Cents()
  amountCents?: number;

  /** Whether a fixed amount is for each unit of the item; false unless given. */
  @Optional()
  @Flag()
  perUnit?: boolean;

  /** Needed by net: the recipient keeps what the price exceeds it by. */
  @Optional()
  @Cents()
  netRateCents?: number;

  /** What must have come about before it may be paid out; `paid_in_full` unless given.
   * @example "both" */
  @Optional()
  @OneOf(PAYABLE_TRIGGERS)
  payableTrigger?: PayableTrigger;

  /** @example "Agreed by phone" */
  @Clearable()
  @Text({ min: 0, max: 2000, multiline: true })
  notes?: string | null;
}

/** Another model needs its own inputs again; those of the former one are dropped. */
export class UpdateCommission extends patchOf(
  OmitType(CreateCommission, ['id', 'basis', 'recipientName', 'rateBasisPoints'] as const),
) {
  /** @example "Alpine Resellers GmbH" */
  @Optional()
  @Text({ max: 255 })
  recipientName?: string;

  @Optional()
  @OneOf(COMMISSION_BASES)
  basis?: CommissionBasis;

  /** @example 1000 */
  @Optional()
  @Whole({ min: 0, max: 10_000 })
  rateBasisPoints?: number;
}

export class VoidCommission {
  /** Kept with the commission and in the action ledger.
   * @example "Booked under the wrong partner" */
  @Text({ max: 2000, multiline: true })
  reason: string;
}

export class PayCommission {
  /** Not after today.
   * @example "2026-09-30" */
  @IsoDate()
  paidOn: string;

  /** @example "SEPA 2026-09-30/17" */
  @Clearable()
  @Text({ max: 255 })
  reference?: string | null;
}

export class ListCommissions {
  @Optional()
  @OneOf(COMMISSION_STATUSES)
  status?: CommissionStatus;

  @Optional()
  @Text({ max: 100 })
  recipientId?: string;
}
