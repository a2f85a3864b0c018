import { Injectable } from '@nestjs/common';
import { type Credential, newCredential, secretMatches } from '../../../platform/auth/credentials.js';
import { excessScopes, isConnectScope } from '../../../platform/auth/scopes.js';
import { Clock } from '../../../platform/clock.js';
import type { Actor } from '../../../platform/context/actor.js';
import { Database } from '../../../platform/database/database.js';
import { CLIENT_ID, type ClientCredentials } from '../oauth-clients/client-credentials.js';
import {
  type ClientStanding,
  isAlive,
  isPermitted,
  STANDING_COLUMNS,
  STANDING_TABLES,
  withinGrant,
} from './client-standing.js';
import { invalidClient, refusedRequest } from './oauth-errors.js';
import type { TokenRequest } from './token-request.js';

const LIFETIME_SECONDS = 3600;
const KEPT_AFTER_EXPIRY_SECONDS = 24 * 3600;
const PURGED_AT_ONCE = 5_000;

export interface IssuedToken {
  token: string;
  scopes: string[];
  expiresInSeconds: number;
}

/** Short-lived tokens of OAuth clients. They are opaque and kept as SHA-256, so that a revocation holds at once. */
@Injectable()
export class AccessTokens {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
  ) {}

  /**
   * The client that these credentials are of. Throws 401 `invalid_client`, after the same statement, hash and comparison
   * whether the client is unknown, revoked or expired, or the secret wrong.
   */
  async authenticate({ clientId, clientSecret }: ClientCredentials): Promise<ClientStanding> {
    const now = this.clock.now();
    const [row] = await this.database.prepared<ClientStanding & { secretHash: Buffer | null }>(
      'oauth-client-authenticate',
      `select ${STANDING_COLUMNS}, kept.hash as "secretHash"
       from ${STANDING_TABLES}
       left join lateral (
         select hash from oauth_client_secrets secret
         where secret.client = client.id and secret.revoked_at is null
           and (secret.expires_at is null or secret.expires_at > $2)
         order by secret.created_at desc limit 1) kept on true
       where client.client_id = $1`,
      // What cannot be a client id may hold characters that the database refuses.
      [CLIENT_ID.test(clientId) ? clientId : '', now],
    );
    const isGenuine = secretMatches(clientSecret, row?.secretHash ?? null);
    if (!row || !isGenuine || !isAlive(row, now)) throw invalidClient();
    return row;
  }

  /**
   * A token for an hour, never past the end of the client or its grant. Throws 400 `unauthorized_client` where the
   * operator or the grant is not active, 400 `invalid_scope`.
   */
  async issue(client: ClientStanding, wanted: TokenRequest['scopes']): Promise<IssuedToken> {
    const now = this.clock.now();
    if (!isPermitted(client, now)) {
      throw refusedRequest('unauthorized_client', 'The operator or the grant of this client is not active');
    }
    const scopes = chosenScopes(wanted, withinGrant(client.scopes, client));
    const ends = [this.clock.inSeconds(LIFETIME_SECONDS), client.expiresAt, client.grantExpiresAt];
    const expiresAt = new Date(Math.min(...ends.flatMap((end) => (end ? [end.getTime()] : []))));

    const { token, publicId, secretHash } = newCredential('oat');
    await this.database.prepared(
      'oauth-access-token-add',
      `insert into oauth_access_tokens (public_id, secret_hash, client, scopes, issued_at, expires_at)
       values ($1, $2, $3, $4, $5, $6)`,
      [publicId, secretHash, client.id, scopes, now, expiresAt],
    );
    return { token, scopes, expiresInSeconds: Math.floor((expiresAt.getTime() - now.getTime()) / 1000) };
  }

  /** Who acts with this token; null if it, its client, its grant or its operator may not be used now. */
  async verify({ publicId, secret }: Credential): Promise<Actor | null> {
    const now = this.clock.now();
    const [row] = await this.database.prepared<ClientStanding & { secretHash: Buffer; tokenScopes: string[] }>(
      'oauth-access-token-verify',
      `select ${STANDING_COLUMNS}, token.secret_hash as "secretHash", token.scopes as "tokenScopes"
       from oauth_access_tokens token join (${STANDING_TABLES}) on client.id = token.client
       where token.public_id = $1 and token.revoked_at is null and token.expires_at > $2`,
      [publicId, now],
    );
    const isGenuine = secretMatches(secret, row?.secretHash ?? null);
    if (!row || !isGenuine || !isAlive(row, now) || !isPermitted(row, now)) return null;
    return {
      type: 'oauth_client',
      id: row.id,
      principal: row.id,
      credentialId: publicId,
      scopes: withinGrant(row.tokenScopes, row),
      operatorId: row.operatorId,
    };
  }

  /** Deletes tokens that expired more than a day ago. */
  async purge(): Promise<void> {
    const before = this.clock.inSeconds(-KEPT_AFTER_EXPIRY_SECONDS);
    const batch = `select public_id from oauth_access_tokens where expires_at < $1 limit ${PURGED_AT_ONCE}`;
    const text = `delete from oauth_access_tokens where public_id in (${batch})`;
    for (let gone = PURGED_AT_ONCE; gone === PURGED_AT_ONCE;) {
      gone = (await this.database.execute(text, [before])).count;
    }
  }
}

/** What is wanted, or everything; throws 400 `invalid_scope` for more than there is, and where there is nothing. */
function chosenScopes(wanted: string[] | null, held: string[]): string[] {
  const scopes = wanted ?? held;
  // Only what follows the grammar is compared: `*:write` and its like are requirements of routes, not scopes.
  const isWithin = scopes.every(isConnectScope) && excessScopes(held, scopes).length === 0;
  if (scopes.length === 0 || scopes.length > 64 || !isWithin) {
    throw refusedRequest('invalid_scope', 'The scope is more than the client has, or none');
  }
  return scopes;
}
