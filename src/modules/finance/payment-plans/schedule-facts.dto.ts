import { Cents, Flag, Id, Nullable, OneOf, Text, Version, Whole } from '../../../platform/http/fields.js';
import { CurrencyCode, Instant, IsoDate } from '../../../platform/http/trade-fields.js';
import {
  type PaymentSchedule,
  SCHEDULE_STATUSES,
  SCHEDULE_TYPES,
  type ScheduleStatus,
  type ScheduleType,
} from './payment-schedule.entity.js';

/** What the ledger keeps of an entry: its columns, the status as stored. */
export class ScheduleFacts {
  @Id('psch')
  id: string;

  @Id('book')
  bookingId: string;

  @Text({ max: 120 })
  label: string;

  @IsoDate()
  dueDate: string;

  @Cents({ min: 1 })
  amountCents: number;

  @CurrencyCode()
  currency: string;

  /** `overdue` is a pending entry whose due date has passed in the organization's time zone. */
  @OneOf(SCHEDULE_STATUSES)
  status: ScheduleStatus;

  @OneOf(SCHEDULE_TYPES)
  type: ScheduleType;

  /** The sum of the payments that settle it. */
  @Cents()
  paidCents: number;

  /** Cancelled without moving its amount elsewhere: nobody will collect it. */
  @Flag()
  waived: boolean;

  @Nullable()
  @Text({ min: 0, max: 2000, multiline: true })
  notes: string | null;

  /** 1 for the first of its plan. */
  @Whole({ min: 1, max: 2_147_483_647 })
  position: number;

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
