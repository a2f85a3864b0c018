// @ts-check
import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import { between } from './figures.js';

/** @typedef {import('node:net').Socket} Socket @typedef {'pass' | 'blackhole' | 'refuse' | 'reset' | 'latency' | 'cut'} Mode */

/** Milliseconds by which `latency` delays each chunk, and the number of chunks per reset by `cut`. */
const LATENCY_MS = /** @type {const} */ ([100, 500]);
const CUT_ONE_IN = 100;

/**
 * A TCP proxy between the service and its database that simulates network faults: `blackhole` accepts bytes and forwards none;
 * `refuse` stops listening and closes all connections; `reset` accepts connections and resets them; `latency` delays all
 * chunks in order; `cut` resets connections at random.
 */
export class Network {
  /** @type {Mode} */
  mode = 'pass';
  /** @type {Set<Socket>} */
  sockets = new Set();

  /** @param {URL} target @param {number} port @param {import('node:net').Server} server */
  constructor(target, port, server) {
    this.target = target;
    this.port = port;
    this.server = server;
    server.on('connection', (client) => this.accept(client));
  }

  /** @param {string} databaseUrl */
  static async start(databaseUrl) {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    if (address === null || typeof address === 'string') throw new Error('The proxy has no port');
    return new Network(new URL(databaseUrl), address.port, server);
  }

  /** The database's URL through this proxy. */
  get url() {
    const url = new URL(this.target);
    url.hostname = '127.0.0.1';
    url.port = String(this.port);
    return url.href;
  }

  /** @param {Mode} mode */
  async become(mode) {
    const before = this.mode;
    this.mode = mode;
    if (before === 'refuse' && mode !== 'refuse') await this.listenAgain();
    for (const socket of this.sockets) {
      if (mode === 'refuse' || mode === 'reset') socket.resetAndDestroy();
      else if (mode === 'blackhole') socket.pause();
      else socket.resume();
    }
    if (mode === 'refuse' && before !== 'refuse') this.server.close();
  }

  async close() {
    for (const socket of this.sockets) socket.destroy();
    if (!this.server.listening) return;
    this.server.close();
    await once(this.server, 'close');
  }

  async listenAgain() {
    this.server.listen(this.port, '127.0.0.1');
    await once(this.server, 'listening');
  }

  /** @param {Socket} client */
  accept(client) {
    if (this.mode === 'reset') {
      client.on('error', () => undefined);
      client.resetAndDestroy();
      return;
    }
    const database = connect(Number(this.target.port), this.target.hostname);
    this.lead(client, database, () => 0);
    this.lead(database, client, () => between(LATENCY_MS[0], LATENCY_MS[1]));
  }

  /** @param {Socket} from @param {Socket} to @param {() => number} latency */
  lead(from, to, latency) {
    this.sockets.add(from);
    let free = 0;
    /** @type {Buffer[]} */
    const delayed = [];
    from.on('data', (bytes) => {
      if (this.mode === 'cut' && between(1, CUT_ONE_IN) === 1) {
        from.resetAndDestroy();
        return;
      }
      const now = performance.now();
      free = Math.max(free, this.mode === 'latency' ? now + latency() : now);
      if (free <= now && delayed.length === 0) {
        to.write(bytes);
        return;
      }
      // Timers of almost the same time may fire in any order, chunks keep theirs.
      delayed.push(bytes);
      setTimeout(() => to.write(/** @type {Buffer} */ (delayed.shift())), free - now);
    });
    if (this.mode === 'blackhole') from.pause();
    from.on('error', () => to.destroy());
    from.on('close', () => {
      this.sockets.delete(from);
      to.destroy();
    });
  }
}
