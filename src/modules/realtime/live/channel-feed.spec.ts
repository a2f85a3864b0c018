import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { Duplex } from 'node:stream';
import { expect, it } from '@jest/globals';
import type { Message } from '../messages/message.js';
import { ChannelFeed } from './channel-feed.js';
import { ChannelReader } from './channel-reader.js';
import { LiveStream } from './live-stream.js';

const CHANNEL = 'bench.live';

function message(seq: number): Message {
  return { id: `rtm_${seq}`, channel: CHANNEL, event: 'e', data: seq, publishedAt: new Date(0), publishedBy: null };
}

/** Creates a feed whose channel has one message, and a live stream that records the ids it receives. */
async function startFeed() {
  const stored = [message(1)];
  const received: string[] = [];
  let reads = 0;
  const feed = new ChannelFeed(CHANNEL, {
    head: () => Promise.resolve(1),
    after: (seq) => {
      reads += 1;
      const messages = stored.slice(seq);
      return Promise.resolve({ messages, complete: true, lastSeq: seq + messages.length });
    },
  });
  const response = new ServerResponse(new IncomingMessage(new Socket()));
  const sink = new Duplex({
    read: () => undefined,
    write: (chunk: Buffer, _, done) => {
      received.push(...[...chunk.toString().matchAll(/^id: rtm_(\d+)$/gm)].flatMap(([, id]) => id ?? []));
      done();
    },
  });
  response.assignSocket(sink as Socket);
  const stream = new LiveStream(response, [CHANNEL]);
  const reader = new ChannelReader(stream, CHANNEL, 1);
  feed.add(reader);
  await feed.started();
  stream.open();
  reader.goLive();
  return { feed, stored, received, reads: () => reads };
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

it('sends the next message of this process without reading the database', async () => {
  const { feed, received, reads } = await startFeed();
  feed.sendNext(message(2), 2);
  feed.sendNext(message(3), 3);
  await settled();
  expect([received, reads()]).toEqual([['2', '3'], 0]);
});

it('does not send a message before the one of another process that precedes it', async () => {
  const { feed, stored, received } = await startFeed();
  feed.sendNext(message(3), 3);
  await settled();
  expect(received).toEqual([]);

  stored.push(message(2), message(3));
  feed.advance(3);
  await settled();
  expect(received).toEqual(['2', '3']);
});

it('sends a message once if its notification precedes it or follows it', async () => {
  const { feed, stored, received } = await startFeed();
  stored.push(message(2), message(3));
  feed.advance(2);
  feed.sendNext(message(2), 2);
  await settled();
  feed.sendNext(message(3), 3);
  feed.advance(3);
  await settled();
  expect(received).toEqual(['2', '3']);
});
