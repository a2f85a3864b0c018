// @ts-check
import { setTimeout as pause } from 'node:timers/promises';
import { quantile } from './figures.js';

/**
 * @typedef {import('./caller.js').Caller} Caller
 * @typedef {import('./caller.js').Call} Call
 * @typedef {import('./caller.js').Answer} Answer
 * @typedef {Answer & { call: Call, startedAt: number }} TimedAnswer `startedAt`: by `performance.now()`
 */

const HEALTH_EVERY_MS = 50;
const LIVE_WITHIN_MS = 100;
/** On a busy machine a few responses are late; none may wait for the component that has failed. */
const LIVE_AT_LATEST_MS = 1_000;

/**
 * Clients that each send the next request after the response to the last one, until `stop` is called.
 * @param {Caller} caller
 * @param {{ clients: number, next: (n: number) => Call, pauseMs?: number }} options
 * @returns {{ stop: () => Promise<TimedAnswer[]> }}
 */
export function load(caller, { clients, next, pauseMs = 0 }) {
  /** @type {TimedAnswer[]} */
  const answers = [];
  let sent = 0;
  let running = true;
  const client = async () => {
    while (running) {
      const call = next((sent += 1));
      const startedAt = performance.now();
      answers.push({ ...(await caller.call(call)), call, startedAt });
      if (pauseMs > 0) await pause(pauseMs);
    }
  };
  const all = Promise.all(Array.from({ length: clients }, client));
  return {
    stop: async () => {
      running = false;
      await all;
      return answers;
    },
  };
}

/** The same for a number of seconds. @param {Caller} caller @param {{ clients: number, next: (n: number) => Call, seconds: number }} options */
export async function loadFor(caller, { seconds, ...options }) {
  const running = load(caller, options);
  await pause(seconds * 1000);
  return running.stop();
}

/** Calls `/health/live` continuously. @param {Caller} caller */
export function watchHealth(caller) {
  return load(caller, { clients: 1, pauseMs: HEALTH_EVERY_MS, next: () => ({ path: '/health/live' }) });
}

/**
 * The requirements for the responses to `watchHealth`.
 * @param {Answer[]} live
 * @param {number} lateMs delay that comes from the machine
 * @returns {[boolean, string][]}
 */
export function lives(live, lateMs) {
  const times = live.map(({ milliseconds }) => milliseconds);
  const [most, slowest] = [quantile(times, 0.9), quantile(times, 1)];
  return [
    [live.length > 0 && live.every(({ status }) => status === 200), `/health/live: ${describeAnswers(live)}`],
    [most <= LIVE_WITHIN_MS + lateMs, `1 of 10 answers of /health/live took more than ${most.toFixed(0)} ms`],
    [slowest <= LIVE_AT_LATEST_MS + lateMs, `/health/live took ${slowest.toFixed(0)} ms`],
  ];
}

/**
 * Whether this is the documented rejection: 503, or 429 of a caller with too many requests, with the time to wait in the header and in the body of the surface.
 * @param {Answer} answer
 */
export function isDocumentedRejection({ status, headers, body }) {
  const retryAfterMs = body?.details?.retryAfterMs ?? body?.retryAfterMs;
  return (
    [429, 503].includes(status) &&
    Number(headers['retry-after']) >= 1 &&
    Number.isInteger(retryAfterMs) &&
    retryAfterMs > 0
  );
}

/** Describes responses in the message of a miss. @param {Answer[]} answers */
export function describeAnswers(answers) {
  const words = answers.map(
    ({ status, failure, body }) => failure ?? `${status} ${JSON.stringify(body).slice(0, 120)}`,
  );
  const counts = new Map();
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
  return [...counts]
    .slice(0, 3)
    .map(([word, count]) => `${count} x ${word}`)
    .join('; ');
}
