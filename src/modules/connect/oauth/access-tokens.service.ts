import { Injectable } from '@nestjs/common';
import {
  CredentialCache,
  RecallsCredential,
  TokenVerifier,
  VerifiesCredential,
} from '../../../platform/auth/token-verifier.js';
import { type Credential, newCredential, parseCredential, secretMatches } from '../../../platform/ids/credentials.js';
import { excessScopes, isConnectScope } from '../../../platform/auth/scopes.js';
import { Clock } from '../../../platform/clock/clock.js';
import type { Actor } from '../../../platform/context/actor.js';
import { Database } from '../../../platform/database/database.js';
import { Cron } from '../../../platform/jobs/job-decorators.js';
import {
  assertPermitted,
  type AuthenticatedClient,
  CLIENT_STATUS_COLUMNS,
  CLIENT_STATUS_TABLES,
  type ClientStatus,
  isLive,
  isPermitted,
  notPermitted,
  scopesWithinGrant,
} from './client-status.js';
import { invalidClient, rejectedRequest } from './oauth-errors.js';

const LIFETIME_SECONDS = 3600;
const RETENTION_SECONDS = 24 * 3600;

export interface IssuedToken {
  token: string;
  scopes: string[];
  expiresInSeconds: number;
}

/** An access token that is valid now. */
export interface LiveToken {
  publicId: string;
  client: ClientStatus;
  /** Scopes of the token that the grant still covers. */
  scopes: string[];
  issuedAt: Date;
  expiresAt: Date;
}

type TokenRow = ClientStatus & { secretHash: Buffer; tokenScopes: string[]; issuedAt: Date; endsAt: Date };

const LIVE = `
  select ${CLIENT_STATUS_COLUMNS}, token.secret_hash as "secretHash", token.scopes as "tokenScopes",
    token.issued_at as "issuedAt", token.expires_at as "endsAt"
  from oauth_access_tokens token join (${CLIENT_STATUS_TABLES}) on client.id = token.client
    left join oauth_client_secrets issuing on issuing.id = token.secret
  where token.public_id = $1 and token.revoked_at is null and token.expires_at > $2 and issuing.revoked_at is null`;

/**
 * Adds a token if the client and the secret are still valid and the operator and the grant are active; returns whether it did.
 * Locks nothing: a token added while its secret is being revoked is not valid either.
 */
const ADD = `
  with parent as (
    select client.active and (client.expires_at is null or client.expires_at > $6)
        and secret.revoked_at is null and (secret.expires_at is null or secret.expires_at > $6) as live,
      operator.status = 'active' and (client.grant_id is null or
        (granted.status = 'active' and (granted.expires_at is null or granted.expires_at > $6))) as permitted
    from ${CLIENT_STATUS_TABLES}
    join oauth_client_secrets secret on secret.client = client.id
    where client.id = $3 and secret.id = $4
  ), added as (
    insert into oauth_access_tokens (public_id, secret_hash, client, secret, scopes, issued_at, expires_at)
    select $1, $2, $3, $4, $5, $6, $7 from parent where live and permitted
  )
  select live, permitted from parent`;

/** Short-lived tokens of OAuth clients. They are opaque and stored as SHA-256, so a revocation takes effect at once. */
@Injectable()
export class AccessTokensService {
  private readonly live: CredentialCache<LiveToken>;

  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly verifier: TokenVerifier,
  ) {
    this.live = new CredentialCache<LiveToken>(clock);
    verifier.alsoForget(this.live);
  }

  /** Issues a token for one hour, or until the end of the client or its grant. */
  async issue(client: AuthenticatedClient, requested: string[] | null): Promise<IssuedToken> {
    const now = this.clock.now();
    assertPermitted(client, now);
    const scopes = tokenScopesOf(requested, scopesWithinGrant(client.scopes, client));
    const ends = [this.clock.inSeconds(LIFETIME_SECONDS), client.expiresAt, client.grantExpiresAt];
    const expiresAt = new Date(Math.min(...ends.flatMap((end) => (end ? [end.getTime()] : []))));

    const { token, publicId, secretHash } = newCredential('oat');
    const values = [publicId, secretHash, client.id, client.secretId, scopes, now, expiresAt];
    const [parent] = await this.database.prepared<{ live: boolean; permitted: boolean }>(
      'oauth-access-token-add',
      ADD,
      values,
    );
    if (!parent?.live) throw invalidClient();
    if (!parent.permitted) throw notPermitted();
    return { token, scopes, expiresInSeconds: Math.floor((expiresAt.getTime() - now.getTime()) / 1000) };
  }

  /** Returns the actor of the token, or null if the token, its client, grant or operator cannot be used now. */
  @VerifiesCredential('oat')
  async actorOf(credential: Credential): Promise<Actor | null> {
    return actorOfToken(await this.read(credential));
  }

  @RecallsCredential('oat')
  async actorOfId(publicId: string): Promise<Actor | null> {
    const row = await this.rowOf(publicId);
    return actorOfToken(row && this.liveToken(publicId, row));
  }

  /** Returns the token if it is valid; the result can be one second old. */
  async find(token: string): Promise<LiveToken | null> {
    const credential = parseAccessToken(token);
    return credential && (this.live.find(token) ?? this.live.ask(token, () => this.read(credential)));
  }

  /** Ends the token; only the client that received it may do so. */
  async revoke(token: string, client: ClientStatus): Promise<void> {
    const credential = parseAccessToken(token);
    const live = credential && (await this.read(credential));
    if (!live) return;
    if (live.client.id !== client.id) {
      throw rejectedRequest('unauthorized_client', 'The token was not issued to this client');
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
    await this.database.purge('oauth_access_tokens', 'expires_at < $1', [this.clock.inSeconds(-RETENTION_SECONDS)]);
  }

  private async read({ publicId, secret }: Credential): Promise<LiveToken | null> {
    const row = await this.rowOf(publicId);
    const isGenuine = secretMatches(secret, row?.secretHash ?? null);
    return row && isGenuine ? this.liveToken(publicId, row) : null;
  }

  private async rowOf(publicId: string): Promise<TokenRow | null> {
    const values = [publicId, this.clock.now()];
    const [row = null] = await this.database.prepared<TokenRow>('oauth-access-token-verify', LIVE, values);
    return row;
  }

  private liveToken(publicId: string, row: TokenRow): LiveToken | null {
    const now = this.clock.now();
    if (!isLive(row, now) || !isPermitted(row, now)) return null;
    const { tokenScopes, issuedAt, endsAt: expiresAt } = row;
    return { publicId, client: row, scopes: scopesWithinGrant(tokenScopes, row), issuedAt, expiresAt };
  }
}

function parseAccessToken(token: string): Credential | null {
  const credential = parseCredential(token);
  return credential?.kind === 'oat' ? credential : null;
}

function actorOfToken(token: LiveToken | null): Actor | null {
  if (!token) return null;
  const { publicId, client, scopes } = token;
  const { id, operatorId, expiresAt } = client;
  return { type: 'oauth_client', id, principal: id, credentialId: publicId, scopes, operatorId, expiresAt };
}

/**
 * Returns the requested scopes, by default all available ones. An empty list is an error, as are scopes beyond the available
 * ones.
 */
function tokenScopesOf(requested: string[] | null, available: string[]): string[] {
  const scopes = requested ?? available;
  // Compares only valid scopes: `*:write` is a requirement of a route, not a scope.
  const isWithin = scopes.every(isConnectScope) && excessScopes(available, scopes).length === 0;
  if (scopes.length === 0 || scopes.length > 64 || !isWithin) {
    throw rejectedRequest('invalid_scope', 'The requested scope exceeds the scopes of the client or is empty');
  }
  return scopes;
}
