#!/usr/bin/env node
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { startFloor, startService } from './processes.js';
import { startWorld } from './world.js';

/*
 * npm run bench:streams: live streams of one instance. STREAMS (1000) streams over STREAM_CHANNELS (50) channels;
 * STREAM_RATE (200) messages per second in total, for STREAM_SECONDS (10). A separate process reads the streams and measures
 * the time of each delivery: from the publisher's call, and from `publishedAt`. The same readers and the same publisher
 * measure the floor first, a process without a database: its times are those of the measurement itself. "loop" is the event
 * loop delay of the readers (p99), "CPU" the seconds that service, readers and publisher have used.
 */
const streams = Number(process.env.STREAMS ?? 1_000);
const channels = Number(process.env.STREAM_CHANNELS ?? 50);
const rate = Number(process.env.STREAM_RATE ?? 200);
const seconds = Number(process.env.STREAM_SECONDS ?? 10);
const HEADINGS =
  'served by,msg/s,deliveries,missing,call p50,p99 ms,publ. p50,p99 ms,loop p99,late,CPU s,readers,publisher,KB/stream,RSS MB';

const world = await startWorld();
// All streams have one credential.
const env = { ...world.env, MAX_STREAMS_PER_CREDENTIAL: String(streams) };
const readers = fork(join(import.meta.dirname, 'stream-readers.js'));
try {
  print(HEADINGS.split(','));
  const floor = await measure('bare', await startFloor('streams', world));
  const own = await measure('service', await startService({ ...world, env }));
  const ratio = own.called.p99 / floor.called.p99;
  process.stdout.write(`p99 from the publisher's call: ${ratio.toFixed(1)} of bare\n`);
} finally {
  readers.kill();
  await world.stop();
  rmSync(world.folder, { recursive: true, force: true });
}

async function measure(name, service) {
  try {
    const { platformKey: token } = world.credentials;
    const before = rssMb(service);
    await ordered({ url: service.url, token, streams, channels });
    const open = rssMb(service);
    const cpu = { service: cpuSeconds(service), publisher: process.cpuUsage() };
    const { published, late } = await publish(service.url, token);
    const publisher = process.cpuUsage(cpu.publisher);
    const report = await ordered({ report: (published * streams) / channels });
    print([
      name,
      (published / seconds).toFixed(0),
      report.delivered,
      (published * streams) / channels - report.delivered,
      ...[report.called, report.published].flatMap(({ p50, p99 }) => [p50.toFixed(0), p99.toFixed(0)]),
      report.loopP99.toFixed(0),
      late,
      (cpuSeconds(service) - cpu.service).toFixed(1),
      report.cpuSeconds.toFixed(1),
      ((publisher.user + publisher.system) / 1e6).toFixed(1),
      (((open - before) * 1024) / streams).toFixed(1),
      `${before.toFixed(0)} > ${rssMb(service).toFixed(0)}`,
    ]);
    return report;
  } finally {
    await service.stop();
  }
}

/** Evenly spread, without waiting for responses; `late` were sent more than 50 ms after they were due. */
async function publish(url, token) {
  const began = performance.now();
  const running = [];
  let late = 0;
  for (let n = 0; n < rate * seconds; n += 1) {
    const due = began + (n * 1000) / rate;
    const wait = due - performance.now();
    if (wait > 0) await new Promise((resolve) => setTimeout(resolve, wait));
    else if (wait < -50) late += 1;
    running.push(send(url, token, n).catch(() => null));
  }
  const answers = await Promise.all(running);
  return { published: answers.filter((status) => status === 201).length, late };
}

async function send(url, token, n) {
  const response = await fetch(`${url}/realtime/v1/channels/bench.live.${n % channels}/messages`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ event: 'measured', data: { n, at: Date.now() } }),
  });
  await response.arrayBuffer();
  return response.status;
}

async function ordered(order) {
  readers.send(order);
  const [answer] = await once(readers, 'message');
  return answer;
}

function rssMb(service) {
  const kib = /^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${service.pid}/status`, 'utf8'))?.[1];
  return Number(kib) / 1024;
}

/** User and system time of the process so far; Linux counts in hundredths. */
function cpuSeconds(service) {
  const fields = readFileSync(`/proc/${service.pid}/stat`, 'utf8').split(') ')[1].split(' ');
  return (Number(fields[11]) + Number(fields[12])) / 100;
}

function print(cells) {
  process.stdout.write(`${cells.map((cell) => String(cell).padStart(11)).join('')}\n`);
}
