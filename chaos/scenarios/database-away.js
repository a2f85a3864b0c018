// @ts-check
import { setTimeout as pause } from 'node:timers/promises';
import { account, published } from '../audit.js';
import { missesOf, quantile } from '../figures.js';
import { Instance } from '../instance.js';
import { RecordingClient } from '../recording-client.js';
import { watchLag } from '../lag.js';
import { describeAnswers, isDocumentedRejection, lives, load, watchHealth } from '../load.js';
import { Network } from '../network.js';
import { everySurface } from '../requests.js';

/** @typedef {import('../world.js').World} World @typedef {import('../load.js').TimedAnswer} TimedAnswer */
/** @typedef {{ instance: Instance, network: Network, seconds: number, writes: number }} Stage */

const CLIENTS = 16;
const PAUSE_MS = 50;
const REJECTED_WITHIN_MS = 2_000;
const READY_WITHIN_SECONDS = 5;
/** Every request ends at its deadline. */
const DEADLINE_MS = 10_500;

/**
 * R7: whatever the network between service and database does, clients soon receive 503 with Retry-After, the process stays
 * live, and it works again soon after the network does.
 * @type {import('../figures.js').Scenario}
 */
export const databaseAway = {
  name: 'database-away',
  title: 'a network to the database that drops, refuses, resets, delays or cuts',
  short: { seconds: 1, writes: 24 },
  long: { seconds: 20, writes: 1_000 },
  run: async (world, { seconds, writes }) => {
    const network = await Network.start(world.databaseUrl);
    const instance = await Instance.start(world, { DATABASE_URL: network.url });
    const stage = { instance, network, seconds, writes };
    try {
      const outcomes = [];
      for (const mode of /** @type {const} */ (['blackhole', 'refuse', 'reset'])) {
        outcomes.push(await disconnected(world, mode, stage));
      }
      for (const mode of /** @type {const} */ (['latency', 'cut'])) outcomes.push(await degraded(world, mode, stage));
      return outcomes;
    } finally {
      await network.become('pass');
      await instance.stop();
      await network.close();
    }
  },
};

/** @param {World} world @param {'blackhole' | 'refuse' | 'reset'} mode @param {Stage} stage */
async function disconnected(world, mode, { instance, network, seconds }) {
  const lag = watchLag();
  const health = watchHealth(instance.caller);
  const clients = load(instance.caller, { clients: CLIENTS, pauseMs: PAUSE_MS, next: everySurface(world) });
  await pause(300);
  await network.become(mode);
  const since = performance.now();
  const noticed = await instance.becomes(503, 10_000);
  await pause(seconds * 1000);
  const answers = (await clients.stop()).filter(({ startedAt }) => startedAt > since);
  await network.become('pass');
  const recoverySeconds = await instance.becomes(200, 30_000);
  const after = await Promise.all(Array.from({ length: 12 }, (_, n) => instance.caller.call(everySurface(world)(n))));
  const live = await health.stop();
  const lateMs = lag();

  const p99Ms = quantile(timesOf(answers), 0.99);
  const odd = answers.filter((answer) => !isDocumentedRejection(answer));
  const misses = missesOf([
    [answers.length >= 2 * CLIENTS, `only ${answers.length} requests were sent`],
    [odd.length === 0, `not rejected as documented: ${describeAnswers(odd)}`],
    [p99Ms <= REJECTED_WITHIN_MS + lateMs, `1 of 100 rejections took more than ${REJECTED_WITHIN_MS} ms`],
    [noticed * 1000 <= REJECTED_WITHIN_MS + lateMs, `reported not ready only after ${noticed.toFixed(1)} s`],
    [recoverySeconds <= READY_WITHIN_SECONDS, `ready again only after ${recoverySeconds.toFixed(1)} s`],
    [after.every(isDone), `afterwards: ${describeAnswers(after)}`],
    [instance.isAlive, 'the process ended'],
    ...lives(live, lateMs),
  ]);
  return { name: `database-away ${mode}`, requests: answers.length, p99Ms, recoverySeconds, misses };
}

/** @param {World} world @param {'latency' | 'cut'} mode @param {Stage} stage */
async function degraded(world, mode, { instance, network, seconds, writes }) {
  const before = await published(world);
  const client = new RecordingClient([instance.caller], world.credentials.staff.token);
  const lag = watchLag();
  const health = watchHealth(instance.caller);
  await network.become(mode);
  const clients = load(instance.caller, { clients: CLIENTS, pauseMs: PAUSE_MS, next: everySurface(world) });
  client.add(writes);
  const delivered = client.deliver({ withinMs: seconds * 1000 });
  await pause(seconds * 1000);
  const answers = await clients.stop();
  await delivered;
  await network.become('pass');
  const recoverySeconds = await instance.becomes(200, 30_000);
  const live = await health.stop();
  const lateMs = lag();
  const accounts = await account(world, client, before);

  const odd = answers.filter((answer) => !isDone(answer) && !isDocumentedRejection(answer));
  const misses = missesOf([
    [odd.length === 0, `neither done nor rejected as documented: ${describeAnswers(odd)}`],
    [answers.some(isDone), 'no request was successful'],
    [Math.max(...timesOf(answers)) <= DEADLINE_MS + lateMs, 'a request took longer than its deadline'],
    [recoverySeconds <= READY_WITHIN_SECONDS, `ready again only after ${recoverySeconds.toFixed(1)} s`],
    [instance.isAlive, 'the process ended'],
    ...lives(live, lateMs),
  ]);
  const p99Ms = quantile(timesOf(answers), 0.99);
  const requests = answers.length + accounts.requests;
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

/** @param {TimedAnswer[]} answers */
function timesOf(answers) {
  return answers.map(({ milliseconds }) => milliseconds);
}
