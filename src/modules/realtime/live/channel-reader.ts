import type { Page } from '../messages/messages.repository.js';
import { type Frame, frameOf, gapOf } from './frames.js';
import type { LiveStream } from './live-stream.js';
import { markOf } from './stream-position.js';

/** Part of a stream: delivers each message of one channel once and in order. */
export class ChannelReader {
  /** Names the channel in the position of the client. */
  readonly mark: string;
  private isLive = false;

  constructor(
    private readonly stream: LiveStream,
    readonly channel: string,
    /** The number of the last message sent to the client. */
    public lastSeq: number,
    /** Returns the event of a message that was just counted as sent. */
    private readonly eventOf: (frame: Frame) => Buffer = ({ bytes }) => bytes,
  ) {
    this.mark = markOf(channel);
  }

  get isClosed(): boolean {
    return this.stream.isClosed;
  }

  /** Sends missed messages at the client's pace. */
  async replay({ messages, complete, lastSeq }: Page): Promise<void> {
    if (!complete) this.stream.send(gapOf(this.channel));
    const events = messages.map((message, index) => {
      this.lastSeq = lastSeq - messages.length + index + 1;
      return this.eventOf(frameOf(message));
    });
    this.lastSeq = lastSeq;
    await this.stream.sendSlowly(events);
  }

  /** The client has everything that the feed has sent; from now on it receives the feed's messages. */
  goLive(): void {
    this.isLive = true;
  }

  /** Sends a message of the feed unless it was replayed already. */
  push(frame: Frame, seq: number): void {
    if (!this.isLive || seq <= this.lastSeq) return;
    this.lastSeq = seq;
    this.stream.send(this.eventOf(frame));
  }

  /** A reader that is not live yet detects the gap itself. */
  pushGap(frame: Buffer): void {
    if (this.isLive) this.stream.send(frame);
  }
}
