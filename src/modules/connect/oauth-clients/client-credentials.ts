import { newSecret, randomBase62 } from '../../../platform/ids/id.js';

/** Public client IDs: 24 random base62 characters. */
export const CLIENT_ID = /^occ_[0-9A-Za-z]{24}$/;

/** ID and secret that a client sends to the token endpoint. The secret has 256 random bits and a checksum. */
export interface ClientCredentials {
  clientId: string;
  clientSecret: string;
}

export function newClientCredentials(): ClientCredentials {
  return { clientId: `occ_${randomBase62(24)}`, clientSecret: newClientSecret() };
}

export function newClientSecret(): string {
  return `ocs_${newSecret()}`;
}
