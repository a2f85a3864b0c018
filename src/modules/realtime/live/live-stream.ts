import { once } from 'node:events';
import type { Response } from 'express';
import { OPENING } from './frames.js';

const MAX_WAITING = 500;
const MAX_WAITING_BYTES = 1024 * 1024;

/** One client's stream: each message once and in order. A client that does not keep up is cut off, and resumes by id. */
export class LiveStream {
  private isLive = false;
  private waiting = 0;

  constructor(
    private readonly response: Response,
    /** The number of the last message that the client has. */
    public lastSeq: number,
  ) {}

  get isClosed(): boolean {
    return this.response.writableEnded || this.response.destroyed;
  }

  /** The head of the answer. HEAD gets nothing else. */
  open(): void {
    const { response } = this;
    response.setHeader('Content-Type', 'text/event-stream; charset=utf-8');
    response.setHeader('Cache-Control', 'no-store');
    response.setHeader('X-Accel-Buffering', 'no');
    // The stream ends with its connection, so nobody needs chunks: each would be two more pieces to write for each reader.
    response.setHeader('Connection', 'close');
    response.removeHeader('Transfer-Encoding');
    if (response.req.method === 'HEAD') response.end();
    else response.write(OPENING);
  }

  onClosed(follow: () => void): void {
    if (this.response.closed) follow();
    else this.response.once('close', follow);
  }

  /** What the client has missed, at its own pace: resolves when it has taken that, or is gone. */
  async replay(frames: readonly Buffer[], lastSeq: number): Promise<void> {
    this.lastSeq = lastSeq;
    if (this.isClosed || frames.length === 0 || this.response.write(Buffer.concat(frames))) return;
    await Promise.race([once(this.response, 'drain'), once(this.response, 'close')]);
  }

  /** The client has all that its channel's feed has handed out: from now on it gets what that hands out. */
  goLive(): void {
    this.isLive = true;
  }

  /** A message of the feed. One that was replayed already is left out. */
  push(frame: Buffer, seq: number): void {
    if (!this.isLive || seq <= this.lastSeq) return;
    this.lastSeq = seq;
    this.say(frame);
  }

  /** Something of the feed that is no message; a stream that is not live finds it out by itself. */
  pushGap(frame: Buffer): void {
    if (this.isLive) this.say(frame);
  }

  say(frame: Buffer): void {
    if (this.isClosed) return;
    this.waiting += 1;
    this.response.write(frame, () => (this.waiting -= 1));
    if (this.waiting > MAX_WAITING || this.response.writableLength > MAX_WAITING_BYTES) this.response.destroy();
  }

  end(): void {
    if (!this.isClosed) this.response.end();
  }
}
