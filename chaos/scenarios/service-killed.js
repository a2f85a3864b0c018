// @ts-check
import { Instance } from '../instance.js';
import { surviveKills } from '../kills.js';

/**
 * R1: an acknowledged write survives kill -9 of the service, and one that is sent again with its key happens once.
 * @type {import('../figures.js').Scenario}
 */
export const serviceKilled = {
  name: 'service-killed',
  title: 'kill -9 of the service under a client that keeps a journal',
  short: { cycles: 3, writes: 40 },
  long: { cycles: 200, writes: 200 },
  run: async (world, { cycles, writes }) => {
    const instance = await Instance.start(world);
    const strike = async () => {
      await instance.kill();
      return instance.start();
    };
    try {
      const outcome = await surviveKills(world, { instances: [instance], cycles, writes, strike });
      return [{ name: 'service-killed', ...outcome }];
    } finally {
      await instance.stop();
    }
  },
};
