import { Controller, Get, Post, Query, Res } from '@nestjs/common';
import { ApiOperation } from '@nestjs/swagger';
import type { Response } from 'express';
import { RateLimit } from '../../../platform/admission/rate-limits.js';
import { LimitOperation } from '../../../platform/admission/request-shares.js';
import { RequireSubscription, RequireTicket } from '../../../platform/auth/access.js';
import { ApiGroup } from '../../../platform/http/api-group.js';
import { AnyToken } from '../../../platform/http/html-page.js';
import { NoBody } from '../../../platform/http/no-body.js';
import { PathText } from '../../../platform/http/path-id.js';
import { MutatesOutsideLedger } from '../../../platform/idempotency/mutates.js';
import { ApiMessageStream, lastEventIdOf } from '../live/api-message-stream.js';
import { STREAM_LIMITS } from '../live/live.controller.js';
import { LiveStreamsService } from '../live/live-streams.service.js';
import { positionsIn } from '../live/stream-position.js';
import { FollowChannels, TicketEnvelope, toTicket } from './subscription.dto.js';
import { SubscriptionsService } from './subscriptions.service.js';

const TICKET_LENGTH = 70;
/** An example ticket. Real ones open one stream. */
const TICKET = {
  description: 'Ticket of the stream. Copy it from the response that created it.',
  maxLength: TICKET_LENGTH,
  example: `rtt_${'Example'.padEnd(16, '0')}_${'0'.repeat(TICKET_LENGTH - 21)}`,
};

@ApiGroup('Realtime')
@Controller('/realtime/v1/tickets')
export class TicketsController {
  constructor(
    private readonly subscriptions: SubscriptionsService,
    private readonly streams: LiveStreamsService,
  ) {}

  /**
   * Create a ticket for a stream
   *
   * @remarks For `EventSource`, which cannot send a header: returns a ticket that opens one stream of the channels of the
   * subscription within a minute. It needs the token of a subscription. Because a ticket works once, its appearance in the log of a
   * proxy reveals nothing. A client whose stream has ended creates another ticket and continues after the ID of its last event.
   */
  @ApiOperation({ operationId: 'tickets_create' })
  @Post()
  @RequireSubscription()
  @RateLimit('realtime-subscription')
  @MutatesOutsideLedger('a ticket that opens one stream', { secrets: ['data.ticket'] })
  async create(@NoBody() _body: null): Promise<TicketEnvelope> {
    return { data: toTicket(await this.subscriptions.createTicket()) };
  }

  /**
   * Open the stream of a ticket
   *
   * @remarks Opens a stream of the channels of the subscription, as `GET /realtime/v1/events` does, and uses up the ticket. A ticket
   * that is unknown, used or expired is 404, also if an `EventSource` reconnects by itself: it must create another one.
   */
  @ApiOperation({ operationId: 'tickets_follow' })
  @Get(':ticket/events')
  @RequireTicket()
  @ApiMessageStream()
  @LimitOperation(STREAM_LIMITS)
  async follow(
    @PathText('ticket', TICKET, new AnyToken()) ticket: string,
    @Query() { sinceId }: FollowChannels,
    @Res() response: Response,
  ): Promise<void> {
    const position = lastEventIdOf(response.req) ?? sinceId;
    // A position that is invalid must not use up the ticket.
    if (position !== undefined) positionsIn(position);
    const isPeek = response.req.method === 'HEAD';
    const held = isPeek ? await this.subscriptions.ofCaller() : await this.subscriptions.redeem(ticket);
    await this.streams.openAll({ ...held, permit: this.subscriptions.permitOf(held), position }, response);
  }
}
