import { Module, type OnModuleInit } from '@nestjs/common';
import { Provisioning } from '../../platform/provisioning/provisioning.js';
import { loadDemoNews } from './demo.js';
import { Feeds } from './live/feeds.service.js';
import { LiveController } from './live/live.controller.js';
import { LiveStreams } from './live/live-streams.service.js';
import { MessageLog } from './messages/message-log.js';
import { MessagesController } from './messages/messages.controller.js';
import { Messages } from './messages/messages.service.js';
import { Publishing } from './messages/publishing.js';
import { Retention } from './messages/retention.js';
import { OutboxRelay } from './relay/outbox-relay.js';

@Module({
  controllers: [MessagesController, LiveController],
  providers: [Feeds, LiveStreams, MessageLog, Messages, Publishing, Retention, OutboxRelay],
})
export class RealtimeModule implements OnModuleInit {
  constructor(
    private readonly provisioning: Provisioning,
    private readonly messages: MessageLog,
  ) {}

  onModuleInit(): void {
    this.provisioning.demo(600, 'realtime news', () => loadDemoNews(this.messages));
  }
}
