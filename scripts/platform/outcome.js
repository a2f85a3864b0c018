// @ts-check
import { LaunchError, report } from '../launch-error.js';
import { note } from '../progress.js';

/**
 * The outcome of a command: `exitCode` (0 by default), `result` (the document for `--json`), `lines` (the result for a person),
 * and `faults` (further lines on standard error).
 * @typedef {{ exitCode?: number, result: object, lines: string[], faults?: string[] }} Outcome
 */

/** Thrown if a signal ended the work; `message` describes the state. */
export class Stopped extends Error {}

/**
 * Prints the outcome of a command and returns its exit code.
 * @param {Outcome} outcome
 * @param {{ json: boolean }} format
 */
export function printOutcome({ exitCode = 0, result, lines, faults = [] }, { json }) {
  process.stdout.write(json ? jsonOf(result) : lines.map((line) => `${line}\n`).join(''));
  process.stderr.write(faults.map((line) => `${line}\n`).join(''));
  return exitCode;
}

/**
 * Prints why a command failed to standard error, with `json` also as a document to standard output; returns the exit code.
 * @param {unknown} error
 * @param {{ json: boolean, stoppedCode: number }} options
 */
export function printFailure(error, { json, stoppedCode }) {
  const failure = error instanceof Error ? { ...error, message: error.message } : { message: String(error) };
  const { message, exitCode, ...more } = /** @type {Partial<Failure> & { message: string }} */ (failure);
  const { code, remedy, details, faults } = more;
  if (json) process.stdout.write(jsonOf({ error: { code, message, remedy, details, faults } }));
  if (error instanceof Stopped) {
    note(message);
    return stoppedCode;
  }
  if (error instanceof LaunchError || exitCode === undefined) return report(error);
  process.stderr.write(`${message}\n`);
  return exitCode;
}

/**
 * The members of expected errors.
 * @typedef {{ message: string, exitCode: number, code: string, remedy: string, details: object, faults: string[] }} Failure
 */

/** @param {object} document */
function jsonOf(document) {
  return `${JSON.stringify(document, null, 2)}\n`;
}
