import { covers } from '../../../platform/auth/scopes.js';
import type { AppError } from '../../../platform/errors/app-error.js';
import { rejectedRequest } from './oauth-errors.js';

/** The data that determines whether a client can be used now, and with which scopes. */
export interface ClientStatus {
  id: string;
  /** Public. */
  clientId: string;
  operatorId: string;
  scopes: string[];
  active: boolean;
  expiresAt: Date | null;
  operatorActive: boolean;
  /** Null if the client is not bound to a grant. */
  grantActive: boolean | null;
  grantScopes: string[] | null;
  grantExpiresAt: Date | null;
}

/** A client after authentication, with the secret that it used. */
export interface AuthenticatedClient extends ClientStatus {
  secretId: string;
}

/** The columns of ClientStatus and their tables, for use in statements. */
export const CLIENT_STATUS_COLUMNS = `
  client.id, client.client_id as "clientId", client.operator_id as "operatorId", client.scopes, client.active, client.expires_at as "expiresAt",
  operator.status = 'active' as "operatorActive", granted.status = 'active' as "grantActive",
  granted.scopes as "grantScopes", granted.expires_at as "grantExpiresAt"`;
export const CLIENT_STATUS_TABLES = `
  oauth_clients client
  join operators operator on operator.id = client.operator_id
  left join operator_grants granted on granted.id = client.grant_id`;

/** Whether the client is neither revoked nor expired. */
export function isLive({ active, expiresAt }: ClientStatus, now: Date): boolean {
  return active && !isPast(expiresAt, now);
}

/** Whether its operator, and its grant if it has one, are active. */
export function isPermitted(status: ClientStatus, now: Date): boolean {
  return status.operatorActive && status.grantActive !== false && !isPast(status.grantExpiresAt, now);
}

/** Returns the scopes that the grant still covers; it may have been restricted since they were assigned. */
export function scopesWithinGrant(scopes: string[], { grantScopes }: ClientStatus): string[] {
  return grantScopes === null ? scopes : scopes.filter((scope) => covers(grantScopes, scope));
}

export function assertPermitted(client: ClientStatus, now: Date): void {
  if (!isPermitted(client, now)) throw notPermitted();
}

export function notPermitted(): AppError {
  return rejectedRequest('unauthorized_client', 'The operator or the grant of this client is not active');
}

function isPast(instant: Date | null, now: Date): boolean {
  return instant !== null && instant <= now;
}
