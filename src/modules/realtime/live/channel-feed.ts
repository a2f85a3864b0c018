import type { Message } from '../messages/message.js';
import type { Page } from '../messages/messages.repository.js';
import type { ChannelReader } from './channel-reader.js';
import { frameOf, gapOf } from './frames.js';

interface Source {
  /** The number of the newest message; 0 if there is none. */
  head(): Promise<number>;
  after(seq: number): Promise<Page>;
}

/** Sends the messages of one channel to all of its readers. Reads each message of other processes from the database once. */
export class ChannelFeed {
  /** The number of the last message sent to the readers; null until the channel's newest message is known. */
  seq: number | null = null;
  private readonly readers = new Set<ChannelReader>();
  private newest = 0;
  private isReading = false;
  private start: Promise<number> | null = null;

  constructor(
    private readonly channel: string,
    private readonly source: Source,
  ) {}

  get isEmpty(): boolean {
    return this.readers.size === 0;
  }

  add(reader: ChannelReader): void {
    this.readers.add(reader);
  }

  remove(reader: ChannelReader): void {
    this.readers.delete(reader);
  }

  /** The number of the last message sent to the readers; earlier ones will not be sent. */
  async started(): Promise<number> {
    this.start ??= this.source.head();
    try {
      this.seq ??= await this.start;
    } catch (error) {
      this.start = null;
      throw error;
    }
    this.advance(this.newest);
    return this.seq;
  }

  /** Notes that the channel has a message with this number. */
  advance(seq: number): void {
    this.newest = Math.max(this.newest, seq);
    if (this.isReading || this.seq === null || this.seq >= this.newest) return;
    this.isReading = true;
    // After an error, the next call reads again, at most a second later.
    void this.read(this.seq)
      .catch(() => undefined)
      .finally(() => (this.isReading = false));
  }

  /**
   * Sends a message of this process immediately if it is the next one. Otherwise its notification follows, and it is read
   * together with the messages before it.
   */
  sendNext(message: Message, seq: number): void {
    if (this.isReading || this.seq === null || seq !== this.seq + 1) return;
    this.seq = this.send({ messages: [message], complete: true, lastSeq: seq });
  }

  private async read(from: number): Promise<void> {
    for (let seq = from; seq < this.newest && !this.isEmpty; seq = this.seq ?? seq) {
      const page = await this.source.after(seq);
      this.seq = this.send(page);
    }
  }

  private send({ messages, complete, lastSeq }: Page): number {
    if (!complete) for (const reader of this.readers) reader.pushGap(gapOf(this.channel));
    for (const [index, message] of messages.entries()) {
      const frame = frameOf(message);
      for (const reader of this.readers) reader.push(frame, lastSeq - messages.length + index + 1);
    }
    return lastSeq;
  }
}
