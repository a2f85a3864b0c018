// @ts-check
import { Instance } from '../instance.js';
import { surviveKills } from '../kills.js';

/**
 * R1: an acknowledged write survives kill -9 of the service, and a write that is repeated with its key happens once.
 * @type {import('../figures.js').Scenario}
 */
export const serviceKilled = {
  name: 'service-killed',
  title: 'kill -9 of the service while a client writes',
  short: { cycles: 3, writes: 40 },
  long: { cycles: 200, writes: 200 },
  run: async (world, { cycles, writes }) => {
    const instance = await Instance.start(world);
    const kill = async () => {
      await instance.kill();
      return instance.start();
    };
    try {
      const outcome = await surviveKills(world, { instances: [instance], cycles, writes, kill });
      return [{ name: 'service-killed', ...outcome }];
    } finally {
      await instance.stop();
    }
  },
};
