// @ts-check

/**
 * What a scenario found out; null where it did not look for it.
 * @typedef {object} Outcome
 * @property {string} name
 * @property {number | null} [cycles]
 * @property {number} requests sent, repetitions counted
 * @property {number | null} [acknowledged] writes that were answered by 2xx
 * @property {number | null} [lost] of these, how many are not there
 * @property {number | null} [duplicated] effects beyond one for each write
 * @property {number | null} [p99Ms] what 99 of 100 answers took at most
 * @property {number | null} [recoverySeconds] the longest time until the service did its work again
 * @property {string[]} misses what did not hold, a sentence each
 */

/**
 * @typedef {object} Scenario
 * @property {string} name
 * @property {string} title
 * @property {Record<string, number>} short sizes for `npm test`
 * @property {Record<string, number>} long sizes for a proof
 * @property {(world: import('./world.js').World, size: any) => Promise<Outcome[]>} run
 */

/** The value that `share` (0 to 1) of the values do not exceed; 0 where there are none. @param {number[]} values @param {number} share */
export function quantile(values, share) {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? 0;
}

/** The sentences whose condition does not hold. @param {[boolean, string][]} promises */
export function missesOf(promises) {
  return promises.filter(([holds]) => !holds).map(([, sentence]) => sentence);
}

/** Whole numbers, inclusive. @param {number} from @param {number} to */
export function between(from, to) {
  return from + Math.floor(Math.random() * (to - from + 1));
}

const COLUMNS = 'cycles requests acknowledged lost duplicated p99Ms recoverySeconds'.split(' ');
const HEADINGS = ['scenario', 'cycles', 'requests', 'acknowl.', 'lost', 'doubled', 'p99 ms', 'back in s', 'verdict'];

export const heading = row(HEADINGS);

/** One line of the table, and below it one for each miss. @param {Outcome} outcome */
export function tableLine(outcome) {
  const figures = COLUMNS.map((column) => figure(/** @type {Record<string, unknown>} */ ({ ...outcome })[column]));
  const verdict = outcome.misses.length === 0 ? 'ok' : 'MISS';
  return row([outcome.name, ...figures, verdict]) + outcome.misses.map((miss) => `    ${miss}\n`).join('');
}

/** @param {unknown} value */
function figure(value) {
  if (typeof value !== 'number') return '-';
  return Number.isInteger(value) ? String(value) : value.toFixed(value < 100 ? 2 : 0);
}

/** @param {string[]} cells */
function row([first = '', ...rest]) {
  return `${first.padEnd(34)}${rest.map((cell) => cell.padStart(11)).join('')}\n`;
}
