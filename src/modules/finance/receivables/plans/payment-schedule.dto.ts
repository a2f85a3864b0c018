import { dataOf, pageOf, PageQuery, patchOf } from '../../../../platform/http/dto.js';
import {
  Cents,
  Clearable,
  Flag,
  Id,
  Ignored,
  Nullable,
  OneOf,
  Optional,
  Text,
  Texts,
  Version,
  Whole,
} from '../../../../platform/http/fields.js';
import { AnyOf, QueryFlag, SortBy } from '../../../../platform/http/query-fields.js';
import { respond } from '../../../../platform/http/respond.js';
import { CurrencyCode, Instant, IsoDate } from '../../../../platform/http/trade-fields.js';
import {
  ADDABLE_SCHEDULE_TYPES,
  type AddableScheduleType,
  DATE_SOURCES,
  type DateSource,
  type PaymentSchedule,
  SCHEDULE_BASES,
  SCHEDULE_STATUSES,
  SCHEDULE_TYPES,
  type ScheduleBasis,
  type ScheduleStatus,
  type ScheduleType,
} from '../account/payment-schedule.entity.js';
import { type Rebalance, REBALANCES } from './rebalance.js';

class ScheduleTerms {
  /**
   * Name of the installment, as shown to the customer.
   * @example "Second installment"
   */
  @Text({ max: 120 })
  label: string;

  /**
   * Payment deadline; may be in the past. After the departure only with `allowAfterDeparture`.
   * @example "2027-03-01"
   */
  @IsoDate()
  dueDate: string;

  /**
   * Amount in minor units of the booking currency; not below the paid amount.
   * @example 20000
   */
  @Cents({ min: 1 })
  amountCents: number;

  /**
   * Internal notes of staff; null if there are none.
   * @example "Agreed on the phone"
   */
  @Clearable()
  @Text({ min: 0, max: 2000, multiline: true })
  notes?: string | null;
}

/** A new installment of a booking's payment plan. */
export class CreatePaymentSchedule extends ScheduleTerms {
  @Ignored()
  id?: undefined;

  /**
   * Type of the installment in the plan; `installment` by default.
   * @example "installment"
   */
  @Optional()
  @OneOf(ADDABLE_SCHEDULE_TYPES)
  type?: AddableScheduleType;
}

/** The fields of an installment to change. `id`, `bookingId` and `currency` are accepted if unchanged. */
export class UpdatePaymentSchedule extends patchOf(ScheduleTerms) {
  /** Accepted only if it is the installment's own ID (prefix `psch`). */
  @Optional()
  @Id('psch')
  id?: string;

  /** Accepted only if it is the installment's own booking (prefix `book`). */
  @Optional()
  @Id('book')
  bookingId?: string;

  /** Accepted only if it is the booking currency. */
  @Optional()
  @CurrencyCode()
  currency?: string;

  /**
   * `paid` records a payment of the outstanding amount; `cancelled` moves it to the last other open installment, or waives it;
   * `pending` restores a cancelled installment. `overdue` cannot be set.
   */
  @Optional()
  @OneOf(SCHEDULE_STATUSES)
  status?: ScheduleStatus;

  /** Reason for waiving the installment; stored only if it is waived. */
  @Clearable()
  @Text({ max: 2000, multiline: true })
  waiveReason?: string | null;
}

/** The reason for waiving the rest of an installment. The body may be omitted. */
export class WriteOffDifference {
  /**
   * Reason, stored with the waived installment and the action ledger entry.
   * @example "Bank charges"
   */
  @Optional()
  @Text({ max: 2000, multiline: true })
  reason?: string;
}

export class DepartureQuery {
  /** Accept a due date after the departure; false by default. */
  @Optional()
  @QueryFlag()
  allowAfterDeparture?: boolean;
}

export class PatchQuery extends DepartureQuery {
  /** Way of balancing a changed amount: with the last other open installment (`last_open`, default) or not at all (`none`). */
  @Optional()
  @OneOf(REBALANCES)
  rebalance?: Rebalance;
}

export class ListPaymentSchedules extends PageQuery {
  /** Only installments in one of these statuses. */
  @Optional()
  @AnyOf(SCHEDULE_STATUSES)
  status?: ScheduleStatus[];

  /** Only installments due on this day or later. */
  @Optional()
  @IsoDate()
  dueFrom?: string;

  /** Only installments due on this day or earlier. */
  @Optional()
  @IsoDate()
  dueTo?: string;

  /** Sort field, `dueDate` by default; a leading `-` means descending order. */
  @Optional()
  @SortBy(['dueDate'])
  sort?: string;
}

/** One installment as the action ledger stores it. */
export class StoredInstallment {
  @Id('psch')
  id: string;

  @Id('book')
  bookingId: string;

  /** Name of the installment, as shown to the customer. */
  @Text({ max: 120 })
  label: string;

  /** Payment deadline. */
  @IsoDate()
  dueDate: string;

  /** Whether staff set the due date; a date of the policy follows a moved departure. */
  @Optional()
  @OneOf(DATE_SOURCES)
  dateSource?: DateSource;

  /** Amount of the installment, in minor units. */
  @Cents({ min: 1 })
  amountCents: number;

  /** Currency of the booking, ISO 4217. */
  @CurrencyCode()
  currency: string;

  /** `overdue` is a pending installment whose due date has passed in the organization's time zone. */
  @OneOf(SCHEDULE_STATUSES)
  status: ScheduleStatus;

  /** Type of the installment in the plan. */
  @OneOf(SCHEDULE_TYPES)
  type: ScheduleType;

  /** Sum of its payment allocations; set by the server. */
  @Cents()
  paidCents: number;

  /** True if it was cancelled without moving its amount to another installment. */
  @Flag()
  waived: boolean;

  /** Reason for the last waiver; null if none was given. */
  @Clearable()
  @Text({ max: 2000 })
  waiveReason?: string | null;

  /** Internal notes of staff; null if there are none. */
  @Nullable()
  @Text({ min: 0, max: 2000, multiline: true })
  notes: string | null;

  /** Order within the plan, starting at 1. */
  @Whole({ min: 1, max: 2_147_483_647 })
  position: number;

  /** Version of the plan that it belongs to, counted per booking. */
  @Whole({ min: 1, max: 2_147_483_647 })
  planVersion: number;

  @Version()
  version: number;

  @Instant()
  createdAt: string;

  @Instant()
  updatedAt: string;
}

/** One installment of a booking's payment plan. Amounts are in minor units of `currency`. */
export class PaymentScheduleResponse extends StoredInstallment {
  /** Origin of the due date: the policy, whose dates follow a moved departure, or staff. */
  @OneOf(DATE_SOURCES)
  declare dateSource: DateSource;

  /** Reason for the last waiver; null if none was given. */
  @Nullable()
  @Text({ max: 2000 })
  declare waiveReason: string | null;

  /** `amountCents` - `paidCents`; 0 for a cancelled installment. */
  @Cents()
  outstandingCents: number;

  /**
   * Origin: a policy step counted from the booking or the departure, the full amount at once, a change of the
   * booking's items, or staff.
   */
  @OneOf(SCHEDULE_BASES)
  basis: ScheduleBasis;

  /** `due_after_departure`: the installment is open and due after the departure of the booking. */
  @Texts({ max: 10, maxLength: 100 })
  warnings: string[];
}

/** An installment with the departure of its booking. */
export interface InstallmentView {
  installment: PaymentSchedule;
  departureDate: string | null;
}

/** `today` is the organization's calendar day. */
export function toPaymentSchedule(
  { installment, departureDate }: InstallmentView,
  today: string,
): PaymentScheduleResponse {
  return respond(PaymentScheduleResponse, installment, {
    status: installment.effectiveStatus(today),
    outstandingCents: installment.outstandingCents(),
    warnings: installment.isDueAfter(departureDate) ? ['due_after_departure'] : [],
  });
}

export class PaymentScheduleEnvelope extends dataOf(PaymentScheduleResponse) {}
export class PaymentSchedulePage extends pageOf(PaymentScheduleResponse) {}
