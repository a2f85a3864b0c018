import { Body, Controller, Post } from '@nestjs/common';
import { ApiOperation } from '@nestjs/swagger';
import { RateLimit } from '../../../platform/admission/rate-limits.js';
import { EVENTS_SCOPE } from '../../../platform/auth/scopes.js';
import { RequireScope } from '../../../platform/auth/access.js';
import { ApiGroup } from '../../../platform/http/api-group.js';
import { created } from '../../../platform/http/response-headers.js';
import { MutatesOutsideLedger } from '../../../platform/idempotency/mutates.js';
import { CreateSubscription, EVENTS_PATH, SubscriptionEnvelope, toSubscription } from './subscription.dto.js';
import { SubscriptionsService } from './subscriptions.service.js';

@ApiGroup('Live events')
@Controller('/connect/v1/realtime/subscriptions')
export class PartnerSubscriptionsController {
  constructor(private readonly subscriptions: SubscriptionsService) {}

  /**
   * Subscribe to events of an operator
   *
   * @remarks Returns a token that opens streams of these channels on the realtime surface for ten minutes, also in a browser: it
   * reads nothing else. A caller of an operator may name channels that start with the ID of the operator and a dot, a platform key
   * without an operator those that its scope `realtime:subscribe` covers; the others are left out, and a request without any such
   * channel is rejected. An open stream outlives the token. It ends with the access token or key of the caller, or when the caller
   * may no longer read one of its channels.
   */
  @ApiOperation({ operationId: 'partnerSubscriptions_create' })
  @Post()
  @RequireScope(EVENTS_SCOPE)
  @RateLimit('realtime-subscription')
  @MutatesOutsideLedger('a token of ten minutes that reads less than its caller', { secrets: ['data.token'] })
  async create(@Body() { channels }: CreateSubscription): Promise<SubscriptionEnvelope> {
    return created(EVENTS_PATH, {}, { data: toSubscription(await this.subscriptions.create(channels)) });
  }
}
