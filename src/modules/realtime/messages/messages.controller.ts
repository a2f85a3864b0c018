import { Body, Controller, Get, Post, Query } from '@nestjs/common';
import { ApiOperation } from '@nestjs/swagger';
import { RequireScope } from '../../../platform/auth/access.js';
import { MutatesOutsideLedger } from '../../../platform/idempotency/mutates.js';
import { setResponseHeader } from '../../../platform/http/response-headers.js';
import { Refuses } from '../../../platform/http/route-errors.js';
import { RateLimit } from '../../../platform/admission/rate-limits.js';
import { ApiMessageHistory } from './api-message-history.js';
import { PathChannel } from './channel-name.js';
import { MessageEnvelope, MessageResponse, PublishMessage, ReadHistory, toMessage } from './message.dto.js';
import { ApiGroup } from '../../../platform/http/api-group.js';
import { MessagesService } from './messages.service.js';

@ApiGroup('Realtime')
@Controller('/realtime/v1/channels/:channel/messages')
export class MessagesController {
  constructor(private readonly messages: MessagesService) {}

  /**
   * Publish a message
   *
   * @remarks Stores a message and delivers it to all subscribers of the channel in the order of publication. A channel exists
   * from its first message on. Only the service can publish to channels of the event catalog. A channel whose name starts with
   * the ID of an operator and a dot belongs to that operator: only keys that are bound to the operator publish on it, and they
   * publish on no other channel. Messages are kept for 72 hours, at most the newest 10,000 per channel. The data may have at
   * most 64 KiB. A key publishes at most 256 MiB a day (UTC), and an operator, or a key that is bound to none, has at most
   * 10,000 channels. A channel without messages for 30 days is deleted.
   */
  @ApiOperation({ operationId: 'realtimeMessages_publish' })
  @Post()
  @RequireScope('realtime:publish', { narrowedBy: 'channel' })
  @RateLimit('realtime-publish')
  @MutatesOutsideLedger('a message is its own record')
  @Refuses({ 409: ['channel_limit_reached'] })
  async publish(@PathChannel() channel: string, @Body() body: PublishMessage): Promise<MessageEnvelope> {
    return { data: toMessage(await this.messages.publish(channel, body)) };
  }

  /**
   * List recent messages of a channel
   *
   * @remarks Returns messages oldest first: those after `sinceId`, or the newest ones without it. The header
   * `X-Realtime-Complete` is `false` if messages after `sinceId` are no longer kept. An ID of another channel is rejected. A
   * key that is bound to an operator reads only channels whose names start with the ID of the operator and a dot.
   */
  @ApiOperation({ operationId: 'realtimeMessages_list' })
  @Get()
  @RequireScope('realtime:subscribe', { narrowedBy: 'channel' })
  @ApiMessageHistory()
  async history(@PathChannel() channel: string, @Query() query: ReadHistory): Promise<MessageResponse[]> {
    const { messages, complete } = await this.messages.history(channel, query);
    setResponseHeader('X-Realtime-Complete', String(complete));
    return messages.map(toMessage);
  }
}
