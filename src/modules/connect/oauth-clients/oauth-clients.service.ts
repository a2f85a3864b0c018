import { Injectable } from '@nestjs/common';
import { hashSecret } from '../../../platform/ids/credentials.js';
import { TokenVerifier } from '../../../platform/auth/token-verifier.js';
import { Clock } from '../../../platform/clock/clock.js';
import { currentActor } from '../../../platform/context/request-context.js';
import { Database } from '../../../platform/database/database.js';
import { make } from '../../../platform/database/rows.js';
import { conflict, invalidField, notFound } from '../../../platform/errors/app-error.js';
import { pageBounds } from '../../../platform/http/dto.js';
import { newId } from '../../../platform/ids/id.js';
import { ActionLedger } from '../../action-ledger/index.js';
import { assertMayGive } from '../may-give.js';
import { Operators } from '../operators/operators.service.js';
import { type ClientCredentials, newClientCredentials } from './client-credentials.js';
import { type CreateOAuthClient, type ListOAuthClients, toOAuthClient } from './oauth-client.dto.js';
import { OAuthClient } from './oauth-client.entity.js';

const MAX_ACTIVE = 50;
const MAX_YEARS = 10;

/** What else comes from chance: demo data chooses it. */
interface Chosen {
  id?: string;
  credentials?: ClientCredentials;
  secretId?: string;
}

@Injectable()
export class OAuthClients {
  constructor(
    private readonly database: Database,
    private readonly ledger: ActionLedger,
    private readonly clock: Clock,
    private readonly operators: Operators,
    private readonly verifier: TokenVerifier,
  ) {}

  /**
   * The secret leaves here, this once: what is kept is its hash. Throws 400 for an end that is past or too far, 403 for
   * scopes that the caller does not hold and for another grant than his, 404, 409 `operator_inactive`, `grant_conflict`, `client_limit_reached`.
   */
  async create(
    operatorId: string,
    input: CreateOAuthClient,
    { id = newId('oacl'), credentials = newClientCredentials(), secretId = newId('oasc') }: Chosen = {},
  ): Promise<{ client: OAuthClient; clientSecret: string }> {
    const now = this.clock.now();
    assertMayGive(input.scopes, '*:write');
    const bounds = await this.operators.callers.handOn({
      grantId: input.grantId ?? null,
      expiresAt: endOf(input, now),
    });
    const client = make(OAuthClient, {
      id,
      operatorId,
      clientId: credentials.clientId,
      name: input.name ?? null,
      scopes: input.scopes,
      ...bounds,
      active: true,
      createdAt: now,
      revokedAt: null,
      revokedBy: null,
    });
    await this.database.transaction(async () => {
      await this.assertWelcome(client, now);
      await this.database.insert(client);
      await this.keepSecret(client, { id: secretId, secret: credentials.clientSecret });
      this.record('create', client, null);
    });
    return { client, clientSecret: credentials.clientSecret };
  }

  /** Newest first. Throws 404. */
  async list(operatorId: string, query: ListOAuthClients): Promise<{ clients: OAuthClient[]; total: number }> {
    await this.operators.assertVisible(operatorId);
    const { limit: take, offset: skip } = pageBounds(query);
    const [clients, total] = await this.database.repository(OAuthClient).findAndCount({
      where: { operatorId, ...(query.active === undefined ? {} : { active: query.active }) },
      order: { createdAt: 'DESC', id: 'DESC' },
      take,
      skip,
    });
    return { clients, total };
  }

  /** Named by its public id or its row's. Whoever is revoked already stays as he is. Throws 404. */
  async revoke(operatorId: string, clientId: string): Promise<OAuthClient> {
    return this.database.transaction(async () => {
      const client = await this.lock(operatorId, clientId);
      if (client.active) await this.end(client);
      return client;
    });
  }

  /** Throws 404, the same for one that is unknown and for one that the caller may not see. */
  async get(operatorId: string, clientId: string): Promise<OAuthClient> {
    await this.operators.assertVisible(operatorId);
    const client = await this.database.repository(OAuthClient).findOne({ where: named(operatorId, clientId) });
    if (!client) throw notFound({ resource: 'oauth_client' });
    return client;
  }

  /** As `get`; nobody else changes the client before the transaction ends. */
  async lock(operatorId: string, clientId: string): Promise<OAuthClient> {
    await this.operators.assertVisible(operatorId);
    // Tokens that are being issued refer to the client; they need not wait for this lock.
    const lock = { mode: 'for_no_key_update' } as const;
    const where = named(operatorId, clientId);
    const client = await this.database.repository(OAuthClient).findOne({ where, lock });
    if (!client) throw notFound({ resource: 'oauth_client' });
    return client;
  }

  /**
   * `lock`, for a caller who gives access as this client: he must hold what it may do, and not be bound where it is free.
   * Throws 403, 404, 409 `grant_conflict`.
   */
  async lockToGive(operatorId: string, clientId: string): Promise<OAuthClient> {
    const client = await this.lock(operatorId, clientId);
    assertMayGive(client.scopes, '*:write');
    await this.operators.callers.assertCovers(client);
    return client;
  }

  /** The operator is locked here, so that two creates cannot both take the last place. */
  private async assertWelcome(client: OAuthClient, now: Date): Promise<void> {
    const { operatorId, grantId } = client;
    const operator = await this.operators.lock(operatorId);
    const grant = grantId === null ? null : await this.operators.getGrant(operatorId, grantId);
    operator.assertActive();
    grant?.assertFits(client, now);
    await this.operators.callers.assertCovers(client);
    const active = await this.database.repository(OAuthClient).countBy({ operatorId, active: true });
    if (active >= MAX_ACTIVE) {
      throw conflict('client_limit_reached', `The operator has ${MAX_ACTIVE} active clients`, { limit: MAX_ACTIVE });
    }
  }

  private async keepSecret(client: OAuthClient, { id, secret }: { id: string; secret: string }): Promise<void> {
    await this.database.execute(
      'insert into oauth_client_secrets (id, client, hash, created_at) values ($1, $2, $3, $4)',
      [id, client.id, hashSecret(secret), client.createdAt],
    );
  }

  private async end(client: OAuthClient): Promise<void> {
    const before = toOAuthClient(client);
    const now = this.clock.now();
    client.revoke(currentActor().id, now);
    const { id, active, revokedAt, revokedBy } = client;
    await this.database.repository(OAuthClient).update({ id }, { active, revokedAt, revokedBy });
    for (const table of ['oauth_client_secrets', 'oauth_access_tokens']) {
      await this.database.execute(`update ${table} set revoked_at = $2 where client = $1 and revoked_at is null`, [
        id,
        now,
      ]);
    }
    this.record('revoke', client, before);
    this.database.afterCommit(() => this.verifier.forget());
  }

  private record(verb: 'create' | 'revoke', client: OAuthClient, before: object | null): void {
    const subject = { subjectType: 'oauth_client', subjectId: client.id };
    this.ledger.record(`connect.oauth_client.${verb}`, { ...subject, before, after: toOAuthClient(client) });
  }
}

function endOf({ expiresAt }: CreateOAuthClient, now: Date): Date | null {
  if (expiresAt === undefined || expiresAt === null) return null;
  const end = new Date(expiresAt);
  const latest = new Date(now);
  latest.setUTCFullYear(latest.getUTCFullYear() + MAX_YEARS);
  if (end <= now) throw invalidField('expiresAt', 'expiresAt must be in the future', 'future');
  if (end > latest) throw invalidField('expiresAt', `expiresAt must be within ${MAX_YEARS} years`, 'tooFar');
  return end;
}

/** By its public id or its row's. */
function named(operatorId: string, clientId: string): object[] {
  return [
    { operatorId, clientId },
    { operatorId, id: clientId },
  ];
}
