import { Body, Controller, HttpCode, Post } from '@nestjs/common';
import { ApiBody, ApiOperation } from '@nestjs/swagger';
import { RequireScope } from '../../../../platform/auth/access.js';
import { PathId } from '../../../../platform/http/path-id.js';
import { Mutates } from '../../../../platform/idempotency/mutates.js';
import { LimitOperation } from '../../../../platform/admission/request-shares.js';
import { BodyExample, Refuses } from '../../../../platform/http/route-errors.js';
import { CollectionPlanEnvelope, CollectionPlanRequest } from './collection-plan.dto.js';
import { ApiGroup } from '../../../../platform/http/api-group.js';
import { CollectionPlansService } from './collection-plans.service.js';

@ApiGroup('Payment schedules', {
  position: 50,
  description: 'Staff: installments of a booking, the policy that they follow, and the reminders of due amounts.',
})
@Controller('/v1/admin/finance/bookings/:bookingId/collection-plan')
export class CollectionPlansController {
  constructor(private readonly plans: CollectionPlansService) {}

  /**
   * Get the amount to collect for a booking
   *
   * @remarks Returns the payment plan of a booking and the amount to collect now: the requested amount or installment,
   * otherwise everything due until today, otherwise the next installment. If the booking has no plan, one is computed from
   * `policy`, the booking's or the organization's policy and, unless `materialize` is false, stored as installments. The body
   * may be omitted. Cancelled bookings are rejected, as are bookings without items and amounts above the outstanding one.
   */
  @ApiOperation({ operationId: 'collectionPlans_create' })
  @Post()
  @HttpCode(200)
  @RequireScope('finance:write')
  @Mutates('finance.payment_plan.materialize', { irreversible: 'Installments are changed or waived one by one' })
  @ApiBody({ type: CollectionPlanRequest, required: false })
  @BodyExample({ method: 'bank_transfer', stage: 'initial' })
  @Refuses({
    409: ['booking_closed', 'booking_not_priced'],
    422: ['invalid_payment_policy', 'amount_exceeds_outstanding'],
  })
  @LimitOperation({
    name: 'collection-plan-preview',
    maxConcurrent: 16,
    when: ({ materialize }) => materialize === false,
  })
  async collect(
    @PathId('book', 'bookingId', 23) bookingId: string,
    @Body() body: CollectionPlanRequest,
  ): Promise<CollectionPlanEnvelope> {
    return { data: await this.plans.collect(bookingId, body) };
  }
}
