// @ts-check
import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { Balancer } from '../balancer.js';
import { Caller } from '../caller.js';
import { missesOf, quantile } from '../figures.js';
import { Instance } from '../instance.js';
import { describeAnswers, load } from '../load.js';
import { CHANNELS, listing } from '../requests.js';

/** The balancer checks ten times a second. */
const DRAIN_SECONDS = '1';
const DRAINED_WITHIN_SECONDS = 10;
/** Together about 200 requests per second if the responses are immediate. */
const CLIENTS = 8;
const PAUSE_MS = 40;

/**
 * R10: two instances behind a balancer are restarted one after the other, as in a deployment. No request fails.
 * @type {import('../figures.js').Scenario}
 */
export const rollingRestarts = {
  name: 'rolling-restarts',
  title: 'instances are restarted one after the other under load',
  short: { restarts: 2 },
  long: { restarts: 100 },
  run: async (world, { restarts }) => {
    const env = { DRAIN_SECONDS };
    const instances = await Instance.startTwo(world, env);
    const balancer = await Balancer.start(instances);
    const caller = new Caller(balancer.url);
    const list = listing(world);
    const create = () => ({ ...list(), method: 'POST', path: CHANNELS, body: { name: `Rolling ${randomUUID()}` } });
    const clients = load(caller, {
      clients: CLIENTS,
      pauseMs: PAUSE_MS,
      next: (n) => (n % 4 === 0 ? create() : list()),
    });
    try {
      /** @type {(number | null)[]} */
      const codes = [];
      let [drainSeconds, recoverySeconds] = [0, 0];
      for (let restart = 0; restart < restarts; restart += 1) {
        const instance = /** @type {Instance} */ (instances[restart % instances.length]);
        const startedAt = performance.now();
        codes.push(await instance.stop());
        drainSeconds = Math.max(drainSeconds, (performance.now() - startedAt) / 1000);
        recoverySeconds = Math.max(recoverySeconds, await instance.start());
        while (!balancer.ready.includes(instance)) await pause(20);
      }
      const answers = await clients.stop();
      const failed = answers.filter(({ status }) => status !== 200 && status !== 201);
      const misses = missesOf([
        [answers.length >= restarts * 50, `only ${answers.length} requests were sent`],
        [failed.length === 0, `${failed.length} requests failed: ${describeAnswers(failed)}`],
        [codes.every((code) => code === 0), `exit codes ${[...new Set(codes)].join(', ')}`],
        [drainSeconds <= DRAINED_WITHIN_SECONDS, `an instance took ${drainSeconds.toFixed(1)} s to end`],
      ]);
      const p99Ms = quantile(
        answers.map(({ milliseconds }) => milliseconds),
        0.99,
      );
      return [{ name: 'rolling-restarts', cycles: restarts, requests: answers.length, p99Ms, recoverySeconds, misses }];
    } finally {
      await clients.stop();
      caller.close();
      await balancer.close();
      await Promise.all(instances.map((instance) => instance.stop()));
    }
  },
};
