// @ts-check
import { connect } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { missesOf, quantile } from '../figures.js';
import { Instance } from '../instance.js';
import { watchLag } from '../lag.js';
import { describeAnswers, loadFor } from '../load.js';
import { CHANNELS, listing } from '../requests.js';

/** @typedef {import('node:net').Socket} Socket */

const CLIENTS = 4;
const DRIP_EVERY_MS = 500;
const AT_MOST_TIMES = 2;
/** Below this, two measurements differ by a factor of two anyway. */
const NEGLIGIBLE_MS = 25;
const ROUNDS = 3;

/**
 * R12: connections that send their request byte by byte, send no request, or do not read their response do not slow down
 * other clients.
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
      /** @type {import('../load.js').TimedAnswer[]} */
      const answers = [];
      let [p99Ms, allowed] = [Infinity, 0];
      // Other work of the machine disturbs single rounds; a fault of the service would disturb all of them.
      for (let round = 0; round < ROUNDS && p99Ms > allowed; round += 1) {
        const lag = watchLag();
        const aloneMs = p99Of(await measure());
        const crowd = await gather(instance, { ...size, token: world.credentials.staff.token });
        await pause(500);
        const among = await measure();
        crowd.close();
        answers.push(...among);
        p99Ms = p99Of(among);
        allowed = Math.max(aloneMs * AT_MOST_TIMES, NEGLIGIBLE_MS + lag());
      }
      const odd = answers.filter(({ status }) => status !== 200);
      const misses = missesOf([
        [odd.length === 0, `other clients received ${describeAnswers(odd)}`],
        [
          p99Ms <= allowed,
          `1 of 100 answers took ${p99Ms.toFixed(0)} ms; without slow clients half of ${allowed.toFixed(0)}`,
        ],
        [instance.isAlive, 'the process ended'],
      ]);
      return [{ name: 'slow-clients', requests: answers.length, p99Ms, misses }];
    } finally {
      await instance.stop();
    }
  },
};

/**
 * Opens the connections one by one: the cost of opening them is not measured.
 * @param {Instance} instance
 * @param {{ headers: number, bodies: number, readers: number, idle: number, token: string }} options
 */
async function gather({ port }, { headers, bodies, readers, idle, token }) {
  /** @type {Socket[]} */
  const sockets = [];
  const authorized = `Host: x\r\nAuthorization: Bearer ${token}\r\n`;
  const posting = `POST ${CHANNELS} HTTP/1.1\r\n${authorized}Content-Type: application/json\r\nContent-Length: 1000\r\n\r\n{`;
  /** @param {number} count @param {(socket: Socket) => void} behave */
  const open = async (count, behave) => {
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
  await open(idle, () => undefined);
  await open(headers, (socket) => {
    socket.write(`GET ${CHANNELS} HTTP/1.1\r\n`);
    drip('X-Slow: x\r\n')(socket);
  });
  await open(bodies, (socket) => {
    socket.write(posting);
    drip(' ')(socket);
  });
  await open(readers, (socket) => {
    // The responses exceed the buffers of both ends, and none is read.
    socket.pause();
    socket.write('GET /openapi.json HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(12));
  });
  return { close: () => sockets.forEach((socket) => socket.destroy()) };
}

/** @param {import('../load.js').TimedAnswer[]} answers */
function p99Of(answers) {
  return quantile(
    answers.map(({ milliseconds }) => milliseconds),
    0.99,
  );
}
