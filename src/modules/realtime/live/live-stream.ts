import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { OPENING } from './frames.js';

const MAX_WAITING = 500;
const MAX_WAITING_BYTES = 1024 * 1024;

/** The stream of one client. A client that reads too slowly is disconnected and can resume by id. */
export class LiveStream {
  private waiting = 0;
  private readonly written = (): void => {
    this.waiting -= 1;
  };

  constructor(
    private readonly response: ServerResponse,
    readonly channels: readonly string[],
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

  /** Sends at the client's pace: resolves when the client has read the frames or has disconnected. */
  async sendSlowly(frames: readonly Buffer[]): Promise<void> {
    if (this.isClosed || frames.length === 0 || this.response.write(Buffer.concat(frames))) return;
    await Promise.race([once(this.response, 'drain'), once(this.response, 'close')]);
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
