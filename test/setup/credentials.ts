import { readFileSync } from 'node:fs';

/** The credentials that the first start of the service created in its template database. */
export interface Credentials {
  staff: { email: string; password: string; token: string };
  platformKey: string;
  limitedPlatformKey: string;
  operatorId: string;
  providerKey: string;
  vaultSlug: string;
  /** `contractId` opens the contract of the demo data that was sent; it is random. */
  demo: { contractId: string; channelId: string };
}

/**
 * The actor of a test: the first owner (staff), or a platform key with all scopes, or one with `data:geo:read` only.
 */
export type Actor = 'owner' | 'platform' | 'limited';

export function readCredentials(): Credentials {
  const file = process.env.TEST_CREDENTIALS;
  if (!file) throw new Error('TEST_CREDENTIALS is not set: only e2e tests have a running service with credentials');
  return JSON.parse(readFileSync(file, 'utf8')) as Credentials;
}

export function tokenOf(credentials: Credentials, actor: Actor): string {
  const tokens = {
    owner: credentials.staff.token,
    platform: credentials.platformKey,
    limited: credentials.limitedPlatformKey,
  };
  return tokens[actor];
}
