// @ts-check
import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { between, missesOf, quantile } from '../figures.js';
import { Instance } from '../instance.js';
import { surviveKills } from '../kills.js';
import { CHANNELS } from '../requests.js';

/** @typedef {import('../world.js').World} World */

const KEYS_AT_A_TIME = 4;
const FINISHED_WITHIN_MS = 30_000;

/**
 * R14 and R5: two processes on one database, one of which is killed repeatedly, and copies of one request that reach both at
 * the same time, some of whose senders close the connection.
 * @type {import('../figures.js').Scenario}
 */
export const twoInstances = {
  name: 'two-instances',
  title: 'two processes on one database, and copies of requests to both',
  short: { cycles: 1, writes: 40, keys: 30, copies: 8 },
  long: { cycles: 100, writes: 200, keys: 1_000, copies: 8 },
  run: async (world, { cycles, writes, keys, copies }) => {
    const instances = await Instance.startTwo(world);
    let turn = 0;
    const kill = async () => {
      const victim = /** @type {Instance} */ (instances[(turn += 1) % instances.length]);
      await victim.kill();
      return victim.start();
    };
    try {
      const killed = await surviveKills(world, { instances, cycles, writes, kill });
      return [
        { name: 'two-instances, one killed', ...killed },
        { name: 'two-instances, copies', ...(await copiesOfOne(world, { instances, keys, copies })) },
      ];
    } finally {
      await Promise.all(instances.map((instance) => instance.stop()));
    }
  },
};

/** @param {World} world @param {{ instances: Instance[], keys: number, copies: number }} options */
async function copiesOfOne(world, { instances, keys, copies }) {
  const tag = `copies ${randomUUID()}`;
  const tally = {
    requests: 0,
    acknowledged: 0,
    faults: /** @type {string[]} */ ([]),
    times: /** @type {number[]} */ ([]),
  };
  let sent = 0;
  const work = async () => {
    while (sent < keys) {
      const name = `${tag} ${(sent += 1)}`;
      await sendCopies(world, { instances, copies, name, tally });
    }
  };
  await Promise.all(Array.from({ length: KEYS_AT_A_TIME }, work));
  const { rows } = await world.pool.query(
    `select name, count(*)::int as channels, sum(entries)::int as entries from (
       select name, (select count(*) from action_ledger_entries where subject_id = channels.id) as entries from channels
       where starts_with(name, $1)) as created group by name`,
    [tag],
  );
  const lost = keys - rows.length;
  const duplicated = rows.reduce((sum, row) => sum + row.channels + row.entries - 2, 0);
  const { requests, acknowledged, faults, times } = tally;
  const misses = [
    ...faults,
    ...missesOf([
      [lost === 0, `${lost} keys have no effect`],
      [duplicated === 0, `${duplicated} effects beyond one for each key`],
    ]),
  ];
  return { requests, acknowledged, lost, duplicated, p99Ms: quantile(times, 0.99), misses };
}

/**
 * Sends all copies at the same time to either instance; some senders close the connection. Then repeats the request until it
 * is acknowledged. Every response must be the same, or report that the request is in progress.
 * @param {World} world
 * @param {{ instances: Instance[], copies: number, name: string, tally: { requests: number, acknowledged: number, faults: string[], times: number[] } }} options
 */
async function sendCopies({ credentials }, { instances, copies, name, tally }) {
  const headers = { 'idempotency-key': randomUUID() };
  const call = { method: 'POST', path: CHANNELS, token: credentials.staff.token, headers, body: { name } };
  const send = (/** @type {AbortSignal | undefined} */ signal) => {
    tally.requests += 1;
    const { caller } = /** @type {Instance} */ (instances[between(0, instances.length - 1)]);
    return caller.call({ ...call, ...(signal ? { signal } : {}) });
  };
  const closeSometimes = () => (between(1, 4) === 1 ? AbortSignal.timeout(between(1, 40)) : undefined);
  const answers = await Promise.all(Array.from({ length: copies }, () => send(closeSometimes())));
  const until = performance.now() + FINISHED_WITHIN_MS;
  let last = await send(undefined);
  while (last.status !== 201 && performance.now() < until) last = await send(undefined);

  for (const { status, body, failure, milliseconds } of [...answers, last]) {
    if (failure !== null) continue;
    tally.times.push(milliseconds);
    const isRunning = status === 409 && body.code === 'idempotency_in_progress';
    if (status === 201 && isDeepStrictEqual(body, last.body)) tally.acknowledged += 1;
    else if (!isRunning && tally.faults.length < 10) tally.faults.push(`${name}: ${status} ${JSON.stringify(body)}`);
  }
}
