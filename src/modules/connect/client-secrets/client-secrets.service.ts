import { Injectable } from '@nestjs/common';
import { hashSecret } from '../../../platform/ids/credentials.js';
import { TokenVerifier } from '../../../platform/auth/token-verifier.js';
import { Clock } from '../../../platform/clock/clock.js';
import { Database } from '../../../platform/database/database.js';
import { make } from '../../../platform/database/rows.js';
import { conflict, notFound } from '../../../platform/errors/app-error.js';
import { newId } from '../../../platform/ids/id.js';
import { ActionLedger } from '../../action-ledger/index.js';
import { newClientSecret } from '../oauth-clients/client-credentials.js';
import type { OAuthClient } from '../oauth-clients/oauth-client.entity.js';
import { OAuthClientsService } from '../oauth-clients/oauth-clients.service.js';
import { type ClientSecretResponse, type RotateClientSecret, toClientSecret } from './client-secret.dto.js';
import { ClientSecret, MAX_LIVE } from './client-secret.entity.js';

const DAY_SECONDS = 24 * 3600;
const LIST_LIMIT = 20;

/** Rotates the secrets of clients: a client has a valid secret at all times. */
@Injectable()
export class ClientSecretsService {
  constructor(
    private readonly database: Database,
    private readonly ledger: ActionLedger,
    private readonly clock: Clock,
    private readonly clients: OAuthClientsService,
    private readonly verifier: TokenVerifier,
  ) {}

  /**
   * Creates a second secret; the first one ends with the overlap. The secret grants all permissions of the client, so the
   * caller must have its scopes.
   */
  async rotate(
    operatorId: string,
    clientId: string,
    { overlapSeconds = DAY_SECONDS }: RotateClientSecret,
  ): Promise<{ secret: ClientSecretResponse; clientSecret: string }> {
    const clientSecret = newClientSecret();
    const secret = await this.database.transaction(async () => {
      const client = await this.clients.lockToDelegate(operatorId, clientId);
      const now = this.clock.now();
      if (!client.active || (client.expiresAt !== null && client.expiresAt <= now)) {
        throw conflict('client_inactive', 'The client is revoked or has expired');
      }
      const live = await this.live(client, now);
      assertBelowLimit(live);
      for (const old of live) await this.expireAt(old, new Date(now.getTime() + overlapSeconds * 1000));
      return this.add(client, clientSecret, now);
    });
    return { secret, clientSecret };
  }

  /** Newest first. */
  async list(operatorId: string, clientId: string): Promise<ClientSecretResponse[]> {
    const client = await this.clients.get(operatorId, clientId);
    const secrets = await this.database.repository(ClientSecret).find({
      where: { client: client.id },
      order: { createdAt: 'DESC', id: 'DESC' },
      take: LIST_LIMIT,
    });
    return secrets.map((secret) => this.toResponse(secret, client));
  }

  /**
   * Ends the secret and the tokens issued with it, even if the secret has expired, because its tokens can still be valid. A
   * second revocation changes nothing.
   */
  async revoke(operatorId: string, clientId: string, secretId: string): Promise<ClientSecretResponse> {
    return this.database.transaction(async () => {
      const client = await this.clients.lock(operatorId, clientId);
      const secret = await this.database.repository(ClientSecret).findOneBy({ id: secretId, client: client.id });
      if (!secret) throw notFound({ resource: 'oauth_client_secret' });
      const now = this.clock.now();
      if (secret.revokedAt !== null) return this.toResponse(secret, client);

      const others = (await this.live(client, now)).filter(({ id }) => id !== secretId);
      if (secret.isLive(now) && others.length === 0)
        throw conflict('last_secret', 'This is the only valid secret; rotate it first or revoke the client');
      const before = this.toResponse(secret, client);
      await this.end(secret, now);
      const after = this.toResponse(secret, client);
      this.record('revoke', after, before);
      return after;
    });
  }

  private async live(client: OAuthClient, now: Date): Promise<ClientSecret[]> {
    const secrets = await this.database.repository(ClientSecret).findBy({ client: client.id });
    return secrets.filter((secret) => secret.isLive(now));
  }

  /** Returns the end of the overlap, or the secret's own end if that is earlier. */
  private async expireAt(secret: ClientSecret, overlapEnd: Date): Promise<void> {
    const endsEarlier = secret.expiresAt !== null && secret.expiresAt < overlapEnd;
    secret.expiresAt = endsEarlier ? secret.expiresAt : overlapEnd;
    await this.database.repository(ClientSecret).update({ id: secret.id }, { expiresAt: secret.expiresAt });
    this.recheck();
  }

  private async add(client: OAuthClient, clientSecret: string, now: Date): Promise<ClientSecretResponse> {
    const secret = make(ClientSecret, {
      id: newId('oasc'),
      client: client.id,
      hash: hashSecret(clientSecret),
      createdAt: now,
    });
    await this.database.insert(secret);
    const response = this.toResponse(secret, client);
    this.record('create', response, null);
    return response;
  }

  private async end(secret: ClientSecret, now: Date): Promise<void> {
    secret.revokedAt = now;
    await this.database.repository(ClientSecret).update({ id: secret.id }, { revokedAt: now });
    await this.database.execute(
      'update oauth_access_tokens set revoked_at = $2 where secret = $1 and revoked_at is null',
      [secret.id, now],
    );
    this.recheck();
  }

  private recheck(): void {
    this.database.afterCommit(() => this.verifier.forget());
  }

  private toResponse(secret: ClientSecret, { clientId }: OAuthClient): ClientSecretResponse {
    return toClientSecret(secret, { clientId, now: this.clock.now() });
  }

  private record(verb: 'create' | 'revoke', after: ClientSecretResponse, before: object | null): void {
    const subject = { subjectType: 'oauth_client_secret', subjectId: after.id };
    this.ledger.record(`connect.oauth_client_secret.${verb}`, { ...subject, before, after });
  }
}

function assertBelowLimit(live: readonly ClientSecret[]): void {
  if (live.length < MAX_LIVE) return;
  throw conflict(
    'secret_limit_reached',
    `The client has ${MAX_LIVE} valid secrets; wait until one expires, or revoke one`,
    {
      limit: MAX_LIVE,
    },
  );
}
