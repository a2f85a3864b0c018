// @ts-check
import { setTimeout as pause } from 'node:timers/promises';
import { account, published } from './audit.js';
import { between } from './figures.js';
import { RecordingClient } from './recording-client.js';

const DELIVERED_WITHIN_MS = 60_000;

/**
 * In each cycle a client writes; during that a process is killed and started again.
 * @param {import('./world.js').World} world
 * @param {object} options
 * @param {import('./instance.js').Instance[]} options.instances receive the writes
 * @param {number} options.cycles
 * @param {number} options.writes per cycle
 * @param {() => Promise<number>} options.kill kills and starts again; returns the seconds until the service works
 */
export async function surviveKills(world, { instances, cycles, writes, kill }) {
  const before = await published(world);
  const callers = instances.map(({ caller }) => caller);
  const client = new RecordingClient(callers, world.credentials.staff.token);
  let recoverySeconds = 0;
  for (let cycle = 0; cycle < cycles; cycle += 1) {
    client.add(writes);
    const after = between(1, writes - 1);
    /** @type {Promise<number> | null} */
    let recovery = null;
    const onAcknowledged = (/** @type {number} */ count) => {
      if (count !== after) return;
      // Without a delay the kill would mostly be between two requests.
      recovery = pause(between(0, 15)).then(kill);
      // It is awaited after the delivery.
      recovery.catch(() => undefined);
    };
    await client.deliver({ withinMs: DELIVERED_WITHIN_MS, onAcknowledged });
    recoverySeconds = Math.max(recoverySeconds, await (recovery ?? kill()));
  }
  return { cycles, recoverySeconds, ...(await account(world, client, before)) };
}
