/** EX_CONFIG of sysexits.h: the process was configured wrongly, and starting it again will not help. */
export const CONFIGURATION_EXIT_CODE = 78;

/** Faults of the configuration, one line each with its remedy. Ends the boot with exit code 78. */
export class ConfigurationError extends Error {
  constructor(readonly faults: readonly string[]) {
    super(faults.join('\n'));
    this.name = 'ConfigurationError';
  }
}

/** EX_TEMPFAIL of sysexits.h: the same start can succeed later. */
export const UNAVAILABLE_EXIT_CODE = 75;

/** The database cannot be reached, or accepts no connections now. Ends the boot with exit code 75. */
export class DatabaseUnavailableError extends Error {
  /** `fault`: one line with its remedy */
  constructor(readonly fault: string) {
    super(fault);
    this.name = 'DatabaseUnavailableError';
  }
}
