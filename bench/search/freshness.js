import { loadavg } from 'node:os';
import pg from 'pg';
import { startService } from '../processes.js';
import { startWorld } from '../world.js';

/*
 * npm run bench:search -- freshness: writes 50 documents per second through the first of two services, and measures when each
 * of the two has indexed a change: with notifications, and while their connections are terminated again and again. Target:
 * p95 < 2 s.
 */
const WRITES_A_SECOND = 50;
const SECONDS = Number(process.env.BENCH_SECONDS ?? 10);
const print = (line) => process.stdout.write(`${line}\n`);

export async function measureFreshness() {
  const world = await startWorld();
  const services = [];
  try {
    for (let n = 0; n < 2; n += 1) services.push(await startService(world));
    for (const service of services) await ready(service.url);
    // A process that has just started rejects requests above its capacity.
    await write(services[0].url, world.credentials.staff.token);
    for (const service of services) await secondsOf(service);
    for (const isDeaf of [false, true]) {
      const deaf = isDeaf ? deafen(world.databaseUrl) : null;
      await write(services[0].url, world.credentials.staff.token);
      await new Promise((resolve) => setTimeout(resolve, 3_000));
      await deaf?.stop();
      for (const [n, service] of services.entries()) {
        print(`${isDeaf ? 'without notices' : 'with notices   '}, process ${n + 1}: ${await secondsOf(service)}`);
      }
    }
    print(`load of the machine ${loadavg()[0].toFixed(1)}`);
  } finally {
    for (const service of services) await service.stop();
    await world.stop();
  }
}

async function ready(url) {
  while (!(await fetch(`${url}/health/ready`)).ok) await new Promise((resolve) => setTimeout(resolve, 100));
}

async function write(url, token) {
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${token}` };
  const writes = [];
  const began = performance.now();
  for (let n = 0; n < WRITES_A_SECOND * SECONDS; n += 1) {
    const body = JSON.stringify({ fields: { name: `Fresh trip ${n}` } });
    writes.push(fetch(`${url}/v1/admin/catalog/documents/products/fresh-${n}`, { method: 'PUT', headers, body }));
    const wait = began + ((n + 1) * 1_000) / WRITES_A_SECOND - performance.now();
    if (wait > 0) await new Promise((resolve) => setTimeout(resolve, wait));
  }
  const answers = await Promise.all(writes);
  const rejected = answers.filter(({ ok }) => !ok);
  const why = new Set(
    await Promise.all(rejected.map(async (answer) => `${answer.status} ${(await answer.json()).code}`)),
  );
  print(
    `${answers.length} writes in ${((performance.now() - began) / 1_000).toFixed(1)} s, ${rejected.length} rejected ${[...why].join(', ')}`,
  );
}

/** Terminates the connections that receive notifications, faster than they are opened again. */
function deafen(connectionString) {
  const pool = new pg.Pool({ connectionString, max: 1 });
  const end = `select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'travel-operations-notifier'`;
  let running = Promise.resolve();
  const timer = setInterval(() => (running = pool.query(end).catch(() => undefined)), 20);
  const stop = async () => {
    clearInterval(timer);
    await running;
    await pool.end();
  };
  return { stop };
}

/** The share of changes below each bound of the metric, since the last reading. */
async function secondsOf(service) {
  const text = await (await fetch(`${service.url}/metrics`)).text();
  const counts = [...text.matchAll(/^catalog_change_to_searchable_seconds_bucket\{le="([^"]+)"[^}]*\} (\d+)$/gmu)].map(
    ([, bound, count]) => ({ bound, count: Number(count) }),
  );
  const earlier = service.counts ?? new Map();
  service.counts = new Map(counts.map(({ bound, count }) => [bound, count]));
  const now = counts.map(({ bound, count }) => ({ bound, count: count - (earlier.get(bound) ?? 0) }));
  const all = now.find(({ bound }) => bound === '+Inf')?.count ?? 0;
  const below = (share) => now.find(({ count }) => count >= all * share)?.bound ?? '?';
  return `${all} looks, p50 <= ${below(0.5)} s, p95 <= ${below(0.95)} s, p99 <= ${below(0.99)} s`;
}
