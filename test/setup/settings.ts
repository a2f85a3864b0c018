import { ConfigurationError } from '../../src/platform/config/configuration-error.js';
import { readEnv } from '../../src/platform/config/read-env.js';

/** The faults for which a start with these variables is rejected; empty if it is not. */
export function settingsFaults(variables: Record<string, string>): readonly string[] {
  try {
    readEnv(variables);
    return [];
  } catch (error) {
    if (error instanceof ConfigurationError) return error.faults;
    throw error;
  }
}
