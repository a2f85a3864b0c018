import { Controller, Get, Query, Res } from '@nestjs/common';
import { ApiOperation } from '@nestjs/swagger';
import type { Response } from 'express';
import { LimitOperation } from '../../../platform/admission/request-shares.js';
import { RequireSubscription } from '../../../platform/auth/access.js';
import { ApiGroup } from '../../../platform/http/api-group.js';
import { ApiMessageStream, lastEventIdOf } from '../live/api-message-stream.js';
import { STREAM_LIMITS } from '../live/live.controller.js';
import { LiveStreamsService } from '../live/live-streams.service.js';
import { EVENTS_PATH, FollowChannels } from './subscription.dto.js';
import { SubscriptionsService } from './subscriptions.service.js';

@ApiGroup('Realtime')
@Controller(EVENTS_PATH)
export class EventsController {
  constructor(
    private readonly subscriptions: SubscriptionsService,
    private readonly streams: LiveStreamsService,
  ) {}

  /**
   * Subscribe to all channels of a token
   *
   * @remarks Use `curl -N` to try it, with the token of a subscription. Opens a stream of Server-Sent Events with one `message`
   * event per message published on any channel of the subscription, in order per channel. The ID of an event is a position in all
   * of them: a client that reconnects with it as `Last-Event-ID` or `sinceId`, also with the token of a later subscription, first
   * receives the messages that it missed. A `position` event at the start has the first ID, a `gap` event names a channel with
   * messages that are no longer kept. Without an ID, or in a channel that the ID does not name, the stream starts with the next
   * message. It ends with the session, token or key that created the subscription, when that may no longer read one of the
   * channels, when the client reads too slowly, or when the process stops.
   */
  @ApiOperation({ operationId: 'realtimeEvents_followAll' })
  @Get()
  @RequireSubscription()
  @ApiMessageStream()
  @LimitOperation(STREAM_LIMITS)
  async follow(@Query() { sinceId }: FollowChannels, @Res() response: Response): Promise<void> {
    const position = lastEventIdOf(response.req) ?? sinceId;
    const held = await this.subscriptions.ofCaller();
    await this.streams.openAll({ ...held, permit: this.subscriptions.permitOf(held), position }, response);
  }
}
