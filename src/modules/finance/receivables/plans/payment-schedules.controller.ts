import { Body, Controller, Get, HttpCode, Patch, Post, Query } from '@nestjs/common';
import { RequireScope } from '../../../../platform/auth/access.js';
import { Clock } from '../../../../platform/clock/clock.js';
import { ComputedNow, created, tagged } from '../../../../platform/http/response-headers.js';
import { pageBounds } from '../../../../platform/http/dto.js';
import { PathId } from '../../../../platform/http/path-id.js';
import { ChangeTarget, type Target } from '../../../../platform/http/if-match.js';
import { Mutates } from '../../../../platform/idempotency/mutates.js';
import { BodyExample, Refuses } from '../../../../platform/http/route-errors.js';
import { PaymentPlansService } from './payment-plans.service.js';
import { ApiGroup } from '../../../../platform/http/api-group.js';
import {
  CreatePaymentSchedule,
  DepartureQuery,
  ListPaymentSchedules,
  PatchQuery,
  PaymentScheduleEnvelope,
  PaymentSchedulePage,
  toPaymentSchedule,
  UpdatePaymentSchedule,
  WriteOffDifference,
} from './payment-schedule.dto.js';

@ApiGroup('Payment schedules')
@Controller('/v1/admin/finance/bookings/:bookingId/payment-schedules')
export class PaymentSchedulesController {
  constructor(
    private readonly plans: PaymentPlansService,
    private readonly clock: Clock,
  ) {}

  /**
   * List the installments of a booking
   *
   * @remarks Returns the installments of the booking's current payment plan by due date, cancelled ones included.
   */
  @Get()
  @RequireScope('finance:receivables')
  async list(
    @PathId('book', 'bookingId', 20) bookingId: string,
    @Query() query: ListPaymentSchedules,
  ): Promise<PaymentSchedulePage> {
    const { views, total } = await this.plans.list(bookingId, query);
    const today = this.clock.today();
    return { data: views.map((view) => toPaymentSchedule(view, today)), total, ...pageBounds(query) };
  }

  /**
   * Add an installment to a payment plan
   *
   * @remarks Adds an installment whose amount is taken from the other open installments, the latest first, so that the plan
   * still equals the booking total; it is rejected if they are too small. If the booking has no plan, one is created in which
   * the rest of the total is due on the same day. The due date must not be after the departure unless `allowAfterDeparture` is
   * true. Rejected for cancelled bookings, for bookings without items and beyond the maximum number of installments.
   */
  @Post()
  @RequireScope('finance:write')
  @Mutates('finance.payment_schedule.create', { irreversible: 'An installment stays in the plan: waive it' })
  @Refuses({
    409: ['booking_closed', 'booking_not_priced', 'schedule_limit_reached'],
    422: ['plan_total_mismatch', 'due_date_after_departure'],
  })
  async create(
    @PathId('book', 'bookingId', 21) bookingId: string,
    @Body() body: CreatePaymentSchedule,
    @Query() query: DepartureQuery,
  ): Promise<PaymentScheduleEnvelope> {
    const view = await this.plans.create(bookingId, body, query);
    const { installment } = view;
    const path = `/v1/admin/finance/bookings/${bookingId}/payment-schedules/${installment.id}`;
    return created(path, installment, { data: toPaymentSchedule(view, this.clock.today()) });
  }

  /**
   * Get an installment
   *
   * @remarks Returns an installment of the booking's current payment plan; an installment of another booking is not found.
   */
  @Get(':scheduleId')
  @ComputedNow()
  @RequireScope('finance:receivables')
  async get(
    @PathId('book', 'bookingId', 20) bookingId: string,
    @PathId('psch', 'scheduleId') scheduleId: string,
  ): Promise<PaymentScheduleEnvelope> {
    const view = await this.plans.get(bookingId, scheduleId);
    return tagged(view.installment, { data: toPaymentSchedule(view, this.clock.today()) });
  }

  /**
   * Update an installment
   *
   * @remarks Changes only the fields that are sent. A changed amount is balanced by the last other open installment, or not at
   * all with `rebalance=none`; the plan must equal the booking total. Setting `status` to `paid` records a payment of the
   * outstanding amount, `cancelled` moves the outstanding amount to the last other open installment or waives it, and `pending`
   * restores a cancelled installment. Waiving and restoring an installment have their own ledger actions. Paid, cancelled and
   * invoiced installments are restricted, and the amount must not be below the paid amount.
   */
  @Patch(':scheduleId')
  @RequireScope('finance:write')
  @Mutates('finance.payment_schedule.update', {
    alternatives: ['finance.payment_schedule.waive', 'finance.payment_schedule.unwaive'],
  })
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
    const view = await this.plans.update(target, body, query);
    return tagged(view.installment, { data: toPaymentSchedule(view, this.clock.today()) });
  }

  /**
   * Write off a small difference
   *
   * @remarks Waives the open amount of an installment, such as bank charges, if it is at most `toleranceCents` of the
   * accounting settings. The installment keeps the paid amount; the rest becomes a waived installment, which can be restored by
   * setting its status to `pending`. If an issued invoice requests it, credit it. Rejected for cancelled bookings and unless
   * the installment is open.
   */
  @Post(':scheduleId/small-difference')
  @HttpCode(200)
  @RequireScope('finance:write')
  @Mutates('finance.payment_schedule.write_off', {
    irreversible: 'The rest is a separate installment: reverse its waiver',
  })
  @Refuses({ 409: ['booking_closed', 'schedule_paid', 'schedule_cancelled', 'beyond_tolerance'] })
  async writeOff(
    @ChangeTarget({ bookingId: ['book', 22], scheduleId: ['psch', 3] }) target: Target<'bookingId' | 'scheduleId'>,
    @Body() { reason }: WriteOffDifference,
  ): Promise<PaymentScheduleEnvelope> {
    const view = await this.plans.writeOff(target, reason ?? null);
    return tagged(view.installment, { data: toPaymentSchedule(view, this.clock.today()) });
  }
}
