// @ts-check
import { setTimeout as pause } from 'node:timers/promises';
import { account, published } from './audit.js';
import { between } from './figures.js';
import { Journal } from './journal.js';

const DELIVERED_WITHIN_MS = 60_000;

/**
 * In each cycle a client with a journal writes, and amid that something is killed and comes back.
 * @param {import('./world.js').World} world
 * @param {object} options
 * @param {import('./instance.js').Instance[]} options.instances that the client writes to
 * @param {number} options.cycles
 * @param {number} options.writes in each cycle
 * @param {() => Promise<number>} options.strike kills; tells how many seconds it took until all was well
 */
export async function surviveKills(world, { instances, cycles, writes, strike }) {
  const before = await published(world);
  const callers = instances.map(({ caller }) => caller);
  const journal = new Journal(callers, world.credentials.staff.token);
  let recoverySeconds = 0;
  for (let cycle = 0; cycle < cycles; cycle += 1) {
    journal.add(writes);
    const after = between(1, writes - 1);
    /** @type {Promise<number> | null} */
    let recovery = null;
    const onAcknowledged = (/** @type {number} */ count) => {
      if (count !== after) return;
      // At once would be between two requests more often than amid them.
      recovery = pause(between(0, 15)).then(strike);
      // Who awaits it is still delivering.
      recovery.catch(() => undefined);
    };
    await journal.deliver({ withinMs: DELIVERED_WITHIN_MS, onAcknowledged });
    recoverySeconds = Math.max(recoverySeconds, await (recovery ?? strike()));
  }
  return { cycles, recoverySeconds, ...(await account(world, journal, before)) };
}
