// @ts-check

/** Exit code for unknown words on the command line. */
export const EXIT_USAGE = 2;
/** Exit codes of sysexits(3): damaged data, a configuration error, and a service that is temporarily unavailable. */
export const EXIT_DATA = 65;
export const EXIT_CONFIG = 78;
export const EXIT_UNAVAILABLE = 69;

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
