import { Injectable } from '@nestjs/common';
import { type FindOptionsWhere, In } from 'typeorm';
import { callerEnded } from '../../../platform/context/unauthorized.js';
import { derivedEnd } from '../../../platform/auth/derived-end.js';
import { Listens } from '../../../platform/discovery/listeners.js';
import { hashSecret } from '../../../platform/ids/credentials.js';
import { TokenVerifier } from '../../../platform/auth/token-verifier.js';
import { Clock } from '../../../platform/clock/clock.js';
import { currentActor } from '../../../platform/context/request-context.js';
import { Database } from '../../../platform/database/database.js';
import { make } from '../../../platform/database/rows.js';
import { AppError, conflict, invalidField, notFound } from '../../../platform/errors/app-error.js';
import { pageBounds } from '../../../platform/http/dto.js';
import { newId } from '../../../platform/ids/id.js';
import { ActionLedger } from '../../action-ledger/index.js';
import { PlatformKeyListener, PlatformKeysService } from '../../identity/index.js';
import { assertGrantable } from '../assert-grantable.js';
import { OperatorsService } from '../operators/operators.service.js';
import { type ClientCredentials, newClientCredentials } from './client-credentials.js';
import { type CreateOAuthClient, type ListOAuthClients, toOAuthClient } from './oauth-client.dto.js';
import { OAuthClient } from './oauth-client.entity.js';

const MAX_ACTIVE = 50;
const MAX_YEARS = 10;

/** Values that are random unless demo data sets them. */
interface FixedValues {
  id?: string;
  credentials?: ClientCredentials;
  secretId?: string;
}

type Bounds = Pick<OAuthClient, 'grantId' | 'expiresAt'>;

type Parent = Pick<OAuthClient, 'parentClient' | 'parentKey'>;

/**
 * The OAuth clients of operators. A caller that creates clients or secrets must not exceed its own permission: the new access
 * ends no later and, if the caller is a client with a grant, has the same grant. A client is revoked with the client that created
 * it, and with the platform key that created it if that is requested.
 */
@Injectable()
@Listens(PlatformKeyListener, 10)
export class OAuthClientsService extends PlatformKeyListener {
  constructor(
    private readonly database: Database,
    private readonly ledger: ActionLedger,
    private readonly clock: Clock,
    private readonly operators: OperatorsService,
    private readonly keys: PlatformKeysService,
    private readonly verifier: TokenVerifier,
  ) {
    super();
  }

  /** Returns the secret, which cannot be read again: only its hash is stored. */
  async create(
    operatorId: string,
    input: CreateOAuthClient,
    { id = newId('oacl'), credentials = newClientCredentials(), secretId = newId('oasc') }: FixedValues = {},
  ): Promise<{ client: OAuthClient; clientSecret: string }> {
    const now = this.clock.now();
    assertGrantable(input.scopes, '*:write');
    const bounds = await this.boundsOfNew({
      grantId: input.grantId ?? null,
      expiresAt: endOf(input, now),
    });
    const client = make(OAuthClient, {
      id,
      operatorId,
      clientId: credentials.clientId,
      name: input.name,
      scopes: input.scopes,
      ...bounds,
      ...parentOfNew(),
      active: true,
      createdAt: now,
    });
    await this.database.transaction(async () => {
      await this.assertAllowed(client, now);
      await this.lockParent(client);
      await this.database.insert(client);
      await this.insertSecret(client, { id: secretId, secret: credentials.clientSecret });
      this.record('create', client, null);
    });
    return { client, clientSecret: credentials.clientSecret };
  }

  /** The IDs of the clients of the operator, of revoked ones too. */
  async listIdsOf(operatorId: string): Promise<string[]> {
    const text = 'select id from oauth_clients where operator_id = $1';
    return (await this.database.query<{ id: string }>(text, [operatorId])).map(({ id }) => id);
  }

  /** The operator of each of these clients. */
  async operatorsOf(ids: readonly string[]): Promise<Map<string, string>> {
    if (ids.length === 0) return new Map();
    const text = 'select id, operator_id as "operatorId" from oauth_clients where id = any ($1)';
    const rows = await this.database.query<{ id: string; operatorId: string }>(text, [ids]);
    return new Map(rows.map(({ id, operatorId }) => [id, operatorId]));
  }

  /** Newest first. */
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

  /** Accepts the public ID or the ID of the resource. Repeating a revocation changes nothing. */
  async revoke(operatorId: string, clientId: string): Promise<OAuthClient> {
    return this.database.transaction(async () => {
      const client = await this.lock(operatorId, clientId);
      if (client.active) await this.endWithDescendants([client]);
      return client;
    });
  }

  override async revokedWithChildren(keyId: string): Promise<void> {
    await this.endWithDescendants(await this.lockChildren({ parentKey: keyId }));
  }

  /** An unknown client and one that the caller may not see get the same 404. */
  async get(operatorId: string, clientId: string): Promise<OAuthClient> {
    await this.operators.assertVisible(operatorId);
    const client = await this.database.repository(OAuthClient).findOne({ where: byEitherId(operatorId, clientId) });
    if (!client) throw notFound({ resource: 'oauth_client' });
    return client;
  }

  /** Gets the client and locks it until the transaction ends. */
  async lock(operatorId: string, clientId: string): Promise<OAuthClient> {
    await this.operators.assertVisible(operatorId);
    // Unlike `for update`, this lock does not block the issue of tokens, which refer to the client.
    const lock = { mode: 'for_no_key_update' } as const;
    const where = byEitherId(operatorId, clientId);
    const client = await this.database.repository(OAuthClient).findOne({ where, lock });
    if (!client) throw notFound({ resource: 'oauth_client' });
    return client;
  }

  /**
   * Locks the client for a caller that creates access to it: the caller must have the client's scopes, and the client must not
   * exceed the caller's bounds.
   */
  async lockToDelegate(operatorId: string, clientId: string): Promise<OAuthClient> {
    const { id } = await this.get(operatorId, clientId);
    // Locked before its descendant, in the same order as a revocation.
    if (id !== currentActor().id) await this.lockParent(parentOfNew());
    const client = await this.lock(operatorId, clientId);
    assertGrantable(client.scopes, '*:write');
    await this.assertWithinCaller(client);
    return client;
  }

  /** Locks the operator, so that two concurrent requests cannot exceed the limit of active clients. */
  private async assertAllowed(client: OAuthClient, now: Date): Promise<void> {
    const { operatorId, grantId } = client;
    const operator = await this.operators.lock(operatorId);
    const grant = grantId === null ? null : await this.operators.getGrant(operatorId, grantId);
    operator.assertActive();
    grant?.assertFits(client, now);
    await this.assertWithinCaller(client);
    const active = await this.database.repository(OAuthClient).countBy({ operatorId, active: true });
    if (active >= MAX_ACTIVE) {
      throw conflict('client_limit_reached', `The operator has ${MAX_ACTIVE} active clients`, { limit: MAX_ACTIVE });
    }
  }

  /** Returns the bounds of a new client: as requested, by default the caller's. */
  private async boundsOfNew(requested: Bounds): Promise<Bounds> {
    const expiresAt = derivedEnd(requested.expiresAt);
    const caller = await this.findCaller();
    if (!caller) return { grantId: requested.grantId, expiresAt };
    return { grantId: requested.grantId ?? caller.grantId, expiresAt };
  }

  /** The client must have the caller's grant and end no later than the caller, unless the caller is this client. */
  private async assertWithinCaller({ id, grantId, expiresAt }: Bounds & { id: string }): Promise<void> {
    const caller = await this.findCaller();
    if (caller?.id === id) return;
    if (caller && caller.grantId !== null && grantId !== caller.grantId) {
      throw new AppError(403, 'forbidden', 'A client bound to a grant can create access only under that grant');
    }
    const latest = currentActor().expiresAt;
    if (latest !== null && (expiresAt === null || expiresAt > latest)) {
      const details = { reason: 'expiry' };
      throw conflict('grant_conflict', 'A credential cannot create access that lasts longer than its own', details);
    }
  }

  private async findCaller(): Promise<OAuthClient | null> {
    const { type, id } = currentActor();
    return type === 'oauth_client' ? this.database.repository(OAuthClient).findOneByOrFail({ id }) : null;
  }

  private async insertSecret(client: OAuthClient, { id, secret }: { id: string; secret: string }): Promise<void> {
    await this.database.execute(
      'insert into oauth_client_secrets (id, client, hash, created_at) values ($1, $2, $3, $4)',
      [id, client.id, hashSecret(secret), client.createdAt],
    );
  }

  /** Locks the parent credential until the commit, so that a credential that is being revoked cannot create new access. */
  private async lockParent({ parentClient, parentKey }: Parent): Promise<void> {
    if (parentKey !== null) await this.keys.lockActive(parentKey);
    if (parentClient === null) return;
    const active = 'select from oauth_clients where id = $1 and active for share';
    const rows = await this.database.query(active, [parentClient]);
    if (rows.length === 0) throw callerEnded();
  }

  private async lockChildren(where: FindOptionsWhere<OAuthClient>): Promise<OAuthClient[]> {
    const lock = { mode: 'for_no_key_update' } as const;
    return this.database.repository(OAuthClient).find({ where, order: { id: 'ASC' }, lock });
  }

  /**
   * Revokes locked clients and all their descendants. The clients of a level are locked before those of the next level are
   * read, so a client that one of them creates at the same time is either found or rejected.
   */
  private async endWithDescendants(clients: OAuthClient[]): Promise<void> {
    for (let level = clients; level.length > 0;) {
      for (const client of level) if (client.active) await this.end(client);
      level = await this.lockChildren({ parentClient: In(level.map(({ id }) => id)) });
    }
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
  if (end <= now) throw invalidField('expiresAt', 'expiresAt must be in the future', 'not_in_the_future');
  if (end > latest) throw invalidField('expiresAt', `expiresAt must be within ${MAX_YEARS} years`, 'too_late');
  return end;
}

function byEitherId(operatorId: string, clientId: string): object[] {
  return [
    { operatorId, clientId },
    { operatorId, id: clientId },
  ];
}

/** The credential that creates a client; null for the system, which loads demo data. */
function parentOfNew(): Parent {
  const { type, id } = currentActor();
  return { parentClient: type === 'oauth_client' ? id : null, parentKey: type === 'api_key' ? id : null };
}
