import { createServer } from 'node:http';

/* The floor of live streams: a message that is posted is written to all streams of its channel, without a database. */
const channels = new Map();

const server = createServer((request, response) => {
  const [, channel, action] = /^\/realtime\/v1\/channels\/([^/]+)\/(events|messages)$/.exec(request.url) ?? [];
  if (action === 'events') follow(channel, response);
  else if (action === 'messages') publish(channel, request, response);
  else response.end();
});
server.keepAliveTimeout = 60_000;
server.listen(Number(process.env.PORT), '127.0.0.1');
process.on('SIGTERM', () => process.exit(0));

function follow(channel, response) {
  const streams = channels.get(channel) ?? new Set();
  channels.set(channel, streams.add(response));
  response.on('close', () => streams.delete(response));
  response.writeHead(200, { 'content-type': 'text/event-stream', connection: 'close' }).write(':\n\n');
}

async function publish(channel, request, response) {
  let body = '';
  for await (const chunk of request.setEncoding('utf8')) body += chunk;
  const { data } = JSON.parse(body);
  const frame = Buffer.from(`data: ${JSON.stringify({ data, publishedAt: new Date().toISOString() })}\n\n`);
  for (const stream of channels.get(channel) ?? []) stream.write(frame);
  response.writeHead(201).end();
}
