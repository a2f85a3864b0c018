// @ts-check

/**
 * The result of a scenario; unmeasured values are null.
 * @typedef {object} Outcome
 * @property {string} name
 * @property {number | null} [cycles]
 * @property {number} requests sent, including repetitions
 * @property {number | null} [acknowledged] writes with a 2xx response
 * @property {number | null} [lost] acknowledged effects that are missing
 * @property {number | null} [duplicated] effects beyond one per write
 * @property {number | null} [p99Ms] the 99th percentile of the response times
 * @property {number | null} [recoverySeconds] the longest time until the service worked again
 * @property {string[]} misses the requirements that were not met
 */

/**
 * @typedef {object} Scenario
 * @property {string} name
 * @property {string} title
 * @property {Record<string, number>} short sizes for the system tests
 * @property {Record<string, number>} long sizes for `--long`
 * @property {(world: import('./world.js').World, size: any) => Promise<Outcome[]>} run
 */

/** The quantile `share` (0 to 1) of the values; 0 if there are none. @param {number[]} values @param {number} share */
export function quantile(values, share) {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? 0;
}

/** The messages whose condition is false. @param {[boolean, string][]} requirements */
export function missesOf(requirements) {
  return requirements.filter(([isMet]) => !isMet).map(([, message]) => message);
}

/** Whole numbers, inclusive. @param {number} from @param {number} to */
export function between(from, to) {
  return from + Math.floor(Math.random() * (to - from + 1));
}

const COLUMNS = 'cycles requests acknowledged lost duplicated p99Ms recoverySeconds'.split(' ');
const HEADINGS = ['scenario', 'cycles', 'requests', 'acknowl.', 'lost', 'duplic.', 'p99 ms', 'recovery s', 'verdict'];

export const heading = row(HEADINGS);

/** A line of the table, followed by a line for each miss. @param {Outcome} outcome */
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
