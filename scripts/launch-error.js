// @ts-check

/** Exit codes of sysexits(3): what a person must change, and what is only missing right now. */
export const EXIT_CONFIG = 78;
export const EXIT_UNAVAILABLE = 69;

/** A failure that a person can do something about: it is printed as message and remedy, without a stack. */
export class LaunchError extends Error {
  /**
   * @param {string} message what is wrong
   * @param {string} remedy what to do about it
   * @param {{ exitCode?: number, detail?: string }} [more] `detail`: the words of the program that failed
   */
  constructor(message, remedy, { exitCode = EXIT_CONFIG, detail = '' } = {}) {
    super(message);
    this.name = 'LaunchError';
    this.remedy = remedy;
    this.exitCode = exitCode;
    this.detail = detail.trim();
  }
}

/**
 * Prints an error to standard error and answers the exit code that belongs to it.
 * @param {unknown} error
 * @returns {number}
 */
export function report(error) {
  if (!(error instanceof LaunchError)) {
    console.error(error);
    return 1;
  }
  if (error.detail) console.error(`\n${error.detail.replace(/^/gm, '  | ')}`);
  console.error(`\nERROR   ${error.message}\nREMEDY  ${error.remedy}\n`);
  return error.exitCode;
}
