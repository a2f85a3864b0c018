import { type BeforeApplicationShutdown, Injectable, type OnModuleInit } from '@nestjs/common';
import type { Response } from 'express';
import { covers } from '../../../platform/auth/scopes.js';
import { TokenVerifier } from '../../../platform/auth/token-verifier.js';
import type { Actor } from '../../../platform/context/actor.js';
import { Metrics } from '../../../platform/observability/metrics.js';
import { MessagesRepository, type Position } from '../messages/messages.repository.js';
import { MessagesService } from '../messages/messages.service.js';
import type { ChannelFeed } from './channel-feed.js';
import { ChannelFeedsService } from './channel-feeds.service.js';
import { frameOf, gapOf, HEARTBEAT } from './frames.js';
import { LiveStream } from './live-stream.js';

const HEARTBEAT_EVERY_MS = 15_000;
/** A stream ends within a second of its credential. */
const CHECK_EVERY_MS = 500;
/** Missed messages are read in pages, which limits the memory of one stream. */
const PAGE = 50;

/** A subscription to a channel with the credential that permits it. */
export interface Subscription {
  channel: string;
  /** The last message that the client has received, if any. */
  sinceId: string | undefined;
  token: string;
}

@Injectable()
export class LiveStreamsService implements OnModuleInit, BeforeApplicationShutdown {
  /** Streams by the credential that opened them. */
  private readonly streams = new Map<string, Set<LiveStream>>();
  private readonly timers: NodeJS.Timeout[] = [];
  private isChecking = false;

  constructor(
    private readonly repository: MessagesRepository,
    private readonly messages: MessagesService,
    private readonly feeds: ChannelFeedsService,
    private readonly verifier: TokenVerifier,
    metrics: Metrics,
  ) {
    metrics.gauge({ name: 'realtime_streams', help: 'Live streams that are open' }, () => this.all().length);
  }

  onModuleInit(): void {
    this.timers.push(setInterval(() => this.sendHeartbeat(), HEARTBEAT_EVERY_MS).unref());
    this.timers.push(setInterval(() => void this.check(), CHECK_EVERY_MS).unref());
  }

  /** Ends the streams, so that clients connect to another process. */
  beforeApplicationShutdown(): void {
    for (const timer of this.timers) clearInterval(timer);
    for (const stream of this.all()) stream.end();
  }

  /** Resolves when the stream is live. */
  async open({ channel, sinceId, token }: Subscription, response: Response): Promise<void> {
    this.messages.assertOwn(channel);
    const position = await this.positionOf(channel, sinceId);
    const stream = new LiveStream(response, channel, position.afterSeq);
    const feed = this.feeds.join(channel, stream);
    this.add(token, stream);
    stream.onClosed(() => {
      this.feeds.leave(channel, stream);
      this.remove(token, stream);
    });
    await feed.started();
    stream.open();
    if (!position.complete) stream.send(gapOf(channel));
    await this.catchUp(channel, stream, feed);
  }

  private async positionOf(channel: string, sinceId: string | undefined): Promise<Position> {
    if (sinceId !== undefined) return this.messages.positionAfter(channel, sinceId);
    const heads = await this.repository.heads([channel]);
    return { afterSeq: heads.get(channel) ?? 0, complete: true };
  }

  /**
   * Replays missed messages until the client has everything that the feed has sent. The last check and going live happen in
   * the same turn of the event loop, so no message is lost between the two.
   */
  private async catchUp(channel: string, stream: LiveStream, feed: ChannelFeed): Promise<void> {
    while (!stream.isClosed && (feed.seq === null || stream.lastSeq < feed.seq)) {
      const { messages, complete, lastSeq } = await this.repository.after(
        channel,
        { afterSeq: stream.lastSeq, complete: true },
        PAGE,
      );
      if (!complete) stream.send(gapOf(channel));
      await stream.replay(messages.map(frameOf), lastSeq);
    }
    stream.goLive();
  }

  private sendHeartbeat(): void {
    for (const stream of this.all()) stream.send(HEARTBEAT);
  }

  /** Verifies each credential once, however many streams it has. A failed check is repeated at the next interval. */
  private async check(): Promise<void> {
    if (this.isChecking) return;
    this.isChecking = true;
    for (const [token, streams] of [...this.streams]) {
      const verified = await this.verifier.verify(token).then(
        (actor) => ({ actor }),
        () => null,
      );
      if (verified === null) continue;
      const permits = this.permitsOf(verified.actor);
      for (const stream of streams) if (!permits(stream)) stream.end();
    }
    this.isChecking = false;
  }

  /** Returns whether the credential still permits a stream; decides once per channel. */
  private permitsOf(actor: Actor | null): (stream: LiveStream) => boolean {
    const channels = new Map<string, boolean>();
    return ({ channel }) => {
      if (actor === null) return false;
      const isPermitted =
        channels.get(channel) ??
        (covers(actor.scopes, `realtime:subscribe:${channel}`) && !this.messages.isForeign(channel, actor));
      channels.set(channel, isPermitted);
      return isPermitted;
    };
  }

  private add(token: string, stream: LiveStream): void {
    const streams = this.streams.get(token) ?? new Set();
    this.streams.set(token, streams.add(stream));
  }

  private remove(token: string, stream: LiveStream): void {
    const streams = this.streams.get(token);
    streams?.delete(stream);
    if (streams?.size === 0) this.streams.delete(token);
  }

  private all(): LiveStream[] {
    return [...this.streams.values()].flatMap((streams) => [...streams]);
  }
}
