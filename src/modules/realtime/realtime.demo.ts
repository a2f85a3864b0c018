import { Injectable } from '@nestjs/common';
import { demoId } from '../../platform/ids/id.js';
import { DemoData } from '../../platform/provisioning/provisioning-decorators.js';
import { PLATFORM } from './messages/message.js';
import { MessagesRepository } from './messages/messages.repository.js';

const NEWS = [
  { event: 'news.published', data: { headline: 'New departures to Lofoten', tours: [demoId('prod', 6)] } },
  { event: 'news.published', data: { headline: 'Early-bird prices end on Sunday', discountPercent: 10 } },
  { event: 'news.withdrawn', data: { headline: 'Early-bird prices end on Sunday' } },
];

/** The channel that the examples of the API document read and publish to. */
@Injectable()
export class RealtimeDemo {
  constructor(private readonly messages: MessagesRepository) {}

  @DemoData(600, 'realtime news')
  async load(): Promise<void> {
    await this.messages.append(NEWS.map((news) => ({ channel: 'demo.news', ...news, publishedBy: PLATFORM })));
  }
}
