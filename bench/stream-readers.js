import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as pause } from 'node:timers/promises';

/*
 * A separate process that reads many live streams. Orders of the parent over IPC: {url, token, streams, channels} closes those of
 * the order before and opens new ones; {report: expected} waits for this number of deliveries, at most ten seconds, and returns
 * their times, the delay of its own event loop and its CPU time since the streams were open.
 */
const AT_A_TIME = 50;
const PAUSE_MS = 100;
const PATIENCE_MS = 10_000;
/** Milliseconds since the publisher's call, and since the message was published. */
const delays = [];
const deliveries = [];
const loop = monitorEventLoopDelay({ resolution: 5 });
let agent = null;
let cpu = process.cpuUsage();

process.on('message', (order) => {
  const work = order.report === undefined ? open(order) : report(order.report);
  work.then((answer) => process.send(answer));
});

async function open({ url, token, streams, channels }) {
  agent?.destroy();
  agent = new Agent({ maxSockets: Infinity });
  const opened = agent;
  for (let n = 0; n < streams; n += AT_A_TIME) {
    const some = Array.from({ length: Math.min(AT_A_TIME, streams - n) }, (_, i) => follow(n + i));
    await Promise.all(some);
    // A stream counts as a request (MAX_IN_FLIGHT) until it is open.
    await pause(PAUSE_MS);
  }
  for (const times of [delays, deliveries]) times.length = 0;
  loop.enable();
  loop.reset();
  cpu = process.cpuUsage();
  return { open: streams };

  async function follow(n) {
    const path = `/realtime/v1/channels/bench.live.${n % channels}/events`;
    const call = request(url + path, { agent: opened, headers: { authorization: `Bearer ${token}` } }).end();
    const [response] = await once(call, 'response');
    if (response.statusCode !== 200) throw new Error(`Opening a stream returned ${response.statusCode}`);
    response.on('error', () => undefined);
    let rest = '';
    response.setEncoding('utf8').on('data', (chunk) => {
      const lines = (rest + chunk).split('\n');
      rest = lines.pop();
      for (const line of lines) if (line.startsWith('data: ')) note(JSON.parse(line.slice(6)));
    });
  }
}

function note({ data, publishedAt }) {
  const now = Date.now();
  delays.push(now - data.at);
  deliveries.push(now - Date.parse(publishedAt));
}

async function report(expected) {
  const until = performance.now() + PATIENCE_MS;
  while (delays.length < expected && performance.now() < until) await pause(20);
  const { user, system } = process.cpuUsage(cpu);
  return {
    delivered: delays.length,
    called: quantiles(delays),
    published: quantiles(deliveries),
    loopP99: loop.percentile(99) / 1e6,
    cpuSeconds: (user + system) / 1e6,
  };
}

function quantiles(numbers) {
  const sorted = numbers.toSorted((a, b) => a - b);
  const at = (share) => sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? Infinity;
  return { p50: at(0.5), p99: at(0.99) };
}
