import { Body, Controller, Get, Patch, Post, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { RequireScope } from '../../../platform/auth/access.js';
import { created, tagged } from '../../../platform/http/answer.js';
import { pageBounds } from '../../../platform/http/dto.js';
import { PathId } from '../../../platform/http/path-id.js';
import { ChangeTarget, type Target } from '../../../platform/http/target.js';
import { Mutates } from '../../../platform/idempotency/mutates.js';
import { BodyExample, Refuses } from '../../../platform/openapi/errors.js';
import { NewPaymentSchedules } from './new-payment-schedules.service.js';
import {
  CreatePaymentSchedule,
  DepartureQuery,
  ListPaymentSchedules,
  PatchQuery,
  PaymentScheduleEnvelope,
  PaymentSchedulePage,
  UpdatePaymentSchedule,
} from './payment-schedule.dto.js';
import { PaymentScheduleReader } from './payment-schedule-reader.service.js';
import { PaymentSchedules } from './payment-schedules.service.js';

@ApiTags('Payment schedules')
@Controller('/v1/admin/finance/bookings/:bookingId/payment-schedules')
export class PaymentSchedulesController {
  constructor(
    private readonly schedules: PaymentSchedules,
    private readonly fresh: NewPaymentSchedules,
    private readonly reader: PaymentScheduleReader,
  ) {}

  /** Lists the installments of a booking's payment plan, by due date */
  @Get()
  @RequireScope('finance:read')
  async list(
    @PathId('book', 'bookingId', 20) bookingId: string,
    @Query() query: ListPaymentSchedules,
  ): Promise<PaymentSchedulePage> {
    const { schedules, total } = await this.reader.list(bookingId, query);
    return { data: schedules, total, ...pageBounds(query) };
  }

  /** Adds an installment, which takes its amount from the last open one; without a plan it begins one */
  @Post()
  @RequireScope('finance:write')
  @Mutates('finance.payment_schedule.create')
  @Refuses({
    409: ['booking_closed', 'booking_not_priced', 'schedule_limit_reached'],
    422: ['plan_total_mismatch', 'due_date_after_departure'],
  })
  async create(
    @PathId('book', 'bookingId', 21) bookingId: string,
    @Body() body: CreatePaymentSchedule,
    @Query() query: DepartureQuery,
  ): Promise<PaymentScheduleEnvelope> {
    const schedule = this.reader.view(await this.fresh.create(bookingId, body, query));
    const path = `/v1/admin/finance/bookings/${bookingId}/payment-schedules/${schedule.id}`;
    return created(path, schedule, { data: schedule });
  }

  /** Reads an installment */
  @Get(':scheduleId')
  @RequireScope('finance:read')
  async get(
    @PathId('book', 'bookingId', 20) bookingId: string,
    @PathId('psch', 'scheduleId') scheduleId: string,
  ): Promise<PaymentScheduleEnvelope> {
    const schedule = await this.reader.get(bookingId, scheduleId);
    return tagged(schedule, { data: schedule });
  }

  /** Changes an installment; the others keep the plan equal to the booking's total */
  @Patch(':scheduleId')
  @RequireScope('finance:write')
  @Mutates('finance.payment_schedule.update')
  @BodyExample({ label: 'Second installment', amountCents: 20_000 })
  @Refuses({
    409: [
      'booking_closed',
      'currency_immutable',
      'schedule_paid',
      'schedule_cancelled',
      'schedule_invoiced',
      'schedule_has_payments',
      'invalid_transition',
    ],
    422: ['amount_below_paid', 'plan_total_mismatch', 'due_date_after_departure'],
  })
  async update(
    @ChangeTarget({ bookingId: ['book', 22], scheduleId: ['psch', 3] }) target: Target<'bookingId' | 'scheduleId'>,
    @Body() body: UpdatePaymentSchedule,
    @Query() query: PatchQuery,
  ): Promise<PaymentScheduleEnvelope> {
    const schedule = this.reader.view(await this.schedules.update(target, body, query));
    return tagged(schedule, { data: schedule });
  }
}
