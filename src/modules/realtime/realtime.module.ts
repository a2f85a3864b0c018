import { Module } from '@nestjs/common';
import { ChannelFeedsService } from './live/channel-feeds.service.js';
import { LiveController } from './live/live.controller.js';
import { LiveStreamsService } from './live/live-streams.service.js';
import { MessagesController } from './messages/messages.controller.js';
import { MessageJobs } from './messages/messages.jobs.js';
import { MessagesRepository } from './messages/messages.repository.js';
import { MessagesService } from './messages/messages.service.js';
import { RealtimeDemo } from './realtime.demo.js';
import { EventsController } from './subscriptions/events.controller.js';
import { PartnerSubscriptionsController } from './subscriptions/partner-subscriptions.controller.js';
import { StaffSubscriptionsController } from './subscriptions/staff-subscriptions.controller.js';
import { SubscriptionsService } from './subscriptions/subscriptions.service.js';
import { TicketsController } from './subscriptions/tickets.controller.js';
import { OutboxRelay } from './relay/outbox-relay.js';
import './realtime-tables.js';

@Module({
  controllers: [
    MessagesController,
    LiveController,
    EventsController,
    TicketsController,
    StaffSubscriptionsController,
    PartnerSubscriptionsController,
  ],
  providers: [
    ChannelFeedsService,
    LiveStreamsService,
    MessageJobs,
    MessagesRepository,
    MessagesService,
    OutboxRelay,
    RealtimeDemo,
    SubscriptionsService,
  ],
})
export class RealtimeModule {}
