import { type CredentialKind, newCredential } from '../../platform/ids/credentials.js';
import type { Env } from '../../platform/config/env.js';
import { randomBase62 } from '../../platform/ids/id.js';

export interface InitialOwner {
  email: string;
  password: string;
  token: string | null;
}

/** The credentials of the first start; null in production if it is not created. */
export interface InitialCredentials {
  owner: InitialOwner | null;
  platformKey: string | null;
  limitedPlatformKey: string | null;
}

const DEFAULT_EMAIL = 'owner@example.com';

/**
 * Values that `BOOTSTRAP_*` does not preset are generated, but never in production: there only preset credentials are
 * created, and an owner only with address and password.
 */
export function planInitialCredentials(env: Env): InitialCredentials {
  const generate = <T>(make: () => T): T | null => (env.production ? null : make());
  const email = env.bootstrapAdminEmail ?? generate(() => DEFAULT_EMAIL);
  const password = env.bootstrapAdminPassword ?? generate(() => randomBase62(20));
  const token = env.bootstrapStaffToken ?? generate(() => newToken('vsk'));
  return {
    owner: email !== null && password !== null ? { email, password, token } : null,
    platformKey: env.bootstrapPlatformKey ?? generate(() => newToken('tpk')),
    limitedPlatformKey: generate(() => newToken('tpk')),
  };
}

/**
 * The missing presets of the owner, if only some of them are set in production: an incomplete owner cannot be created, and the
 * operator must be informed. Empty if the presets are complete or absent.
 */
export function missingPresets(env: Env): string[] {
  const { production, bootstrapAdminEmail, bootstrapAdminPassword, bootstrapStaffToken } = env;
  const isWanted = [bootstrapAdminEmail, bootstrapAdminPassword, bootstrapStaffToken].some((preset) => preset !== null);
  if (!production || !isWanted) return [];
  const email = bootstrapAdminEmail === null ? ['BOOTSTRAP_ADMIN_EMAIL'] : [];
  return bootstrapAdminPassword === null ? [...email, 'BOOTSTRAP_ADMIN_PASSWORD'] : email;
}

function newToken(kind: CredentialKind): string {
  return newCredential(kind).token;
}
