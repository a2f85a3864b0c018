// @ts-check
import { missesOf } from '../figures.js';
import { Instance } from '../instance.js';
import { surviveKills } from '../kills.js';

const READY_WITHIN_SECONDS = 5;

/**
 * R2: the same for kill -9 of PostgreSQL; the service does not end, and is ready soon after the database.
 * @type {import('../figures.js').Scenario}
 */
export const databaseKilled = {
  name: 'database-killed',
  title: 'kill -9 of PostgreSQL while a client writes',
  short: { cycles: 2, writes: 40 },
  long: { cycles: 50, writes: 200 },
  run: async (world, { cycles, writes }) => {
    const { database } = world;
    if (!database) throw new Error('The scenario needs its own database to kill');
    const instance = await Instance.start(world);
    const { pid } = instance;
    const kill = async () => {
      await database.kill();
      await instance.becomes(503, 10_000);
      await database.startAgain();
      return instance.becomes(200, 30_000);
    };
    try {
      const outcome = await surviveKills(world, { instances: [instance], cycles, writes, kill });
      const { recoverySeconds } = outcome;
      const misses = missesOf([
        [instance.isAlive && instance.pid === pid, 'the service ended'],
        [recoverySeconds <= READY_WITHIN_SECONDS, `ready only ${recoverySeconds.toFixed(1)} s after the database`],
      ]);
      return [{ name: 'database-killed', ...outcome, misses: [...outcome.misses, ...misses] }];
    } finally {
      await instance.stop();
    }
  },
};
