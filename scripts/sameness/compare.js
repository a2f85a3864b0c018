// @ts-check

/**
 * The differences between two values of JSON, one readable line each. A part that exists on one side only is one line,
 * with all its contents; lists of words are compared as sets.
 * @param {any} before
 * @param {any} after
 * @param {string[]} [path]
 * @returns {string[]}
 */
export function differences(before, after, path = []) {
  if (isWords(before) && isWords(after)) return differentWords(before, after, path);
  if (isObject(before) && isObject(after)) {
    const keys = [...new Set([...Object.keys(before), ...Object.keys(after)])].sort();
    return keys.flatMap((key) => member(before, after, { key, path }));
  }
  const [was, is] = [brief(before), brief(after)];
  return JSON.stringify(before) === JSON.stringify(after) ? [] : [`${path.join(' > ')}: ${was} became ${is}`];
}

/**
 * @param {Record<string, any>} before
 * @param {Record<string, any>} after
 * @param {{ key: string, path: string[] }} place
 */
function member(before, after, { key, path }) {
  const inside = [...path, key];
  if (!Object.hasOwn(after, key)) return [`${inside.join(' > ')}: removed${valueOf(before[key])}`];
  if (!Object.hasOwn(before, key)) return [`${inside.join(' > ')}: added${valueOf(after[key])}`];
  return differences(before[key], after[key], inside);
}

/** @param {string[]} before @param {string[]} after @param {string[]} path */
function differentWords(before, after, path) {
  const place = path.join(' > ');
  return [
    ...before.filter((word) => !after.includes(word)).map((word) => `${place}: ${word} removed`),
    ...after.filter((word) => !before.includes(word)).map((word) => `${place}: ${word} added`),
  ];
}

/** @param {any} value @returns {value is string[]} */
function isWords(value) {
  return Array.isArray(value) && value.every((each) => typeof each === 'string');
}

/** @param {any} value */
function isObject(value) {
  return value !== null && typeof value === 'object';
}

/** @param {any} value */
function valueOf(value) {
  return isObject(value) ? '' : ` (${brief(value)})`;
}

/** @param {any} value */
function brief(value) {
  const text = JSON.stringify(value) ?? 'nothing';
  return text.length > 300 ? `${text.slice(0, 300)}...` : text;
}
