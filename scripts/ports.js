// @ts-check
import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';
import { codeOf } from './processes.js';

/**
 * Returns whether a program can listen on a port.
 * @param {number} port
 * @param {string} host
 * @returns {Promise<boolean>}
 */
export async function isFree(port, host) {
  return (await listenFault(port, host)) === null;
}

/**
 * Returns the system's error code, such as EADDRINUSE, if a program cannot listen on a port; null if it can.
 * @param {number} port
 * @param {string} host
 * @returns {Promise<string | null>}
 */
export function listenFault(port, host) {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once('error', (error) => resolve(codeOf(error)));
    probe.listen({ port, host, exclusive: true }, () => probe.close(() => resolve(null)));
  });
}

/**
 * Finds a free port of the loopback address, below the range that systems use for outgoing connections: the port is stored, and
 * must still be free at the next start.
 * @returns {Promise<number>}
 */
export async function freePort() {
  for (;;) {
    const port = randomInt(15_000, 32_000);
    if (await isFree(port, '127.0.0.1')) return port;
  }
}
