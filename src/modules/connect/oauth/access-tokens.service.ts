import { Injectable } from '@nestjs/common';
import { BriefCache } from '../../../platform/auth/brief-cache.js';
import { type Credential, newCredential, parseCredential, secretMatches } from '../../../platform/ids/credentials.js';
import { excessScopes, isConnectScope } from '../../../platform/auth/scopes.js';
import { TokenVerifier } from '../../../platform/auth/token-verifier.js';
import { Clock } from '../../../platform/clock/clock.js';
import type { Actor } from '../../../platform/context/actor.js';
import { Database } from '../../../platform/database/database.js';
import { Cron } from '../../../platform/jobs/job-decorators.js';
import { VerifiesCredential } from '../../../platform/auth/verifies-credential.js';
import {
  type ClientStanding,
  isAlive,
  isPermitted,
  STANDING_COLUMNS,
  STANDING_TABLES,
  withinGrant,
} from './client-standing.js';
import type { GenuineClient } from './known-clients.service.js';
import { refusedRequest } from './oauth-errors.js';

const LIFETIME_SECONDS = 3600;
const KEPT_AFTER_EXPIRY_SECONDS = 24 * 3600;
const PURGED_AT_ONCE = 5_000;

export interface IssuedToken {
  token: string;
  scopes: string[];
  expiresInSeconds: number;
}

/** An access token that is good now. */
export interface LiveToken {
  publicId: string;
  client: ClientStanding;
  /** Those that its grant still covers. */
  scopes: string[];
  issuedAt: Date;
  expiresAt: Date;
}

type TokenRow = ClientStanding & { secretHash: Buffer; tokenScopes: string[]; issuedAt: Date; endsAt: Date };

const LIVE = `
  select ${STANDING_COLUMNS}, token.secret_hash as "secretHash", token.scopes as "tokenScopes",
    token.issued_at as "issuedAt", token.expires_at as "endsAt"
  from oauth_access_tokens token join (${STANDING_TABLES}) on client.id = token.client
  where token.public_id = $1 and token.revoked_at is null and token.expires_at > $2`;

/** Short-lived tokens of OAuth clients. They are opaque and kept as SHA-256, so that a revocation holds at once. */
@Injectable()
export class AccessTokens {
  private readonly live: BriefCache<LiveToken>;

  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly verifier: TokenVerifier,
  ) {
    this.live = new BriefCache<LiveToken>(clock);
    verifier.alsoForget(this.live);
  }

  /**
   * A token for an hour, never past the end of the client or its grant. Throws 400 `unauthorized_client` where the
   * operator or the grant is not active, 400 `invalid_scope`.
   */
  async issue(client: GenuineClient, wanted: string[] | null): Promise<IssuedToken> {
    const now = this.clock.now();
    assertPermitted(client, now);
    const scopes = chosenScopes(wanted, withinGrant(client.scopes, client));
    const ends = [this.clock.inSeconds(LIFETIME_SECONDS), client.expiresAt, client.grantExpiresAt];
    const expiresAt = new Date(Math.min(...ends.flatMap((end) => (end ? [end.getTime()] : []))));

    const { token, publicId, secretHash } = newCredential('oat');
    await this.database.prepared(
      'oauth-access-token-add',
      `insert into oauth_access_tokens (public_id, secret_hash, client, secret, scopes, issued_at, expires_at)
       values ($1, $2, $3, $4, $5, $6, $7)`,
      [publicId, secretHash, client.id, client.secretId, scopes, now, expiresAt],
    );
    return { token, scopes, expiresInSeconds: Math.floor((expiresAt.getTime() - now.getTime()) / 1000) };
  }

  /** Who acts with this token; null if it, its client, its grant or its operator may not be used now. */
  @VerifiesCredential('oat')
  async actorOf(credential: Credential): Promise<Actor | null> {
    const token = await this.read(credential);
    if (!token) return null;
    const { publicId, client, scopes } = token;
    const { id, operatorId } = client;
    return { type: 'oauth_client', id, principal: id, credentialId: publicId, scopes, operatorId };
  }

  /** The token, if it is good; as of a second ago at most. */
  async find(token: string): Promise<LiveToken | null> {
    const credential = parseAccessToken(token);
    return credential && (this.live.find(token) ?? this.live.ask(token, () => this.read(credential)));
  }

  /** Ends the token. Throws 400 `unauthorized_client` for one that was issued to somebody else. */
  async revoke(token: string, client: ClientStanding): Promise<void> {
    const credential = parseAccessToken(token);
    const live = credential && (await this.read(credential));
    if (!live) return;
    if (live.client.id !== client.id) {
      throw refusedRequest('unauthorized_client', 'The token was not issued to this client');
    }
    await this.database.execute(
      'update oauth_access_tokens set revoked_at = $2 where public_id = $1 and revoked_at is null',
      [live.publicId, this.clock.now()],
    );
    this.verifier.forget();
  }

  /** Deletes tokens that expired more than a day ago. */
  @Cron('connect.access_tokens.purge', '23 * * * *')
  async purge(): Promise<void> {
    const before = this.clock.inSeconds(-KEPT_AFTER_EXPIRY_SECONDS);
    const batch = `select public_id from oauth_access_tokens where expires_at < $1 limit ${PURGED_AT_ONCE}`;
    const text = `delete from oauth_access_tokens where public_id in (${batch})`;
    for (let gone = PURGED_AT_ONCE; gone === PURGED_AT_ONCE;) {
      gone = (await this.database.execute(text, [before])).count;
    }
  }

  private async read({ publicId, secret }: Credential): Promise<LiveToken | null> {
    const now = this.clock.now();
    const [row] = await this.database.prepared<TokenRow>('oauth-access-token-verify', LIVE, [publicId, now]);
    const isGenuine = secretMatches(secret, row?.secretHash ?? null);
    if (!row || !isGenuine || !isAlive(row, now) || !isPermitted(row, now)) return null;
    const { tokenScopes, issuedAt, endsAt: expiresAt } = row;
    return { publicId, client: row, scopes: withinGrant(tokenScopes, row), issuedAt, expiresAt };
  }
}

function parseAccessToken(token: string): Credential | null {
  const credential = parseCredential(token);
  return credential?.kind === 'oat' ? credential : null;
}

/** Throws 400 `unauthorized_client` where the operator or the grant does not let the client act. */
export function assertPermitted(client: ClientStanding, now: Date): void {
  if (isPermitted(client, now)) return;
  throw refusedRequest('unauthorized_client', 'The operator or the grant of this client is not active');
}

/** What is wanted, or everything; throws 400 `invalid_scope` for more than there is, and where there is nothing. */
function chosenScopes(wanted: string[] | null, held: string[]): string[] {
  const scopes = wanted ?? held;
  // Only what follows the grammar is compared: `*:write` and its like are requirements of routes, not scopes.
  const isWithin = scopes.every(isConnectScope) && excessScopes(held, scopes).length === 0;
  if (scopes.length === 0 || scopes.length > 64 || !isWithin) {
    throw refusedRequest('invalid_scope', 'The requested scope exceeds the scopes of the client or is empty');
  }
  return scopes;
}
