import { Injectable, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import { Notifier } from '../../../platform/database/notifier.js';
import { HEADS_CHANNEL, MessageLog } from '../messages/message-log.js';
import { ChannelFeed } from './channel-feed.js';
import type { LiveStream } from './live-stream.js';

const ASK_EVERY_MS = 1_000;
const PAGE = 200;

/**
 * The feeds of the channels that somebody follows in this process. Processes tell each other how far a channel has come;
 * in case that gets lost, each also asks the database once a second.
 */
@Injectable()
export class Feeds implements OnModuleInit, OnApplicationShutdown {
  private readonly feeds = new Map<string, ChannelFeed>();
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly log: MessageLog,
    private readonly notifier: Notifier,
  ) {}

  /** The timer starts here and not with a stream: it would run in that request's context. */
  onModuleInit(): void {
    this.notifier.subscribe(HEADS_CHANNEL, { onNotification: (channel, head) => this.feeds.get(channel)?.hear(head) });
    this.timer = setInterval(() => void this.ask(), ASK_EVERY_MS).unref();
  }

  onApplicationShutdown(): void {
    clearInterval(this.timer);
  }

  /** The channel's feed, which knows the stream from now on. */
  join(channel: string, stream: LiveStream): ChannelFeed {
    const feed = this.feeds.get(channel) ?? this.newFeed(channel);
    feed.add(stream);
    return feed;
  }

  leave(channel: string, stream: LiveStream): void {
    const feed = this.feeds.get(channel);
    feed?.remove(stream);
    if (feed?.isEmpty) this.feeds.delete(channel);
  }

  private newFeed(channel: string): ChannelFeed {
    const feed = new ChannelFeed(channel, {
      head: async () => (await this.log.heads([channel])).get(channel) ?? 0,
      after: (seq) => this.log.after(channel, { afterSeq: seq, complete: true }, PAGE),
    });
    this.feeds.set(channel, feed);
    return feed;
  }

  /** Where it fails, the next time will do. */
  private async ask(): Promise<void> {
    if (this.feeds.size === 0) return;
    const heads = await this.log.heads([...this.feeds.keys()]).catch(() => new Map<string, number>());
    for (const [channel, head] of heads) this.feeds.get(channel)?.hear(head);
  }
}
