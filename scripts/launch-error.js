// @ts-check

/** Exit codes of sysexits(3): wrong words on the command line, rejected input, an unavailable registry, a configuration error. */
export const EXIT_USAGE = 64;
export const EXIT_DATA = 65;
export const EXIT_UNAVAILABLE = 69;
export const EXIT_CONFIG = 78;

/** The exit codes of the command line. @type {ReadonlyMap<number, string>} */
export const EXIT_CODES = new Map([
  [0, 'done'],
  [1, 'the work failed'],
  [EXIT_USAGE, 'wrong command, argument or option; nothing was done'],
  [EXIT_DATA, 'the input was rejected; nothing was changed'],
  [EXIT_UNAVAILABLE, 'the npm registry cannot be reached'],
  [75, 'the database cannot be reached now; the same command can succeed later'],
  [EXIT_CONFIG, 'the configuration has faults, or the command is not possible in the present state'],
  [130, 'stopped by Ctrl-C (143: by SIGTERM)'],
]);

/** A failure with a remedy for the person: printed as message and remedy, without a stack trace. */
export class LaunchError extends Error {
  /**
   * @param {string} message the fault
   * @param {string} remedy how to correct it
   * @param {{ exitCode?: number, detail?: string }} [more] `detail`: the output of the program that failed
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
 * Prints an error to standard error and returns its exit code.
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
