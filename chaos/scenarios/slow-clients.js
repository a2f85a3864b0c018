// @ts-check
import { connect } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { missesOf, quantile } from '../figures.js';
import { Instance } from '../instance.js';
import { watchLag } from '../lag.js';
import { inWords, loadFor } from '../load.js';
import { CHANNELS, listing } from '../requests.js';

/** @typedef {import('node:net').Socket} Socket */

const CLIENTS = 4;
const DRIP_EVERY_MS = 500;
const AT_MOST_TIMES = 2;
/** Below that, twice as long is what two measurements differ by anyway. */
const UNNOTICED_MS = 25;
const ROUNDS = 3;

/**
 * R12: connections that send their request byte by byte, that send no request, and that do not read their answer take
 * nothing from those who behave.
 * @type {import('../figures.js').Scenario}
 */
export const slowClients = {
  name: 'slow-clients',
  title: 'slow headers, slow bodies, slow readers and idle connections',
  short: { headers: 100, bodies: 300, readers: 6, idle: 200, seconds: 1 },
  long: { headers: 200, bodies: 1_000, readers: 60, idle: 2_000, seconds: 10 },
  run: async (world, size) => {
    const instance = await Instance.start(world);
    const next = listing(world);
    const measure = () => loadFor(instance.caller, { clients: CLIENTS, next, seconds: size.seconds });
    try {
      await measure();
      /** @type {import('../load.js').Heard[]} */
      const heard = [];
      let [p99Ms, allowed] = [Infinity, 0];
      // Whatever else the machine does spoils one round or another; the service would spoil all of them.
      for (let round = 0; round < ROUNDS && p99Ms > allowed; round += 1) {
        const lag = watchLag();
        const quietMs = p99Of(await measure());
        const crowd = await gather(instance, { ...size, token: world.credentials.staff.token });
        await pause(500);
        const among = await measure();
        crowd.leave();
        heard.push(...among);
        p99Ms = p99Of(among);
        allowed = Math.max(quietMs * AT_MOST_TIMES, UNNOTICED_MS + lag());
      }
      const odd = heard.filter(({ status }) => status !== 200);
      const misses = missesOf([
        [odd.length === 0, `those who behave heard ${inWords(odd)}`],
        [
          p99Ms <= allowed,
          `1 of 100 answers took ${p99Ms.toFixed(0)} ms; without slow clients half of ${allowed.toFixed(0)}`,
        ],
        [instance.isAlive, 'the process ended'],
      ]);
      return [{ name: 'slow-clients', requests: heard.length, p99Ms, misses }];
    } finally {
      await instance.stop();
    }
  },
};

/**
 * Each comes by itself: what they cost while they come is not the matter.
 * @param {Instance} instance
 * @param {{ headers: number, bodies: number, readers: number, idle: number, token: string }} options
 */
async function gather({ port }, { headers, bodies, readers, idle, token }) {
  /** @type {Socket[]} */
  const sockets = [];
  const authorized = `Host: x\r\nAuthorization: Bearer ${token}\r\n`;
  const posting = `POST ${CHANNELS} HTTP/1.1\r\n${authorized}Content-Type: application/json\r\nContent-Length: 1000\r\n\r\n{`;
  /** @param {number} count @param {(socket: Socket) => void} behave */
  const come = async (count, behave) => {
    for (let n = 0; n < count; n += 1) {
      const socket = connect(port, '127.0.0.1').on('error', () => undefined);
      sockets.push(socket);
      behave(socket);
      if (n % 10 === 0) await pause(5);
    }
  };
  const drip = (/** @type {string} */ bytes) => (/** @type {Socket} */ socket) => {
    const timer = setInterval(() => socket.write(bytes), DRIP_EVERY_MS);
    socket.on('close', () => clearInterval(timer));
  };
  await come(idle, () => undefined);
  await come(headers, (socket) => {
    socket.write(`GET ${CHANNELS} HTTP/1.1\r\n`);
    drip('X-Slow: x\r\n')(socket);
  });
  await come(bodies, (socket) => {
    socket.write(posting);
    drip(' ')(socket);
  });
  await come(readers, (socket) => {
    // More is asked for than the buffers of both ends hold, and nothing of it is read.
    socket.pause();
    socket.write('GET /openapi.json HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(12));
  });
  return { leave: () => sockets.forEach((socket) => socket.destroy()) };
}

/** @param {import('../load.js').Heard[]} heard */
function p99Of(heard) {
  return quantile(
    heard.map(({ milliseconds }) => milliseconds),
    0.99,
  );
}
