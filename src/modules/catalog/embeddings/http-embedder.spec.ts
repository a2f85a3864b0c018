import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { HttpEmbedder } from './http-embedder.js';

/** An embedding service on the loopback interface whose responses the test controls. */
let server: Server;
let embedder: HttpEmbedder;

beforeEach(async () => {
  server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const settings = {
    embeddingUrl: `http://127.0.0.1:${port}/`,
    embeddingApiKey: null,
    embeddingModel: 'toy',
    embeddingLanguages: ['en'],
  };
  embedder = new HttpEmbedder(settings, { run: (_call, work) => work({}) });
});

afterEach(async () => {
  server.closeAllConnections();
  server.close();
  await once(server, 'close');
});

/** Sends a query that the service receives and does not respond to, and aborts it for this reason. */
async function abandonedQuery(reason: DOMException): Promise<void> {
  const caller = new AbortController();
  const received = once(server, 'request');
  const rejected = expect(embedder.embed(['ice'], 'query', caller.signal)).rejects.toThrow('in time');
  const [, response] = (await received) as [unknown, ServerResponse];
  const closed = once(response, 'close');
  caller.abort(reason);
  await rejected;
  await closed;
  expect(response.writableEnded).toBe(false);
}

const disconnected = () => new DOMException('The client disconnected', 'AbortError');
const late = () => new DOMException('The time limit has passed', 'TimeoutError');

describe('the embedder of an HTTP service', () => {
  it('the embedder of an HTTP service closes the connection of a running query that its caller abandons', async () => {
    await abandonedQuery(disconnected());
  });

  it('the embedder of an HTTP service still asks the service after any number of clients have disconnected', async () => {
    for (let n = 0; n < 5; n += 1) await abandonedQuery(disconnected());
    server.once('request', (_, response: ServerResponse) => response.end('{"data":[{"embedding":[1,2]}]}'));
    expect(await embedder.embed(['ice'], 'query')).toEqual([Float32Array.from([1, 2])]);
  });

  it('the embedder of an HTTP service stops asking the service after three queries in a row exceeded their time limit', async () => {
    for (let n = 0; n < 3; n += 1) await abandonedQuery(late());
    await expect(embedder.embed(['ice'], 'query')).rejects.toThrow('has failed repeatedly');
  });
});
