// @ts-check

/**
 * What was found out about one thing. WARN: it works, but not as it should; FAIL: the service would not work.
 * @typedef {{ check: string, verdict: 'OK' | 'WARN' | 'FAIL', says: string, remedy?: string }} Finding
 */

/** @param {string} check @param {string} says @returns {Finding} */
export function fine(check, says) {
  return { check, verdict: 'OK', says };
}

/** @param {string} check @param {string} says @param {string} remedy @returns {Finding} */
export function warned(check, says, remedy) {
  return { check, verdict: 'WARN', says, remedy };
}

/** @param {string} check @param {string} says @param {string} remedy @returns {Finding} */
export function failed(check, says, remedy) {
  return { check, verdict: 'FAIL', says, remedy };
}

/** For a person: a line, and one more with the remedy. @param {Finding} finding */
export function linesOf({ check, verdict, says, remedy }) {
  const line = `${verdict.padEnd(4)}  ${check.padEnd(13)}  ${says}\n`;
  return remedy === undefined ? line : `${line}${' '.repeat(21)}remedy: ${remedy}\n`;
}

/** @param {readonly Finding[]} findings */
export function summaryOf(findings) {
  const count = (/** @type {Finding['verdict']} */ wanted) =>
    findings.filter(({ verdict }) => verdict === wanted).length;
  return `${count('OK')} OK, ${count('WARN')} WARN, ${count('FAIL')} FAIL`;
}
