import { Controller, Get, Query, Res } from '@nestjs/common';
import { ApiOperation } from '@nestjs/swagger';
import type { Response } from 'express';
import { RequireScope } from '../../../platform/auth/access.js';
import { presentedToken } from '../../../platform/auth/bearer.guard.js';
import { LimitOperation, type OperationLimits } from '../../../platform/admission/request-shares.js';
import { PathChannel } from '../messages/channel-name.js';
import { FollowChannel } from '../messages/message.dto.js';
import { LiveStreamsService } from './live-streams.service.js';
import { ApiGroup } from '../../../platform/http/api-group.js';
import { ApiMessageStream, lastEventIdOf } from './api-message-stream.js';

export const STREAM_LIMITS: OperationLimits = {
  name: 'realtime-stream',
  isStream: true,
  maxConcurrent: ({ maxStreams }) => maxStreams,
  maxConcurrentPerCredential: ({ maxStreamsPerCredential }) => maxStreamsPerCredential,
};

@ApiGroup('Realtime', {
  position: 280,
  description: 'Realtime: messages of a channel, read in pages or received as Server-Sent Events.',
})
@Controller('/realtime/v1/channels/:channel/events')
export class LiveController {
  constructor(private readonly streams: LiveStreamsService) {}

  /**
   * Subscribe to a channel
   *
   * @remarks Use `curl -N` to try it, because a page shows a response only when it has ended. Opens a stream of Server-Sent
   * Events with one `message` event per published message. A client that reconnects with `Last-Event-ID` or `sinceId` first
   * receives the messages that it missed; a `gap` event reports that some of them are no longer kept. An ID of another
   * channel is rejected. A key that is bound to an operator reads only channels whose names start with the ID of the
   * operator and a dot. The stream ends when the credential ends, when the client reads too slowly, or when the process
   * stops.
   */
  @ApiOperation({ operationId: 'realtimeEvents_follow' })
  @Get()
  @RequireScope('realtime:subscribe', { narrowedBy: 'channel' })
  @ApiMessageStream()
  @LimitOperation(STREAM_LIMITS)
  async follow(
    @PathChannel() channel: string,
    @Query() query: FollowChannel,
    @Res() response: Response,
  ): Promise<void> {
    const sinceId = lastEventIdOf(response.req) ?? query.sinceId;
    const token = presentedToken(response.req, 'realtime') ?? '';
    await this.streams.open({ channel, sinceId, token }, response);
  }
}
