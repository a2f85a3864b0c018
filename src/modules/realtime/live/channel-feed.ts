import type { Page } from '../messages/message-log.js';
import { frameOf, gapOf } from './frames.js';
import type { LiveStream } from './live-stream.js';

interface Source {
  /** The number of the newest message, 0 where there is none. */
  head(): Promise<number>;
  after(seq: number): Promise<Page>;
}

/** What is new in one channel, read once in this process and handed to every stream that follows the channel. */
export class ChannelFeed {
  /** The number of the last message that was handed out; null until it is known where the channel stands. */
  seq: number | null = null;
  private readonly streams = new Set<LiveStream>();
  private heard = 0;
  private isReading = false;
  private start: Promise<number> | null = null;

  constructor(
    private readonly channel: string,
    private readonly source: Source,
  ) {}

  get isEmpty(): boolean {
    return this.streams.size === 0;
  }

  add(stream: LiveStream): void {
    this.streams.add(stream);
  }

  remove(stream: LiveStream): void {
    this.streams.delete(stream);
  }

  /** The number of the last message that was handed out; nothing before it will be any more. */
  async started(): Promise<number> {
    this.start ??= this.source.head();
    try {
      this.seq ??= await this.start;
    } catch (error) {
      this.start = null;
      throw error;
    }
    this.hear(this.heard);
    return this.seq;
  }

  /** The channel has come as far as this. */
  hear(seq: number): void {
    this.heard = Math.max(this.heard, seq);
    if (this.isReading || this.seq === null || this.seq >= this.heard) return;
    this.isReading = true;
    // What cannot be read now is read when the channel's head is heard of again, a second later at most.
    void this.read(this.seq)
      .catch(() => undefined)
      .finally(() => (this.isReading = false));
  }

  private async read(from: number): Promise<void> {
    for (let seq = from; seq < this.heard && !this.isEmpty; seq = this.seq ?? seq) {
      const page = await this.source.after(seq);
      this.seq = this.handOut(page);
    }
  }

  private handOut({ messages, complete, lastSeq }: Page): number {
    if (!complete) for (const stream of this.streams) stream.pushGap(gapOf(this.channel));
    for (const [index, message] of messages.entries()) {
      const frame = frameOf(message);
      for (const stream of this.streams) stream.push(frame, lastSeq - messages.length + index + 1);
    }
    return lastSeq;
  }
}
