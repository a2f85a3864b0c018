import { type BeforeApplicationShutdown, Injectable, type OnModuleInit } from '@nestjs/common';
import type { Response } from 'express';
import { covers } from '../../../platform/auth/scopes.js';
import { TokenVerifier } from '../../../platform/auth/token-verifier.js';
import { Metrics } from '../../../platform/observability/metrics.js';
import { MessageLog, type Place } from '../messages/message-log.js';
import { Messages } from '../messages/messages.service.js';
import type { ChannelFeed } from './channel-feed.js';
import { Feeds } from './feeds.service.js';
import { frameOf, gapOf, PULSE } from './frames.js';
import { LiveStream } from './live-stream.js';

const PULSE_EVERY_MS = 15_000;
/** Whoever's credential ends is cut off within a second. */
const CHECK_EVERY_MS = 500;
/** Of messages that a client has missed; what is read at once is also what one stream holds in memory at most. */
const PAGE = 50;

/** What a client wants to follow, and by which credential it may. */
export interface Follower {
  channel: string;
  /** The last message that it has seen, if any. */
  sinceId: string | undefined;
  token: string;
}

@Injectable()
export class LiveStreams implements OnModuleInit, BeforeApplicationShutdown {
  /** By the credential that they were opened with. */
  private readonly streams = new Map<string, Set<LiveStream>>();
  private readonly timers: NodeJS.Timeout[] = [];
  private isChecking = false;

  constructor(
    private readonly log: MessageLog,
    private readonly messages: Messages,
    private readonly feeds: Feeds,
    private readonly verifier: TokenVerifier,
    metrics: Metrics,
  ) {
    metrics.gauge({ name: 'realtime_streams', help: 'Live streams that are open' }, () => this.all().length);
  }

  onModuleInit(): void {
    this.timers.push(setInterval(() => this.pulse(), PULSE_EVERY_MS).unref());
    this.timers.push(setInterval(() => void this.check(), CHECK_EVERY_MS).unref());
  }

  /** A stopping process lets its clients go to another one. */
  beforeApplicationShutdown(): void {
    for (const timer of this.timers) clearInterval(timer);
    for (const stream of this.all()) stream.end();
  }

  /** Resolves when the stream is live. Throws 400 for an id that is none of the channel's. */
  async open({ channel, sinceId, token }: Follower, response: Response): Promise<void> {
    const place = await this.placeOf(channel, sinceId);
    const stream = new LiveStream(response, place.afterSeq);
    const feed = this.feeds.join(channel, stream);
    this.keep(token, stream);
    stream.onClosed(() => {
      this.feeds.leave(channel, stream);
      this.drop(token, stream);
    });
    await feed.started();
    stream.open();
    if (!place.complete) stream.say(gapOf(channel));
    await this.catchUp(channel, stream, feed);
  }

  private async placeOf(channel: string, sinceId: string | undefined): Promise<Place> {
    if (sinceId !== undefined) return this.messages.placeAfter(channel, sinceId);
    const heads = await this.log.heads([channel]);
    return { afterSeq: heads.get(channel) ?? 0, complete: true };
  }

  /**
   * Replays what the client has missed until it has all that the feed has handed out. Between seeing that and going live
   * nothing else runs, so there is no message that neither of the two gives to it.
   */
  private async catchUp(channel: string, stream: LiveStream, feed: ChannelFeed): Promise<void> {
    while (!stream.isClosed && (feed.seq === null || stream.lastSeq < feed.seq)) {
      const { messages, complete, lastSeq } = await this.log.after(
        channel,
        { afterSeq: stream.lastSeq, complete: true },
        PAGE,
      );
      if (!complete) stream.say(gapOf(channel));
      await stream.replay(messages.map(frameOf), lastSeq);
    }
    stream.goLive();
  }

  private pulse(): void {
    for (const stream of this.all()) stream.say(PULSE);
  }

  /** One question for each credential, however many streams it has. What cannot be asked now is asked again. */
  private async check(): Promise<void> {
    if (this.isChecking) return;
    this.isChecking = true;
    for (const [token, streams] of [...this.streams]) {
      const mayFollow = await this.mayFollow(token).catch(() => true);
      if (!mayFollow) for (const stream of streams) stream.end();
    }
    this.isChecking = false;
  }

  private async mayFollow(token: string): Promise<boolean> {
    const actor = await this.verifier.verify(token);
    return actor !== null && covers(actor.scopes, 'realtime:subscribe');
  }

  private keep(token: string, stream: LiveStream): void {
    const streams = this.streams.get(token) ?? new Set();
    this.streams.set(token, streams.add(stream));
  }

  private drop(token: string, stream: LiveStream): void {
    const streams = this.streams.get(token);
    streams?.delete(stream);
    if (streams?.size === 0) this.streams.delete(token);
  }

  private all(): LiveStream[] {
    return [...this.streams.values()].flatMap((streams) => [...streams]);
  }
}
