import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { OPENING } from './frames.js';

const MAX_WAITING = 500;
const MAX_WAITING_BYTES = 1024 * 1024;

/**
 * The stream of one client delivers each message once and in order. A client that reads too slowly is disconnected and can
 * resume by id.
 */
export class LiveStream {
  private isLive = false;
  private waiting = 0;
  private readonly written = (): void => {
    this.waiting -= 1;
  };

  constructor(
    private readonly response: ServerResponse,
    readonly channel: string,
    /** The number of the last message sent to the client. */
    public lastSeq: number,
  ) {}

  get isClosed(): boolean {
    return this.response.writableEnded || this.response.destroyed;
  }

  /** Sends the response headers; a HEAD request gets only these. */
  open(): void {
    const { response } = this;
    response.setHeader('Content-Type', 'text/event-stream; charset=utf-8');
    response.setHeader('Cache-Control', 'no-store');
    response.setHeader('X-Accel-Buffering', 'no');
    // The stream ends with its connection, so it needs no chunked encoding, which would add two writes per message and reader.
    response.setHeader('Connection', 'close');
    response.removeHeader('Transfer-Encoding');
    if (response.req.method === 'HEAD') response.end();
    else response.write(OPENING);
  }

  onClosed(listener: () => void): void {
    if (this.response.closed) listener();
    else this.response.once('close', listener);
  }

  /** Sends missed messages at the client's pace: resolves when the client has read them or has disconnected. */
  async replay(frames: readonly Buffer[], lastSeq: number): Promise<void> {
    this.lastSeq = lastSeq;
    if (this.isClosed || frames.length === 0 || this.response.write(Buffer.concat(frames))) return;
    await Promise.race([once(this.response, 'drain'), once(this.response, 'close')]);
  }

  /** The client has everything that the feed has sent; from now on it receives the feed's messages. */
  goLive(): void {
    this.isLive = true;
  }

  /** Sends a message of the feed unless it was replayed already. */
  push(frame: Buffer, seq: number): void {
    if (!this.isLive || seq <= this.lastSeq) return;
    this.lastSeq = seq;
    this.send(frame);
  }

  /** A stream that is not live yet detects the gap itself. */
  pushGap(frame: Buffer): void {
    if (this.isLive) this.send(frame);
  }

  send(frame: Buffer): void {
    if (this.isClosed) return;
    this.waiting += 1;
    this.response.write(frame, this.written);
    if (this.waiting > MAX_WAITING || this.response.writableLength > MAX_WAITING_BYTES) this.response.destroy();
  }

  end(): void {
    if (!this.isClosed) this.response.end();
  }
}
