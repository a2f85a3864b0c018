// @ts-check
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../environment.js';
import { breakingChanges } from './compatibility.js';

/** @typedef {import('./schemas.js').Json} Json */

/**
 * An accepted change that the comparison reports. A correction changes only the document, which did not describe the service
 * correctly; any other one needs a new major version.
 * @typedef {{ change: string, reason: string, correction?: boolean }} Accepted
 */

/** The API document of the last release, with its version as `x-release`. */
export const RELEASED = 'releases/v1.json';
/** The intended breaking changes since the last release. */
export const ACCEPTED = 'releases/accepted-changes.json';

/** Depth to which members have their own lines: one for each operation and each component. */
const LINES = 3;

/** @param {string} [root] @returns {{ document: Json, release: string }} */
export function releasedDocument(root = ROOT) {
  const document = JSON.parse(readFileSync(join(root, RELEASED), 'utf8'));
  return { document, release: document.info['x-release'] };
}

/** @param {string} [root] @returns {Accepted[]} */
export function acceptedChanges(root = ROOT) {
  const file = join(root, ACCEPTED);
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : [];
}

/**
 * Compares a document with the released one. `unexpected` are breaking changes that are not accepted, `stale` are accepted
 * changes that do not exist, and `needsMajor` are accepted changes that are not corrections.
 * @param {Json} document
 * @param {{ released: Json, accepted: Accepted[] }} comparison
 */
export function compatibilityOf(document, { released, accepted }) {
  const found = breakingChanges(released, document);
  const known = new Map(accepted.map((each) => [each.change, each]));
  return {
    unexpected: found.filter((change) => !known.has(change)),
    stale: accepted.map(({ change }) => change).filter((change) => !found.includes(change)),
    needsMajor: found.filter((change) => known.has(change) && !known.get(change)?.correction),
  };
}

/**
 * Returns the text of the released document: compact, without examples, which are half of it, and with lines that make a diff
 * readable.
 * @param {Json} document
 * @param {string} release
 */
export function releasedText(document, release) {
  const info = { ...document['info'], 'x-release': release };
  return `${linesOf(withoutExamples({ ...document, info }), LINES)}\n`;
}

/** @param {any} value @param {boolean} [areNames] whether the members are names of properties @returns {any} */
function withoutExamples(value, areNames = false) {
  if (Array.isArray(value)) return value.map((each) => withoutExamples(each));
  if (typeof value !== 'object' || value === null) return value;
  const kept = Object.entries(value).filter(([name]) => areNames || !['example', 'examples'].includes(name));
  return Object.fromEntries(
    kept.map(([name, each]) => [name, withoutExamples(each, name === 'properties' && !areNames)]),
  );
}

/** @param {any} value @param {number} depth how deep members have lines of their own @returns {string} */
export function linesOf(value, depth) {
  const members = typeof value === 'object' && value !== null ? Object.entries(value) : [];
  if (depth === 0 || members.length === 0) return JSON.stringify(value);
  if (Array.isArray(value)) return `[\n${value.map((each) => linesOf(each, depth - 1)).join(',\n')}\n]`;
  const lines = members.map(([name, each]) => `${JSON.stringify(name)}:${linesOf(each, depth - 1)}`);
  return `{\n${lines.join(',\n')}\n}`;
}
