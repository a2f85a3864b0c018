// @ts-check
import { setTimeout as pause } from 'node:timers/promises';
import { account, published } from '../audit.js';
import { missesOf, quantile } from '../figures.js';
import { Instance } from '../instance.js';
import { Journal } from '../journal.js';
import { watchLag } from '../lag.js';
import { inWords, isHonestRefusal, lives, load, watchHealth } from '../load.js';
import { Network } from '../network.js';
import { everySurface } from '../requests.js';

/** @typedef {import('../world.js').World} World @typedef {import('../load.js').Heard} Heard */
/** @typedef {{ instance: Instance, network: Network, seconds: number, writes: number }} Stage */

const CLIENTS = 16;
const PAUSE_MS = 50;
const REFUSED_WITHIN_MS = 2_000;
const READY_WITHIN_SECONDS = 5;
/** Requests end at their deadline, wherever they are by then. */
const DEADLINE_MS = 10_500;

/**
 * R7: whatever the network between service and database does, clients hear 503 and when to come again, soon; the
 * process lives and says so; and it is used again soon after the network is.
 * @type {import('../figures.js').Scenario}
 */
export const databaseAway = {
  name: 'database-away',
  title: 'a network to the database that swallows, refuses, resets, delays or cuts',
  short: { seconds: 1, writes: 24 },
  long: { seconds: 20, writes: 1_000 },
  run: async (world, { seconds, writes }) => {
    const network = await Network.start(world.databaseUrl);
    const instance = await Instance.start(world, { DATABASE_URL: network.url });
    const stage = { instance, network, seconds, writes };
    try {
      const outcomes = [];
      for (const mode of /** @type {const} */ (['blackhole', 'refuse', 'reset'])) {
        outcomes.push(await gone(world, mode, stage));
      }
      for (const mode of /** @type {const} */ (['latency', 'cut'])) outcomes.push(await bad(world, mode, stage));
      return outcomes;
    } finally {
      await network.become('pass');
      await instance.stop();
      await network.close();
    }
  },
};

/** @param {World} world @param {'blackhole' | 'refuse' | 'reset'} mode @param {Stage} stage */
async function gone(world, mode, { instance, network, seconds }) {
  const lag = watchLag();
  const health = watchHealth(instance.caller);
  const clients = load(instance.caller, { clients: CLIENTS, pauseMs: PAUSE_MS, next: everySurface(world) });
  await pause(300);
  await network.become(mode);
  const since = performance.now();
  const noticed = await instance.becomes(503, 10_000);
  await pause(seconds * 1000);
  const heard = (await clients.stop()).filter(({ began }) => began > since);
  await network.become('pass');
  const recoverySeconds = await instance.becomes(200, 30_000);
  const after = await Promise.all(Array.from({ length: 12 }, (_, n) => instance.caller.call(everySurface(world)(n))));
  const live = await health.stop();
  const lateMs = lag();

  const p99Ms = quantile(timesOf(heard), 0.99);
  const odd = heard.filter((answer) => !isHonestRefusal(answer));
  const misses = missesOf([
    [heard.length >= 2 * CLIENTS, `only ${heard.length} requests were sent`],
    [odd.length === 0, `not refused as documented: ${inWords(odd)}`],
    [p99Ms <= REFUSED_WITHIN_MS + lateMs, `1 of 100 refusals took more than ${REFUSED_WITHIN_MS} ms`],
    [noticed * 1000 <= REFUSED_WITHIN_MS + lateMs, `not ready only after ${noticed.toFixed(1)} s`],
    [recoverySeconds <= READY_WITHIN_SECONDS, `ready again only after ${recoverySeconds.toFixed(1)} s`],
    [after.every(isDone), `after it: ${inWords(after)}`],
    [instance.isAlive, 'the process ended'],
    ...lives(live, lateMs),
  ]);
  return { name: `database-away ${mode}`, requests: heard.length, p99Ms, recoverySeconds, misses };
}

/** @param {World} world @param {'latency' | 'cut'} mode @param {Stage} stage */
async function bad(world, mode, { instance, network, seconds, writes }) {
  const before = await published(world);
  const journal = new Journal([instance.caller], world.credentials.staff.token);
  const lag = watchLag();
  const health = watchHealth(instance.caller);
  await network.become(mode);
  const clients = load(instance.caller, { clients: CLIENTS, pauseMs: PAUSE_MS, next: everySurface(world) });
  journal.add(writes);
  const delivered = journal.deliver({ withinMs: seconds * 1000 });
  await pause(seconds * 1000);
  const heard = await clients.stop();
  await delivered;
  await network.become('pass');
  const recoverySeconds = await instance.becomes(200, 30_000);
  const live = await health.stop();
  const lateMs = lag();
  const accounts = await account(world, journal, before);

  const odd = heard.filter((answer) => !isDone(answer) && !isHonestRefusal(answer));
  const misses = missesOf([
    [odd.length === 0, `neither done nor refused as documented: ${inWords(odd)}`],
    [heard.some(isDone), 'nothing at all was done'],
    [Math.max(...timesOf(heard)) <= DEADLINE_MS + lateMs, 'a request took longer than its deadline'],
    [recoverySeconds <= READY_WITHIN_SECONDS, `ready again only after ${recoverySeconds.toFixed(1)} s`],
    [instance.isAlive, 'the process ended'],
    ...lives(live, lateMs),
  ]);
  const p99Ms = quantile(timesOf(heard), 0.99);
  const requests = heard.length + accounts.requests;
  return {
    ...accounts,
    name: `database-away ${mode}`,
    requests,
    p99Ms,
    recoverySeconds,
    misses: [...accounts.misses, ...misses],
  };
}

/** @param {import('../caller.js').Answer} answer */
function isDone({ status }) {
  return status >= 200 && status < 300;
}

/** @param {Heard[]} heard */
function timesOf(heard) {
  return heard.map(({ milliseconds }) => milliseconds);
}
