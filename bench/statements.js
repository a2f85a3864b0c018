import { createServer, connect } from 'node:net';
import { once } from 'node:events';
import { startService } from './processes.js';

const OPERATIONS = 100;
const [QUERY, EXECUTE] = [0x51, 0x45];

/**
 * The numbers of statements (BEGIN and COMMIT included) and of round trips of one operation, counted by a proxy for PostgreSQL's
 * protocol. Those of the service's own monitoring are included.
 */
export async function countStatements(world, next) {
  const database = new URL(world.databaseUrl);
  const proxy = await startProxy(database);
  const through = new URL(database);
  through.port = String(proxy.port);
  const service = await startService({ ...world, env: { ...world.env, JOBS: 'false' } }, through.href);
  try {
    // The first requests prepare statements, read signing keys and fill caches.
    for (let n = 0; n < 20; n += 1) await send(service.url, next());
    const before = proxy.counts();
    for (let n = 0; n < OPERATIONS; n += 1) await send(service.url, next());
    const after = proxy.counts();
    const each = (name) => ((after[name] - before[name]) / OPERATIONS).toFixed(1);
    return { statements: each('statements'), roundTrips: each('roundTrips') };
  } finally {
    await service.stop();
    proxy.close();
  }
}

async function send(url, { method, path, headers, body }) {
  const answer = await fetch(url + path, { method, headers, body });
  await answer.arrayBuffer();
  if (!answer.ok) throw new Error(`${method} ${path} returned ${answer.status}`);
}

async function startProxy(database) {
  const count = { statements: 0, roundTrips: 0 };
  const server = createServer((client) => {
    const upstream = connect(Number(database.port), database.hostname);
    // Everything sent before the server's first response belongs to one round trip.
    let answered = true;
    const reader = messageReader((type) => {
      if (type !== QUERY && type !== EXECUTE) return;
      count.statements += 1;
      if (answered) count.roundTrips += 1;
      answered = false;
    });
    upstream.on('data', () => (answered = true));
    client.on('data', (chunk) => {
      reader(chunk);
      upstream.write(chunk);
    });
    upstream.pipe(client);
    for (const [one, other] of [
      [client, upstream],
      [upstream, client],
    ]) {
      one.on('error', () => other.destroy());
      one.on('close', () => other.destroy());
    }
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { port: server.address().port, counts: () => ({ ...count }), close: () => server.close() };
}

/** Calls `onMessage` with the type of each message of the client; the first message of a connection has none. */
function messageReader(onMessage) {
  let rest = Buffer.alloc(0);
  let started = false;
  return (chunk) => {
    rest = Buffer.concat([rest, chunk]);
    for (;;) {
      const header = started ? 5 : 4;
      if (rest.length < header) return;
      const length = rest.readUInt32BE(header - 4) + header - 4;
      if (rest.length < length) return;
      if (started) onMessage(rest[0]);
      started = true;
      rest = rest.subarray(length);
    }
  };
}
