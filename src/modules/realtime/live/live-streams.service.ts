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
import { ChannelReader } from './channel-reader.js';
import { type Frame, gapOf, HEARTBEAT, idLine, POSITION_EVENT } from './frames.js';
import { LiveStream } from './live-stream.js';
import { markOf, positionsIn, positionText } from './stream-position.js';

const HEARTBEAT_EVERY_MS = 15_000;
/** A stream ends within a second of its credential. */
const CHECK_EVERY_MS = 500;
/** Missed messages are read in pages, which limits the memory of one stream. */
const PAGE = 50;

/** A channel to follow with the credential that permits it. */
export interface Following {
  channel: string;
  /** The last message that the client has received, if any. */
  sinceId: string | undefined;
  token: string;
}

/** The credential by which streams are open. */
export interface Permit {
  readonly key: string;
  /** The actor with its present scopes; null if it has ended. */
  read(): Promise<Actor | null>;
}

@Injectable()
export class LiveStreamsService implements OnModuleInit, BeforeApplicationShutdown {
  /** Streams by the key of the credential by which they are open. */
  private readonly streams = new Map<string, { permit: Permit; streams: Set<LiveStream> }>();
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
  async open({ channel, sinceId, token }: Following, response: Response): Promise<void> {
    this.messages.assertOwn(channel);
    const position = await this.positionOf(channel, sinceId);
    const stream = new LiveStream(response, [channel]);
    const reader = new ChannelReader(stream, channel, position.afterSeq);
    const permit = { key: token, read: () => this.verifier.verify(token) };
    await this.start(stream, permit, { readers: [reader], first: position.complete ? [] : [gapOf(channel)] });
  }

  /**
   * Opens a stream of several channels, after the position of an event of such a stream. Resolves when it is live.
   * The ID of each event is the position of the client in all channels, because messages of two channels have no common order.
   */
  async openAll(
    { channels, permit, position }: { channels: readonly string[]; permit: Permit; position: string | undefined },
    response: Response,
  ): Promise<void> {
    const known = position === undefined ? new Map<string, number>() : positionsIn(position);
    const heads = await this.repository.heads(channels);
    const stream = new LiveStream(response, channels);
    const readers: ChannelReader[] = [];
    const idOfEvent = () => idLine(positionText(readers));
    const eventOf = ({ anonymous }: Frame) => Buffer.concat([Buffer.from(idOfEvent()), anonymous]);
    for (const channel of channels) {
      const head = heads.get(channel) ?? 0;
      readers.push(new ChannelReader(stream, channel, Math.min(known.get(markOf(channel)) ?? head, head), eventOf));
    }
    await this.start(stream, permit, { readers, first: [Buffer.from(`${idOfEvent()}${POSITION_EVENT}`)] });
  }

  /** Sends the first events and then the messages of the readers' channels. */
  private async start(
    stream: LiveStream,
    permit: Permit,
    { readers, first }: { readers: readonly ChannelReader[]; first: readonly Buffer[] },
  ): Promise<void> {
    const feeds = readers.map((reader) => ({ reader, feed: this.feeds.join(reader) }));
    this.add(permit, stream);
    stream.onClosed(() => {
      for (const reader of readers) this.feeds.leave(reader);
      this.remove(permit, stream);
    });
    await Promise.all(feeds.map(({ feed }) => feed.started()));
    stream.open();
    for (const event of first) stream.send(event);
    for (const { reader, feed } of feeds) await this.catchUp(reader, feed);
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
  private async catchUp(reader: ChannelReader, feed: ChannelFeed): Promise<void> {
    while (!reader.isClosed && (feed.seq === null || reader.lastSeq < feed.seq)) {
      const from = { afterSeq: reader.lastSeq, complete: true };
      await reader.replay(await this.repository.after(reader.channel, from, PAGE));
    }
    reader.goLive();
  }

  private sendHeartbeat(): void {
    for (const stream of this.all()) stream.send(HEARTBEAT);
  }

  /** Verifies each credential once, however many streams it has. A failed check is repeated at the next interval. */
  private async check(): Promise<void> {
    if (this.isChecking) return;
    this.isChecking = true;
    for (const { permit, streams } of [...this.streams.values()]) {
      const verified = await permit.read().then(
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
    const known = new Map<string, boolean>();
    return ({ channels }) =>
      actor !== null &&
      channels.every((channel) => {
        const isPermitted =
          known.get(channel) ??
          (covers(actor.scopes, `realtime:subscribe:${channel}`) && !this.messages.isForeign(channel, actor));
        known.set(channel, isPermitted);
        return isPermitted;
      });
  }

  private add(permit: Permit, stream: LiveStream): void {
    const entry = this.streams.get(permit.key) ?? { permit, streams: new Set() };
    entry.streams.add(stream);
    this.streams.set(permit.key, entry);
  }

  private remove({ key }: Permit, stream: LiveStream): void {
    const entry = this.streams.get(key);
    entry?.streams.delete(stream);
    if (entry?.streams.size === 0) this.streams.delete(key);
  }

  private all(): LiveStream[] {
    return [...this.streams.values()].flatMap(({ streams }) => [...streams]);
  }
}
