import { Injectable, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import { Notifier } from '../../../platform/database/notifier.js';
import { HEADS_CHANNEL, MessagesRepository } from '../messages/messages.repository.js';
import { ChannelFeed } from './channel-feed.js';
import type { ChannelReader } from './channel-reader.js';

const POLL_EVERY_MS = 1_000;
const PAGE = 200;

/**
 * The feeds of the channels that streams of this process subscribe to. A feed receives the messages of its own process after
 * their commit. Processes notify each other of the newest message of a channel; because a notification can be lost, each also
 * reads the database once a second.
 */
@Injectable()
export class ChannelFeedsService implements OnModuleInit, OnApplicationShutdown {
  private readonly feeds = new Map<string, ChannelFeed>();
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly messages: MessagesRepository,
    private readonly notifier: Notifier,
  ) {}

  /** Starts the timer without the context of a request. */
  onModuleInit(): void {
    this.notifier.subscribe(HEADS_CHANNEL, {
      onNotification: (channel, head) => this.feeds.get(channel)?.advance(head),
    });
    this.messages.onAppended((message, seq) => this.feeds.get(message.channel)?.sendNext(message, seq));
    this.timer = setInterval(() => void this.poll(), POLL_EVERY_MS).unref();
  }

  onApplicationShutdown(): void {
    clearInterval(this.timer);
  }

  /** Adds the reader to the feed of its channel. */
  join(reader: ChannelReader): ChannelFeed {
    const feed = this.feeds.get(reader.channel) ?? this.newFeed(reader.channel);
    feed.add(reader);
    return feed;
  }

  leave(reader: ChannelReader): void {
    const feed = this.feeds.get(reader.channel);
    feed?.remove(reader);
    if (feed?.isEmpty) this.feeds.delete(reader.channel);
  }

  private newFeed(channel: string): ChannelFeed {
    const feed = new ChannelFeed(channel, {
      head: async () => (await this.messages.heads([channel])).get(channel) ?? 0,
      after: (seq) => this.messages.after(channel, { afterSeq: seq, complete: true }, PAGE),
    });
    this.feeds.set(channel, feed);
    return feed;
  }

  /** A failed read is repeated at the next interval. */
  private async poll(): Promise<void> {
    if (this.feeds.size === 0) return;
    const heads = await this.messages.heads([...this.feeds.keys()]).catch(() => new Map<string, number>());
    for (const [channel, head] of heads) this.feeds.get(channel)?.advance(head);
  }
}
