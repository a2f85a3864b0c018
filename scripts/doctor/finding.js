// @ts-check

/**
 * The result of a check. With WARN the service works with a drawback; with FAIL it does not work.
 * @typedef {{ check: string, verdict: 'OK' | 'WARN' | 'FAIL', message: string, remedy?: string }} Finding
 */

/** @param {string} check @param {string} message @returns {Finding} */
export function fine(check, message) {
  return { check, verdict: 'OK', message };
}

/** @param {string} check @param {string} message @param {string} remedy @returns {Finding} */
export function warned(check, message, remedy) {
  return { check, verdict: 'WARN', message, remedy };
}

/** @param {string} check @param {string} message @param {string} remedy @returns {Finding} */
export function failed(check, message, remedy) {
  return { check, verdict: 'FAIL', message, remedy };
}

/**
 * Splits `NAME: fault; expected this; for example that`, in which form a start reports a fault. @param {string} fault @returns
 * {[string, string]}
 */
export function faultAndRemedy(fault) {
  const at = fault.indexOf('; ');
  return at === -1 ? [fault, 'correct it'] : [fault.slice(0, at), fault.slice(at + 2)];
}

/** Formats a finding for a person: a line, and one with the remedy. @param {Finding} finding */
export function linesOf({ check, verdict, message, remedy }) {
  const line = `${verdict.padEnd(4)}  ${check.padEnd(13)}  ${message}`;
  return remedy === undefined ? [line] : [line, `${' '.repeat(21)}remedy: ${remedy}`];
}

/** @param {readonly Finding[]} findings */
export function summaryOf(findings) {
  const count = (/** @type {Finding['verdict']} */ wanted) =>
    findings.filter(({ verdict }) => verdict === wanted).length;
  return `${count('OK')} OK, ${count('WARN')} WARN, ${count('FAIL')} FAIL`;
}
