// @ts-check
import { once } from 'node:events';
import { Agent, createServer, request } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';

const POLL_MS = 100;

/**
 * @typedef {import('./instance.js').Instance} Instance
 * @typedef {import('node:http').IncomingMessage} IncomingMessage
 * @typedef {import('node:http').ServerResponse} ServerResponse
 */

/**
 * A minimal load balancer: forwards requests in turn, over persistent connections, to the instances that were ready at the
 * last check. It repeats no request, so that every failure is seen.
 */
export class Balancer {
  /** @type {Instance[]} */
  ready = [];
  turn = 0;
  watching = true;
  agent = new Agent({ keepAlive: true });

  /** @param {Instance[]} instances @param {import('node:http').Server} server @param {number} port */
  constructor(instances, server, port) {
    this.instances = instances;
    this.server = server;
    this.url = `http://127.0.0.1:${port}`;
    server.on('request', (incoming, outgoing) => this.forward(incoming, outgoing));
    this.watched = this.watch();
  }

  /** @param {Instance[]} instances */
  static async start(instances) {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    if (address === null || typeof address === 'string') throw new Error('The balancer has no port');
    const balancer = new Balancer(instances, server, address.port);
    while (balancer.ready.length < instances.length) await pause(POLL_MS);
    return balancer;
  }

  async close() {
    this.watching = false;
    await this.watched;
    this.agent.destroy();
    this.server.closeAllConnections();
    this.server.close();
  }

  async watch() {
    while (this.watching) {
      const answers = await Promise.all(this.instances.map(({ caller }) => caller.call({ path: '/health/ready' })));
      this.ready = this.instances.filter((_, n) => answers[n]?.status === 200);
      await pause(POLL_MS);
    }
  }

  /** @param {IncomingMessage} incoming @param {ServerResponse} outgoing */
  forward(incoming, outgoing) {
    const target = this.ready[(this.turn += 1) % this.ready.length];
    if (!target) {
      outgoing.writeHead(502).end('No instance is ready');
      return;
    }
    const { method, url: path, headers } = incoming;
    const onward = request({ agent: this.agent, host: '127.0.0.1', port: target.port, method, path, headers });
    onward.on('response', (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(outgoing);
    });
    onward.on('error', (error) => {
      if (outgoing.headersSent) outgoing.destroy();
      else outgoing.writeHead(502).end(`${error.message} from ${target.port}`);
    });
    incoming.pipe(onward);
  }
}
