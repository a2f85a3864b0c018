// @ts-check
import { randomInt, randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { missesOf, quantile } from '../figures.js';
import { Instance } from '../instance.js';
import { watchLag } from '../lag.js';
import { describeAnswers, isDocumentedRejection, lives, load, watchHealth } from '../load.js';
import { CHANNELS, listing } from '../requests.js';

const TOKENS = '/v1/admin/identity/api-tokens';
const WAIT_WITHIN_MS = 2_000;
/** One second of waiting for a connection, for authentication and for the change, and five for the statement. */
const LOCKED_WITHIN_MS = 7_000;
const RECOVERED_WITHIN_SECONDS = 5;

/**
 * R8: more clients than connections, and all connections wait for a locked row. No request waits for a connection for long,
 * the health paths respond, and the service recovers when the row is unlocked.
 * @type {import('../figures.js').Scenario}
 */
export const poolExhausted = {
  name: 'pool-exhausted',
  title: 'all connections wait for a locked row',
  short: { clients: 60, seconds: 3 },
  long: { clients: 200, seconds: 60 },
  run: async (world, { clients, seconds }) => {
    const instance = await Instance.start(world, { DATABASE_POOL_SIZE: '10', TRUSTED_PROXIES: '127.0.0.1' });
    const { caller } = instance;
    const { token } = world.credentials.staff;
    try {
      const created = await caller.call({
        method: 'POST',
        path: CHANNELS,
        token,
        body: { name: `Locked ${randomUUID()}` },
      });
      const half = Math.ceil(clients / 2);
      const [writers, readers] = [await makeCallers(caller, token, half), await makeCallers(caller, token, half)];
      const release = await lock(world, created.body.data.id);
      const change = { method: 'PATCH', path: `${CHANNELS}/${created.body.data.id}`, token };
      const lag = watchLag();
      const health = watchHealth(caller);
      /** @param {number} n */
      const next = (n) => ({ ...change, ...writers[n % half], body: { description: randomUUID() } });
      const changing = load(caller, { clients: half, pauseMs: 20, next });
      // Only requests that are sent while all connections are in use are measured.
      await pause(500);
      const reading = load(caller, {
        clients: half,
        pauseMs: 20,
        next: (n) => ({ ...listing(world)(), ...readers[n % half] }),
      });
      await pause(seconds * 1000);
      const [changed, read, live] = [await changing.stop(), await reading.stop(), await health.stop()];
      const lateMs = lag();
      await release();
      const recoverySeconds = await retried(caller, { ...change, body: { description: 'Unlocked' } });

      const rejected = [...changed, ...read].filter(isDocumentedRejection);
      const odd = [...changed, ...read].filter((answer) => !isDocumentedRejection(answer) && answer.status !== 200);
      const [slowestRead, slowestChange] = [slowest(read), slowest(changed)];
      const misses = missesOf([
        [rejected.length > 10, 'the pool was never exhausted'],
        [changed.every(({ status }) => status !== 200), 'the row was not locked'],
        [odd.length === 0, `neither done nor rejected as documented: ${describeAnswers(odd)}`],
        [slowestRead <= WAIT_WITHIN_MS + lateMs, `a read took ${slowestRead.toFixed(0)} ms`],
        [slowestChange <= LOCKED_WITHIN_MS + lateMs, `a change took ${slowestChange.toFixed(0)} ms`],
        ...lives(live, lateMs),
        [
          recoverySeconds <= RECOVERED_WITHIN_SECONDS,
          `still rejected ${recoverySeconds.toFixed(1)} s after the unlock`,
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

/**
 * A token and an address each: one caller uses a quarter of the connections at most.
 * @param {import('../caller.js').Caller} caller
 * @param {string} token
 * @param {number} count
 * @returns {Promise<Pick<import('../caller.js').Call, 'token' | 'headers'>[]>}
 */
async function makeCallers(caller, token, count) {
  const callers = [];
  for (let n = 0; n < count; n += 1) {
    const created = await caller.call({
      method: 'POST',
      path: TOKENS,
      token,
      body: { name: `Caller ${n}`, scopes: ['*'] },
    });
    callers.push({ token: created.body.data.token, headers: { 'X-Forwarded-For': `${randomInt(1, 224)}.0.${n}.1` } });
  }
  return callers;
}

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

/** Repeats a request until it is successful, and returns the seconds. @param {import('../caller.js').Caller} caller @param {import('../caller.js').Call} call */
async function retried(caller, call) {
  const startedAt = performance.now();
  while ((await caller.call(call)).status !== 200) {
    if (performance.now() - startedAt > 30_000) break;
    await pause(20);
  }
  return (performance.now() - startedAt) / 1000;
}

/** @param {import('../load.js').TimedAnswer[]} answers */
function slowest(answers) {
  return Math.max(...answers.map(({ milliseconds }) => milliseconds));
}
