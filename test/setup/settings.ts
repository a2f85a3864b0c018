import { ConfigurationError } from '../../src/platform/config/configuration-error.js';
import { readEnv } from '../../src/platform/config/read-env.js';
import { settings } from '../../src/platform/config/table.js';

const NAMES = new Set(Object.values(settings).map(({ name }) => name));

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

/** The names of variables that the service does not know. */
export function unknownSettings(variables: Record<string, string>): string[] {
  return Object.keys(variables).filter((name) => !NAMES.has(name) && !/^VAULT_KEK_[A-Za-z0-9]{1,32}$/.test(name));
}
