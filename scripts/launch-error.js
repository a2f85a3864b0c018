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

const OTHER_FOLDER = 'or set DATA_DIR to a folder elsewhere.';

/**
 * Reasons why a file or folder cannot be written, with remedies, by the error code of the system. @type {ReadonlyMap<unknown,
 * [string, string]>}
 */
const UNWRITABLE = new Map([
  ['EACCES', ['this user may not write there', `Change the rights of the folder, ${OTHER_FOLDER}`]],
  ['EPERM', ['this user may not write there', `Change the rights of the folder, ${OTHER_FOLDER}`]],
  ['ENOTDIR', ['a part of the path is not a folder', `Rename that file, ${OTHER_FOLDER}`]],
  ['EROFS', ['the file system is read-only', `Mount it for writing, ${OTHER_FOLDER}`]],
  ['ENOSPC', ['the disk is full', `Free space on the disk, ${OTHER_FOLDER}`]],
]);

/**
 * Adds the remedy to the system's error about an unusable file or folder; returns any other error unchanged. @param {unknown}
 * error
 */
function withRemedy(error) {
  if (!(error instanceof Error) || !('code' in error) || !('path' in error)) return error;
  const [fault, remedy] = UNWRITABLE.get(error.code) ?? [];
  return fault && remedy
    ? new LaunchError(`${error.path} cannot be written: ${fault} (${error.code}).`, remedy)
    : error;
}

/**
 * Prints an error to standard error and returns its exit code.
 * @param {unknown} thrown
 * @returns {number}
 */
export function report(thrown) {
  const error = withRemedy(thrown);
  if (!(error instanceof LaunchError)) {
    console.error(error);
    return 1;
  }
  if (error.detail) console.error(`\n${error.detail.replace(/^/gm, '  | ')}`);
  console.error(`\nERROR   ${error.message}\nREMEDY  ${error.remedy}\n`);
  return error.exitCode;
}
