import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { closeAfterTests } from '../setup/running.js';

export interface Received {
  path: string;
  headers: IncomingHttpHeaders;
  /** The exact text, which is signed. */
  body: string;
  id: string;
  type: string;
  data: Record<string, unknown>;
}

/** Answers a request; by default with 204. */
export type Answer = (received: Received, response: ServerResponse) => void;

/** Receives webhooks at any path of a port of this machine. */
export class Receiver {
  readonly received: Received[] = [];
  answer: Answer = (_, response) => void response.writeHead(204).end();

  private constructor(readonly origin: string) {}

  static async start(): Promise<Receiver> {
    let receiver: Receiver | null = null;
    const server = createServer((request, response) => {
      void text(request).then((body) => {
        const { type, data } = JSON.parse(body) as Pick<Received, 'type' | 'data'>;
        const id = String(request.headers['webhook-id']);
        const received = { path: request.url ?? '', headers: request.headers, body, id, type, data };
        receiver?.received.push(received);
        receiver?.answer(received, response);
      });
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    closeAfterTests(async () => {
      server.closeAllConnections();
      server.close();
      await Promise.resolve();
    });
    receiver = new Receiver(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    return receiver;
  }

  /** What was received at this path. */
  at(path: string): Received[] {
    return this.received.filter((one) => one.path === path);
  }
}
