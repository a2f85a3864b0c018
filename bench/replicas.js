/**
 * What a replica costs the service: CPU time of its process per request, without and with DATABASE_REPLICA_URLS, measured in
 * turns. Requests per second would only show that both servers share the cores of this machine.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { startReplica } from '../scripts/embedded-postgres/replica.js';
import { startService } from './processes.js';
import { startWorld } from './world.js';

const CONNECTIONS = 16;
const ROUNDS = 5;
const REQUESTS = 1_000;
const PATHS = {
  'list 50 ground operators': '/v1/admin/operations/operators?limit=50',
  'list distribution channels': '/v1/admin/distribution/channels',
};
/** Ticks of /proc are hundredths of a second on Linux. */
const MICROSECONDS_PER_TICK = 10_000;

const world = await startWorld();
const primary = { dataDir: join(world.folder, 'postgres'), superuserUrl: world.superuserUrl };
const replica = await startReplica({ primary, dataDir: join(world.folder, 'replica') });
const services = [];
try {
  const plain = await startService(world);
  services.push(plain);
  const env = { ...world.env, DATABASE_REPLICA_URLS: replica.urlOf(world.databaseUrl) };
  const replicated = await startService({ ...world, env });
  services.push(replicated);
  for (const [name, path] of Object.entries(PATHS)) {
    const figures = { plain: [], replicated: [] };
    await cost(plain, path);
    await cost(replicated, path);
    for (let round = 0; round < ROUNDS; round += 1) {
      figures.plain.push(await cost(plain, path));
      figures.replicated.push(await cost(replicated, path));
    }
    const [without, beside] = [median(figures.plain), median(figures.replicated)];
    console.log(
      `${name}: ${without} us per request without a replica, ${beside} us with one (${(beside / without).toFixed(2)})`,
    );
  }
} finally {
  for (const service of services) await service.stop();
  await replica.stop();
  await world.stop();
}

async function cost({ url, pid }, path) {
  const before = ticks(pid);
  const headers = { authorization: `Bearer ${world.credentials.staff.token}` };
  const clients = Array.from({ length: CONNECTIONS }, async () => {
    for (let sent = 0; sent < REQUESTS / CONNECTIONS; sent += 1) {
      const response = await fetch(`${url}${path}`, { headers });
      if (response.status !== 200) throw new Error(`${path} answered ${response.status}`);
      await response.arrayBuffer();
    }
  });
  await Promise.all(clients);
  return Math.round(((ticks(pid) - before) * MICROSECONDS_PER_TICK) / REQUESTS);
}

function ticks(pid) {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ');
  return Number(fields[11]) + Number(fields[12]);
}

function median(values) {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)];
}
