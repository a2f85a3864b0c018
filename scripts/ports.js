// @ts-check
import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

/**
 * Whether a program can listen on a port.
 * @param {number} port
 * @param {string} [host] default: every address of the machine
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
 * A free port of the loopback address, below the range that systems use for outgoing connections: the port is kept, and
 * must still be free at the next start.
 * @returns {Promise<number>}
 */
export async function freePort() {
  for (;;) {
    const port = randomInt(15_000, 32_000);
    if (await isFree(port, '127.0.0.1')) return port;
  }
}
