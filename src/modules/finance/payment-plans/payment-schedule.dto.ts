import { dataOf, PageQuery, pageOf, patchOf } from '../../../platform/http/dto.js';
import { Cents, Clearable, Id, Ignored, OneOf, Optional, Text } from '../../../platform/http/fields.js';
import { QueryFlag } from '../../../platform/http/query-fields.js';
import { CurrencyCode, IsoDate } from '../../../platform/http/trade-fields.js';
import {
  type PaymentSchedule,
  SCHEDULE_BASES,
  SCHEDULE_STATUSES,
  SCHEDULE_TYPES,
  type ScheduleBasis,
  type ScheduleStatus,
  type ScheduleType,
} from './payment-schedule.entity.js';
import { type Rebalance, REBALANCES } from './rebalance.js';
import { ScheduleFacts, toScheduleFacts } from './schedule-facts.dto.js';

class ScheduleTerms {
  /** @example "Second installment" */
  @Text({ max: 120 })
  label: string;

  /** Not after the departure, unless the query allows it; may lie in the past.
   * @example "2027-03-01" */
  @IsoDate()
  dueDate: string;

  /** In the minor unit of the booking's currency; not under what is paid.
   * @example 20000 */
  @Cents({ min: 1 })
  amountCents: number;

  /** @example "Agreed on the phone" */
  @Clearable()
  @Text({ min: 0, max: 2000, multiline: true })
  notes?: string | null;
}

export class CreatePaymentSchedule extends ScheduleTerms {
  @Ignored()
  id?: undefined;

  /** `installment` unless given.
   * @example "installment" */
  @Optional()
  @OneOf(SCHEDULE_TYPES)
  type?: ScheduleType;
}

/** `id`, `bookingId` and `currency` may be sent back as they were read. */
export class UpdatePaymentSchedule extends patchOf(ScheduleTerms) {
  @Optional()
  @Id('psch')
  id?: string;

  @Optional()
  @Id('book')
  bookingId?: string;

  @Optional()
  @CurrencyCode()
  currency?: string;

  /** `paid` records a payment over what is outstanding; `cancelled` moves the amount to the last other open installment,
   * or waives it; `pending` restores a cancelled one. */
  @Optional()
  @OneOf(SCHEDULE_STATUSES)
  status?: ScheduleStatus;
}

export class DepartureQuery {
  /** Lets the due date lie after the departure. */
  @Optional()
  @QueryFlag()
  allowAfterDeparture?: boolean;
}

export class PatchQuery extends DepartureQuery {
  /** What balances a changed amount: the last other open installment (unless given), or nothing. */
  @Optional()
  @OneOf(REBALANCES)
  rebalance?: Rebalance;
}

export class ListPaymentSchedules extends PageQuery {
  @Optional()
  @OneOf(SCHEDULE_STATUSES)
  status?: ScheduleStatus;

  /** Due on this day or later. */
  @Optional()
  @IsoDate()
  dueFrom?: string;

  /** Due on this day or earlier. */
  @Optional()
  @IsoDate()
  dueTo?: string;
}

export class PaymentScheduleResponse extends ScheduleFacts {
  /** What is still to be collected: 0 on a cancelled entry, else amountCents - paidCents. */
  @Cents()
  outstandingCents: number;

  /** What it came from: a step that counts from the booking or the departure, the whole amount at once, a change of the
   * booking's items, or staff. */
  @OneOf(SCHEDULE_BASES)
  basis: ScheduleBasis;
}

/** `today` is the organization's calendar day. */
export function toPaymentSchedule(schedule: PaymentSchedule, today: string): PaymentScheduleResponse {
  return {
    ...toScheduleFacts(schedule),
    status: schedule.effectiveStatus(today),
    outstandingCents: schedule.outstandingCents(),
    basis: schedule.basis,
  };
}

export class PaymentScheduleEnvelope extends dataOf(PaymentScheduleResponse) {}
export class PaymentSchedulePage extends pageOf(PaymentScheduleResponse) {}
