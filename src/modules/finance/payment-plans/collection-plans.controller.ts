import { Body, Controller, HttpCode, Post } from '@nestjs/common';
import { ApiBody, ApiTags } from '@nestjs/swagger';
import { RequireScope } from '../../../platform/auth/access.js';
import { PathId } from '../../../platform/http/path-id.js';
import { Mutates } from '../../../platform/idempotency/mutates.js';
import { BodyExample, Refuses } from '../../../platform/openapi/errors.js';
import { CollectionPlanEnvelope, CollectionPlanRequest } from './collection-plan.dto.js';
import { CollectionPlans } from './collection-plans.service.js';

@ApiTags('Payment schedules')
@Controller('/v1/admin/finance/bookings/:bookingId/collection-plan')
export class CollectionPlansController {
  constructor(private readonly plans: CollectionPlans) {}

  /** Says what to collect from the customer and when; stores the plan as installments where the booking has none */
  @Post()
  @HttpCode(200)
  @RequireScope('finance:write')
  @Mutates('finance.payment_plan.materialize')
  @ApiBody({ type: CollectionPlanRequest, required: false })
  @BodyExample({ method: 'bank_transfer', stage: 'initial' })
  @Refuses({
    409: ['booking_closed', 'booking_not_priced'],
    422: ['invalid_payment_policy', 'amount_exceeds_outstanding'],
  })
  async collect(
    @PathId('book', 'bookingId', 23) bookingId: string,
    @Body() body: CollectionPlanRequest,
  ): Promise<CollectionPlanEnvelope> {
    return { data: await this.plans.collect(bookingId, body) };
  }
}
