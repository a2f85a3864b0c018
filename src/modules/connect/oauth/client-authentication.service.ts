import { Injectable } from '@nestjs/common';
import { CredentialCache, TokenVerifier } from '../../../platform/auth/token-verifier.js';
import { Clock } from '../../../platform/clock/clock.js';
import { Database } from '../../../platform/database/database.js';
import { secretMatches } from '../../../platform/ids/credentials.js';
import { addressKey } from '../../../platform/context/client-address.js';
import { FailureLimits, nameBucketOf } from '../../../platform/admission/failure-limits.js';
import { type PolicyName, RateLimits } from '../../../platform/admission/rate-limits.js';
import { CLIENT_ID, type ClientCredentials } from '../oauth-clients/client-credentials.js';
import {
  assertPermitted,
  type AuthenticatedClient,
  CLIENT_STATUS_COLUMNS,
  CLIENT_STATUS_TABLES,
  type ClientStatus,
  isLive,
} from './client-status.js';
import { invalidClient } from './oauth-errors.js';

interface KnownClient {
  status: ClientStatus;
  /** The valid secrets, at most two. */
  secrets: { id: string; hash: Buffer }[];
}

type Row = ClientStatus & { secretIds: string[]; secretHashes: Buffer[] };

const KNOWN = `
  select ${CLIENT_STATUS_COLUMNS}, live."secretIds", live."secretHashes"
  from ${CLIENT_STATUS_TABLES}
  cross join lateral (
    select coalesce(array_agg(id order by created_at), '{}') as "secretIds",
      coalesce(array_agg(hash order by created_at), '{}') as "secretHashes"
    from oauth_client_secrets secret
    where secret.client = client.id and secret.revoked_at is null
      and (secret.expires_at is null or secret.expires_at > $2)) live
  where client.client_id = $1`;

/**
 * Authenticates clients by ID and secret, with limits on requests and on failures. One statement reads a client, which is then
 * cached for a second.
 */
@Injectable()
export class ClientAuthenticationService {
  private readonly known: CredentialCache<KnownClient>;
  /** The secret with which a client was last authenticated from an address. */
  private readonly lastSecretIds: CredentialCache<string>;

  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly limits: RateLimits,
    private readonly failures: FailureLimits,
    verifier: TokenVerifier,
  ) {
    this.known = new CredentialCache<KnownClient>(clock);
    this.lastSecretIds = new CredentialCache<string>(clock);
    verifier.alsoForget(this.known);
    verifier.alsoForget(this.lastSecretIds);
  }

  /**
   * Counts failures in the database, unless the same secret was accepted from the same address less than a second ago and none
   * was rejected since.
   */
  async authenticate(
    policy: PolicyName,
    address: string | undefined,
    credentials: ClientCredentials,
  ): Promise<AuthenticatedClient> {
    const subject = `${credentials.clientId} ${addressKey(address)}`;
    const client =
      this.findRecent(subject, credentials) ?? (await this.verifyCounted({ subject, address }, credentials));
    // The request is counted only after authentication, so that a caller that knows just the ID cannot use up the client's limit.
    this.limits.take(policy, credentials.clientId);
    return client;
  }

  assertPermitted(client: AuthenticatedClient): void {
    assertPermitted(client, this.clock.now());
  }

  private findRecent(subject: string, credentials: ClientCredentials): AuthenticatedClient | null {
    const client = this.match(this.known.find(credentials.clientId), credentials);
    return client && this.lastSecretIds.find(subject) === client.secretId ? client : null;
  }

  private async verifyCounted(
    { subject, address }: { subject: string; address: string | undefined },
    credentials: ClientCredentials,
  ): Promise<AuthenticatedClient> {
    const bucket = `bucket ${nameBucketOf(credentials.clientId)} ${addressKey(address)}`;
    return this.failures.count('token-failures', [bucket], async () => {
      try {
        const client = await this.verify(credentials);
        this.lastSecretIds.set(subject, client.secretId);
        return client;
      } catch (error) {
        this.lastSecretIds.delete(subject);
        throw error;
      }
    });
  }

  /**
   * Does the same work whether the client is unknown, revoked or expired, or the secret is wrong, so that timing reveals
   * nothing: a comparison with the cached secrets, a statement, a second comparison.
   */
  private async verify(credentials: ClientCredentials): Promise<AuthenticatedClient> {
    // A malformed ID can contain characters that the database rejects.
    const clientId = CLIENT_ID.test(credentials.clientId) ? credentials.clientId : '';
    const cached = this.match(this.known.find(clientId), credentials);
    const client = cached ?? this.match(await this.known.ask(clientId, () => this.read(clientId)), credentials);
    if (!client) throw invalidClient();
    return client;
  }

  private async read(clientId: string): Promise<KnownClient | null> {
    const [row] = await this.database.prepared<Row>('oauth-client-authenticate', KNOWN, [clientId, this.clock.now()]);
    if (!row) return null;
    const { secretIds, secretHashes, ...status } = row;
    const secrets = secretIds.flatMap((id, index) => {
      const hash = secretHashes[index];
      return hash ? [{ id, hash }] : [];
    });
    return { status, secrets };
  }

  /** Always compares with two secrets, to take the same time for every client. */
  private match(known: KnownClient | null, { clientSecret }: ClientCredentials): AuthenticatedClient | null {
    const [older, newer] = known?.secrets ?? [];
    const isOlder = secretMatches(clientSecret, older?.hash ?? null);
    const isNewer = secretMatches(clientSecret, newer?.hash ?? null);
    const secret = isNewer ? newer : isOlder ? older : undefined;
    if (!known || !secret || !isLive(known.status, this.clock.now())) return null;
    return { ...known.status, secretId: secret.id };
  }
}
