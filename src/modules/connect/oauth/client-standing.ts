import { covers } from '../../../platform/auth/scopes.js';

/** Everything that decides whether a client may be used now, and for what. */
export interface ClientStanding {
  id: string;
  /** Public. */
  clientId: string;
  operatorId: string;
  scopes: string[];
  active: boolean;
  expiresAt: Date | null;
  operatorActive: boolean;
  /** Null: bound to no grant. */
  grantActive: boolean | null;
  grantScopes: string[] | null;
  grantExpiresAt: Date | null;
}

/** The columns of ClientStanding and the tables they come from, for a statement that goes on with `where`. */
export const STANDING_COLUMNS = `
  client.id, client.client_id as "clientId", client.operator_id as "operatorId", client.scopes, client.active, client.expires_at as "expiresAt",
  operator.status = 'active' as "operatorActive", granted.status = 'active' as "grantActive",
  granted.scopes as "grantScopes", granted.expires_at as "grantExpiresAt"`;
export const STANDING_TABLES = `
  oauth_clients client
  join operators operator on operator.id = client.operator_id
  left join operator_grants granted on granted.id = client.grant_id`;

/** Whether the client itself is alive: neither revoked nor expired. */
export function isAlive({ active, expiresAt }: ClientStanding, now: Date): boolean {
  return active && !isPast(expiresAt, now);
}

/** Whether its operator, and its grant if it has one, let it act. */
export function isPermitted(standing: ClientStanding, now: Date): boolean {
  return standing.operatorActive && standing.grantActive !== false && !isPast(standing.grantExpiresAt, now);
}

/** Those of the scopes that the grant still covers: it may have been narrowed since they were given. */
export function withinGrant(scopes: string[], { grantScopes }: ClientStanding): string[] {
  return grantScopes === null ? scopes : scopes.filter((scope) => covers(grantScopes, scope));
}

function isPast(instant: Date | null, now: Date): boolean {
  return instant !== null && instant <= now;
}
