import { Cents, Flag, Id, Nullable, OneOf, Text, Version, Whole } from '../../../platform/http/fields.js';
import { CurrencyCode, Instant, IsoDate } from '../../../platform/http/trade-fields.js';
import {
  type PaymentSchedule,
  SCHEDULE_STATUSES,
  SCHEDULE_TYPES,
  type ScheduleStatus,
  type ScheduleType,
} from './payment-schedule.entity.js';

/** One installment as stored in the action ledger, with the stored status. */
export class ScheduleFacts {
  @Id('psch')
  id: string;

  @Id('book')
  bookingId: string;

  /** Name of the installment as the customer reads it. */
  @Text({ max: 120 })
  label: string;

  /** Day until which the customer has to pay. */
  @IsoDate()
  dueDate: string;

  /** Amount of the installment, in minor units. */
  @Cents({ min: 1 })
  amountCents: number;

  /** Currency of the booking, ISO 4217. */
  @CurrencyCode()
  currency: string;

  /** `overdue` is a pending installment whose due date has passed in the organization's time zone. */
  @OneOf(SCHEDULE_STATUSES)
  status: ScheduleStatus;

  /** Role of the installment in the plan. */
  @OneOf(SCHEDULE_TYPES)
  type: ScheduleType;

  /** Sum of the payment allocations that settle it; set by the server. */
  @Cents()
  paidCents: number;

  /** True if it was cancelled without moving its amount to another installment. */
  @Flag()
  waived: boolean;

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

export function toScheduleFacts(schedule: PaymentSchedule): ScheduleFacts {
  return {
    id: schedule.id,
    bookingId: schedule.bookingId,
    label: schedule.label,
    dueDate: schedule.dueDate,
    amountCents: schedule.amountCents,
    currency: schedule.currency,
    status: schedule.status,
    type: schedule.type,
    paidCents: schedule.paidCents,
    waived: schedule.waived,
    notes: schedule.notes,
    position: schedule.position,
    planVersion: schedule.planVersion,
    version: schedule.version,
    createdAt: schedule.createdAt.toISOString(),
    updatedAt: schedule.updatedAt.toISOString(),
  };
}
