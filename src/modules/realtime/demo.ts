import type { MessageLog } from './messages/message-log.js';

const NEWS = [
  { event: 'news.published', data: { headline: 'New departures to Lofoten', tours: ['northern-lights'] } },
  { event: 'news.published', data: { headline: 'Early-bird prices end on Sunday', discountPercent: 10 } },
  { event: 'news.withdrawn', data: { headline: 'Early-bird prices end on Sunday' } },
];

/** The channel that the API document's examples read and publish to. */
export async function loadDemoNews(messages: MessageLog): Promise<void> {
  await messages.append(NEWS.map((news) => ({ channel: 'demo.news', ...news })));
}
