// @ts-check
import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

/**
 * @param {number} port
 * @param {string} [host] every address of the machine when left out
 * @returns {Promise<boolean>}
 */
export function isFree(port, host) {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once('error', () => resolve(false));
    probe.listen({ port, host, exclusive: true }, () => probe.close(() => resolve(true)));
  });
}

/**
 * A port of the loopback address that nobody listens on. Below the range from which systems take the ports of outgoing
 * connections: the port is remembered, and must still be free at the next start.
 * @returns {Promise<number>}
 */
export async function freePort() {
  for (;;) {
    const port = randomInt(15_000, 32_000);
    if (await isFree(port, '127.0.0.1')) return port;
  }
}
