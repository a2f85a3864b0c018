import { Injectable } from '@nestjs/common';
import { BriefCache } from '../../../platform/auth/brief-cache.js';
import { secretMatches } from '../../../platform/ids/credentials.js';
import { TokenVerifier } from '../../../platform/auth/token-verifier.js';
import { Clock } from '../../../platform/clock/clock.js';
import { Database } from '../../../platform/database/database.js';
import { CLIENT_ID, type ClientCredentials } from '../oauth-clients/client-credentials.js';
import { type ClientStanding, isAlive, STANDING_COLUMNS, STANDING_TABLES } from './client-standing.js';
import { invalidClient } from './oauth-errors.js';

/** A client that has proved who it is, and by which of its secrets. */
export interface GenuineClient extends ClientStanding {
  secretId: string;
}

interface KnownClient {
  standing: ClientStanding;
  /** The two that may be live at a time; a client without any has none. */
  secrets: { id: string; hash: Buffer }[];
}

type Row = ClientStanding & { secretIds: string[]; secretHashes: Buffer[] };

const KNOWN = `
  select ${STANDING_COLUMNS}, live."secretIds", live."secretHashes"
  from ${STANDING_TABLES}
  cross join lateral (
    select coalesce(array_agg(id order by created_at), '{}') as "secretIds",
      coalesce(array_agg(hash order by created_at), '{}') as "secretHashes"
    from oauth_client_secrets secret
    where secret.client = client.id and secret.revoked_at is null
      and (secret.expires_at is null or secret.expires_at > $2)) live
  where client.client_id = $1`;

/** Authenticates clients by id and secret: one statement, or what was found out less than a second ago. */
@Injectable()
export class KnownClients {
  private readonly known: BriefCache<KnownClient>;

  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    verifier: TokenVerifier,
  ) {
    this.known = new BriefCache<KnownClient>(clock);
    verifier.alsoForget(this.known);
  }

  /**
   * The client that these credentials are of. Throws 401 `invalid_client`, after the same work whether the client is
   * unknown, revoked or expired, or the secret wrong: a comparison with what is remembered, a statement, another one.
   */
  async authenticate(credentials: ClientCredentials): Promise<GenuineClient> {
    // What cannot be a client id may hold characters that the database refuses.
    const clientId = CLIENT_ID.test(credentials.clientId) ? credentials.clientId : '';
    const remembered = this.genuine(this.known.find(clientId), credentials);
    const client = remembered ?? this.genuine(await this.known.ask(clientId, () => this.read(clientId)), credentials);
    if (!client) throw invalidClient();
    return client;
  }

  private async read(clientId: string): Promise<KnownClient | null> {
    const [row] = await this.database.prepared<Row>('oauth-client-authenticate', KNOWN, [clientId, this.clock.now()]);
    if (!row) return null;
    const { secretIds, secretHashes, ...standing } = row;
    const secrets = secretIds.flatMap((id, index) => {
      const hash = secretHashes[index];
      return hash ? [{ id, hash }] : [];
    });
    return { standing, secrets };
  }

  /** Compares with two secrets, whatever there is. */
  private genuine(known: KnownClient | null, { clientSecret }: ClientCredentials): GenuineClient | null {
    const [older, newer] = known?.secrets ?? [];
    const isOlder = secretMatches(clientSecret, older?.hash ?? null);
    const isNewer = secretMatches(clientSecret, newer?.hash ?? null);
    const secret = isNewer ? newer : isOlder ? older : undefined;
    if (!known || !secret || !isAlive(known.standing, this.clock.now())) return null;
    return { ...known.standing, secretId: secret.id };
  }
}
