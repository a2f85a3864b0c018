import { connect, type Socket } from 'node:net';
import { once } from 'node:events';

export interface WireAnswer {
  readonly status: number;
  /** Names in lower case; a repeated header's values are joined by a comma. */
  readonly headers: Record<string, string>;
  readonly text: string;
}

/** The service closed the connection, or did not answer in time, before the response was complete. */
export class ConnectionLost extends Error {}

const ANSWER_WITHIN_MS = 20_000;

/** One keep-alive connection over which any bytes may be sent: the HTTP client of Node rejects half of them. */
export class Connection {
  private socket: Socket | null = null;
  private received = Buffer.alloc(0);
  private wake: () => void = () => undefined;
  private fault: Error | null = null;

  constructor(private readonly url: URL) {}

  /** Throws ConnectionLost, even if one request got several responses. */
  async send(bytes: Buffer, { method, mayClose }: { method: string; mayClose: boolean }): Promise<WireAnswer> {
    const socket = await this.open();
    socket.write(bytes);
    try {
      const answer = await this.answer(method);
      if (mayClose || answer.headers['connection'] === 'close' || isEndless(answer.headers)) this.close();
      else if (this.received.length > 0) throw new ConnectionLost(`more than one answer: ${this.received.toString()}`);
      return answer;
    } catch (error) {
      this.close();
      throw error;
    }
  }

  close(): void {
    this.socket?.destroy();
    this.socket = null;
  }

  private async open(): Promise<Socket> {
    if (this.socket !== null && !this.socket.destroyed && this.fault === null) return this.socket;
    const socket = connect({ port: Number(this.url.port), host: this.url.hostname, noDelay: true });
    this.received = Buffer.alloc(0);
    this.fault = null;
    socket.on('data', (chunk) => {
      this.received = Buffer.concat([this.received, chunk]);
      this.wake();
    });
    socket.on('error', (error) => this.end(socket, error));
    socket.on('close', () => this.end(socket, new Error('closed')));
    this.socket = socket;
    try {
      await once(socket, 'connect');
    } catch (error) {
      throw new ConnectionLost('the service does not listen', { cause: error });
    }
    return socket;
  }

  /** The last event of an old socket must not end the new one. */
  private end(socket: Socket, fault: Error): void {
    if (socket !== this.socket) return;
    this.fault ??= fault;
    this.wake();
  }

  private async answer(method: string): Promise<WireAnswer> {
    const deadline = setTimeout(() => {
      this.fault ??= new Error(`no answer within ${ANSWER_WITHIN_MS} ms`);
      this.wake();
    }, ANSWER_WITHIN_MS);
    try {
      for (;;) {
        const answer = this.take(method);
        // 100 Continue is not a response yet.
        if (answer !== null && answer.status >= 200) return answer;
        if (answer !== null) continue;
        if (this.fault !== null) {
          throw new ConnectionLost(`${this.fault.message} after ${this.received.length} bytes of an answer`);
        }
        await new Promise<void>((resolve) => (this.wake = resolve));
      }
    } finally {
      clearTimeout(deadline);
    }
  }

  /** Returns the complete response, or null. */
  private take(method: string): WireAnswer | null {
    const end = this.received.indexOf('\r\n\r\n');
    if (end === -1) return null;
    const [start = '', ...lines] = this.received.subarray(0, end).toString('latin1').split('\r\n');
    const status = Number(start.split(' ')[1]);
    const headers = headersOf(lines);
    const isBodiless = method === 'HEAD' || status < 200 || status === 204 || status === 304 || isEndless(headers);
    const body = isBodiless ? { bytes: Buffer.alloc(0), end: end + 4 } : bodyOf(this.received, end + 4, headers);
    if (body === null) return null;
    this.received = this.received.subarray(body.end);
    return { status, headers, text: body.bytes.toString() };
  }
}

/** A live stream: its headers are the whole response here. */
function isEndless(headers: Record<string, string>): boolean {
  return headers['content-type']?.startsWith('text/event-stream') ?? false;
}

function headersOf(lines: string[]): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const line of lines) {
    const at = line.indexOf(':');
    const name = line.slice(0, at).toLowerCase();
    const value = line.slice(at + 1).trim();
    headers[name] = headers[name] === undefined ? value : `${headers[name]}, ${value}`;
  }
  return headers;
}

function bodyOf(
  received: Buffer,
  from: number,
  headers: Record<string, string>,
): { bytes: Buffer; end: number } | null {
  if (headers['transfer-encoding'] === 'chunked') return chunksOf(received, from);
  const end = from + Number(headers['content-length'] ?? 0);
  return received.length < end ? null : { bytes: received.subarray(from, end), end };
}

function chunksOf(received: Buffer, from: number): { bytes: Buffer; end: number } | null {
  const chunks: Buffer[] = [];
  for (let at = from; ;) {
    const lineEnd = received.indexOf('\r\n', at);
    if (lineEnd === -1) return null;
    const size = parseInt(received.subarray(at, lineEnd).toString('latin1'), 16);
    const end = lineEnd + 2 + size;
    if (received.length < end + 2) return null;
    if (size === 0) return { bytes: Buffer.concat(chunks), end: end + 2 };
    chunks.push(received.subarray(lineEnd + 2, end));
    at = end + 2;
  }
}
