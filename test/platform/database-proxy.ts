import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';

type Mode = 'pass' | 'blackhole' | 'refuse';

/** A proxy between the service and its database that can fail like a network. */
export class DatabaseProxy {
  private mode: Mode = 'pass';
  private unanswered: string | null = null;
  private swallowed: string | null = null;
  private readonly sockets = new Set<Socket>();

  private constructor(
    private readonly target: URL,
    private readonly server: Server,
  ) {
    server.on('connection', (client) => this.accept(client));
  }

  static async start(databaseUrl: string): Promise<DatabaseProxy> {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new DatabaseProxy(new URL(databaseUrl), server);
  }

  /** The URL of the database through this proxy. */
  get url(): string {
    const url = new URL(this.target);
    const address = this.server.address();
    url.hostname = '127.0.0.1';
    url.port = typeof address === 'object' && address ? String(address.port) : '';
    return url.href;
  }

  /** Bytes are accepted and discarded; no connection is closed. */
  blackhole(): void {
    this.mode = 'blackhole';
    for (const socket of this.sockets) socket.pause();
  }

  /** Existing connections are reset, and so is each new one. */
  refuse(): void {
    this.mode = 'refuse';
    for (const socket of this.sockets) socket.resetAndDestroy();
  }

  pass(): void {
    this.mode = 'pass';
    for (const socket of this.sockets) socket.resume();
  }

  /** Executes the next statement that contains this text, and resets its connection before the response. */
  loseAnswerTo(text: string): void {
    this.unanswered = text;
  }

  /** From the first statement that contains this text on, the proxy discards all bytes. */
  blackholeAt(text: string): void {
    this.swallowed = text;
  }

  get isBlackhole(): boolean {
    return this.mode === 'blackhole';
  }

  async close(): Promise<void> {
    this.server.close();
    for (const socket of this.sockets) socket.destroy();
    await once(this.server, 'close');
  }

  private accept(client: Socket): void {
    if (this.mode === 'refuse') {
      client.resetAndDestroy();
      return;
    }
    const database = connect(Number(this.target.port), this.target.hostname);
    client.on('data', (bytes) => {
      if (this.swallowed !== null && bytes.includes(this.swallowed)) this.blackhole();
      if (this.unanswered === null || !bytes.includes(this.unanswered)) return;
      this.unanswered = null;
      database.removeAllListeners('data').once('data', () => client.resetAndDestroy());
    });
    for (const [one, other] of [
      [client, database],
      [database, client],
    ] as const) {
      this.sockets.add(one);
      one.on('data', (bytes) => other.write(bytes));
      if (this.mode === 'blackhole') one.pause();
      one.on('error', () => other.destroy());
      one.on('close', () => {
        this.sockets.delete(one);
        other.destroy();
      });
    }
  }
}
