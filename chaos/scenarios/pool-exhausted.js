// @ts-check
import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { missesOf, quantile } from '../figures.js';
import { Instance } from '../instance.js';
import { watchLag } from '../lag.js';
import { inWords, isHonestRefusal, lives, load, watchHealth } from '../load.js';
import { CHANNELS, listing } from '../requests.js';

const WAIT_WITHIN_MS = 2_000;
/** A connection is waited for a second, once to learn whose token it is and once for the change; a statement has five. */
const LOCKED_WITHIN_MS = 7_000;
const RECOVERED_WITHIN_SECONDS = 5;

/**
 * R8: more clients than connections, and all connections wait for a locked row. Nobody waits for a connection for long,
 * health is answered all the time, and once the row is free everything is as before.
 * @type {import('../figures.js').Scenario}
 */
export const poolExhausted = {
  name: 'pool-exhausted',
  title: 'all connections wait for a locked row',
  short: { clients: 60, seconds: 3 },
  long: { clients: 200, seconds: 60 },
  run: async (world, { clients, seconds }) => {
    const instance = await Instance.start(world, { DATABASE_POOL_SIZE: '10' });
    const { caller } = instance;
    const { token } = world.credentials.staff;
    try {
      const made = await caller.call({
        method: 'POST',
        path: CHANNELS,
        token,
        body: { name: `Locked ${randomUUID()}` },
      });
      const release = await lock(world, made.body.data.id);
      const change = { method: 'PATCH', path: `${CHANNELS}/${made.body.data.id}`, token };
      const lag = watchLag();
      const health = watchHealth(caller);
      const next = () => ({ ...change, body: { description: randomUUID() } });
      const changing = load(caller, { clients: Math.ceil(clients / 2), pauseMs: 20, next });
      // Only those that come while no connection is free are of interest.
      await pause(500);
      const reading = load(caller, { clients: Math.floor(clients / 2), pauseMs: 20, next: listing(world) });
      await pause(seconds * 1000);
      const [changed, read, live] = [await changing.stop(), await reading.stop(), await health.stop()];
      const lateMs = lag();
      await release();
      const recoverySeconds = await works(caller, { ...change, body: { description: 'Free again' } });

      const refused = [...changed, ...read].filter(isHonestRefusal);
      const odd = [...changed, ...read].filter((answer) => !isHonestRefusal(answer) && answer.status !== 200);
      const [slowestRead, slowestChange] = [slowest(read), slowest(changed)];
      const misses = missesOf([
        [refused.length > 10, 'the pool was never exhausted'],
        [changed.every(({ status }) => status !== 200), 'the row was not locked'],
        [odd.length === 0, `neither done nor refused as documented: ${inWords(odd)}`],
        [slowestRead <= WAIT_WITHIN_MS + lateMs, `a read was answered after ${slowestRead.toFixed(0)} ms`],
        [slowestChange <= LOCKED_WITHIN_MS + lateMs, `a change was answered after ${slowestChange.toFixed(0)} ms`],
        ...lives(live, lateMs),
        [
          recoverySeconds <= RECOVERED_WITHIN_SECONDS,
          `still refused ${recoverySeconds.toFixed(1)} s after the release`,
        ],
        [instance.isAlive, 'the process ended'],
      ]);
      const p99Ms = quantile(
        [...changed, ...read].map(({ milliseconds }) => milliseconds),
        0.99,
      );
      return [{ name: 'pool-exhausted', requests: changed.length + read.length, p99Ms, recoverySeconds, misses }];
    } finally {
      await instance.stop();
    }
  },
};

/** @param {import('../world.js').World} world @param {string} id @returns {Promise<() => Promise<void>>} */
async function lock({ pool }, id) {
  const client = await pool.connect();
  await client.query('begin');
  await client.query('select from channels where id = $1 for update', [id]);
  return async () => {
    await client.query('rollback');
    client.release();
  };
}

/** Repeats it until it is done; tells after how many seconds. @param {import('../caller.js').Caller} caller @param {import('../caller.js').Call} call */
async function works(caller, call) {
  const began = performance.now();
  while ((await caller.call(call)).status !== 200) {
    if (performance.now() - began > 30_000) break;
    await pause(20);
  }
  return (performance.now() - began) / 1000;
}

/** @param {import('../load.js').Heard[]} heard */
function slowest(heard) {
  return Math.max(...heard.map(({ milliseconds }) => milliseconds));
}
