import { Body, Controller, Post } from '@nestjs/common';
import { ApiOperation } from '@nestjs/swagger';
import { RateLimit } from '../../../platform/admission/rate-limits.js';
import { RequireScope } from '../../../platform/auth/access.js';
import { ApiGroup } from '../../../platform/http/api-group.js';
import { created } from '../../../platform/http/response-headers.js';
import { MutatesOutsideLedger } from '../../../platform/idempotency/mutates.js';
import { CreateSubscription, EVENTS_PATH, SubscriptionEnvelope, toSubscription } from './subscription.dto.js';
import { SubscriptionsService } from './subscriptions.service.js';

@ApiGroup('Live events', {
  position: 215,
  description:
    'Staff and connect: tokens with which a web page or a partner follows the events that its user or client may read.',
})
@Controller('/v1/admin/realtime/subscriptions')
export class StaffSubscriptionsController {
  constructor(private readonly subscriptions: SubscriptionsService) {}

  /**
   * Subscribe to events
   *
   * @remarks Returns a token that opens streams of these channels on the realtime surface for ten minutes, also in a browser: it
   * reads nothing else. A channel of events is open to callers with the read scope of the module whose name starts it, such as
   * `bookings:read` for `bookings` and `bookings.{bookingId}`; the others are left out, and a request without any such channel is
   * rejected. An open stream outlives the token. It ends with the session or token of the caller, or when the caller may no
   * longer read one of its channels.
   */
  @ApiOperation({ operationId: 'subscriptions_create' })
  @Post()
  @RequireScope()
  @RateLimit('realtime-subscription')
  @MutatesOutsideLedger('a token of ten minutes that reads less than its caller', { secrets: ['data.token'] })
  async create(@Body() { channels }: CreateSubscription): Promise<SubscriptionEnvelope> {
    return created(EVENTS_PATH, {}, { data: toSubscription(await this.subscriptions.create(channels)) });
  }
}
