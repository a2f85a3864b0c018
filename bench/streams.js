#!/usr/bin/env node
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { startService } from './processes.js';
import { startWorld } from './world.js';

/*
 * npm run bench:streams: live streams of one instance. STREAMS (1000) streams over STREAM_CHANNELS (50) channels;
 * STREAM_RATE (200) messages per second in total, for STREAM_SECONDS (10). A separate process reads the streams and measures
 * the time of each delivery: from the publisher's call, and from `publishedAt`.
 */
const streams = Number(process.env.STREAMS ?? 1_000);
const channels = Number(process.env.STREAM_CHANNELS ?? 50);
const rate = Number(process.env.STREAM_RATE ?? 200);
const seconds = Number(process.env.STREAM_SECONDS ?? 10);

const world = await startWorld();
const readers = fork(join(import.meta.dirname, 'stream-readers.js'));
let service = null;
try {
  // All streams have one credential.
  const env = { ...world.env, MAX_STREAMS_PER_CREDENTIAL: String(streams) };
  service = await startService({ ...world, env });
  const before = rssMb();
  const { platformKey: token } = world.credentials;
  await ordered({ url: service.url, token, streams, channels });
  const open = rssMb();
  const { published, late } = await publish(token);
  const report = await ordered({ report: (published * streams) / channels });
  const after = rssMb();
  print([
    'streams',
    'channels',
    'msg/s',
    'deliveries',
    'missing',
    'call p50',
    'p99 ms',
    'publ. p50',
    'p99 ms',
    'late',
    'KB/stream',
    'RSS MB',
  ]);
  print([
    streams,
    channels,
    (published / seconds).toFixed(0),
    report.delivered,
    (published * streams) / channels - report.delivered,
    ...[report.called, report.published].flatMap(({ p50, p99 }) => [p50.toFixed(0), p99.toFixed(0)]),
    late,
    (((open - before) * 1024) / streams).toFixed(1),
    `${before.toFixed(0)} > ${after.toFixed(0)}`,
  ]);
} finally {
  readers.kill();
  await service?.stop();
  await world.stop();
  rmSync(world.folder, { recursive: true, force: true });
}

/** Evenly spread, without waiting for responses; `late` were sent more than 50 ms after they were due. */
async function publish(token) {
  const began = performance.now();
  const running = [];
  let late = 0;
  for (let n = 0; n < rate * seconds; n += 1) {
    const due = began + (n * 1000) / rate;
    const wait = due - performance.now();
    if (wait > 0) await new Promise((resolve) => setTimeout(resolve, wait));
    else if (wait < -50) late += 1;
    running.push(send(token, n));
  }
  const answers = await Promise.all(running);
  return { published: answers.filter((status) => status === 201).length, late };
}

async function send(token, n) {
  const response = await fetch(`${service.url}/realtime/v1/channels/bench.live.${n % channels}/messages`, {
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

function rssMb() {
  const kib = /^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${service.pid}/status`, 'utf8'))?.[1];
  return Number(kib) / 1024;
}

function print(cells) {
  process.stdout.write(`${cells.map((cell) => String(cell).padStart(12)).join('')}\n`);
}
