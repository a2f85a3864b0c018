import { Body, Controller, Get, Post, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { RequireScope } from '../../../platform/auth/access.js';
import { answerHeader } from '../../../platform/http/answer.js';
import { RateLimit } from '../../../platform/limits/rate-limit.guard.js';
import { AnswersHistory } from './answers-history.js';
import { PathChannel } from './channel-name.js';
import { MessageEnvelope, MessageResponse, PublishMessage, ReadHistory, toMessage } from './message.dto.js';
import { Messages } from './messages.service.js';

@ApiTags('Realtime')
@Controller('/realtime/v1/channels/:channel/messages')
export class MessagesController {
  constructor(private readonly messages: Messages) {}

  /** Publishes a message to a channel, which exists from its first message on */
  @Post()
  @RequireScope('realtime:publish')
  @RateLimit('realtime-publish')
  async publish(@PathChannel() channel: string, @Body() body: PublishMessage): Promise<MessageEnvelope> {
    return { data: toMessage(await this.messages.publish(channel, body)) };
  }

  /** Reads recent messages of a channel, the newest ones or those after a given one */
  @Get()
  @RequireScope('realtime:subscribe')
  @AnswersHistory()
  async history(@PathChannel() channel: string, @Query() query: ReadHistory): Promise<MessageResponse[]> {
    const { messages, complete } = await this.messages.history(channel, query);
    answerHeader('X-Realtime-Complete', String(complete));
    return messages.map(toMessage);
  }
}
