import { Module } from '@nestjs/common';
import { ChannelFeedsService } from './live/channel-feeds.service.js';
import { LiveController } from './live/live.controller.js';
import { LiveStreamsService } from './live/live-streams.service.js';
import { MessagesController } from './messages/messages.controller.js';
import { MessageJobs } from './messages/messages.jobs.js';
import { MessagesRepository } from './messages/messages.repository.js';
import { MessagesService } from './messages/messages.service.js';
import { RealtimeDemo } from './realtime.demo.js';
import { OutboxRelay } from './relay/outbox-relay.js';
import './realtime-tables.js';

@Module({
  controllers: [MessagesController, LiveController],
  providers: [
    ChannelFeedsService,
    LiveStreamsService,
    MessageJobs,
    MessagesRepository,
    MessagesService,
    OutboxRelay,
    RealtimeDemo,
  ],
})
export class RealtimeModule {}
