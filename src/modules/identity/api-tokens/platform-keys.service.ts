import { Injectable } from '@nestjs/common';
import { callerEnded } from '../../../platform/context/unauthorized.js';
import { Listeners } from '../../../platform/discovery/listeners.js';
import { newCredential } from '../../../platform/ids/credentials.js';
import { Clock } from '../../../platform/clock/clock.js';
import { Database } from '../../../platform/database/database.js';
import { make } from '../../../platform/database/rows.js';
import { notFound } from '../../../platform/errors/app-error.js';
import { newId } from '../../../platform/ids/id.js';
import { Provisions, type RevealSecret } from '../../../platform/provisioning/provisioning-decorators.js';
import { ActionLedger } from '../../action-ledger/index.js';
import { UserCredentialsService } from '../credentials/user-credentials.service.js';
import { SecurityEventsService } from '../security-events/security-events.service.js';
import { ApiToken } from './api-token.entity.js';
import { parsePresetToken } from './api-tokens.service.js';
import { PlatformKeyListener } from './platform-key-listener.js';
import { ProvidedKey } from './platform-key.dto.js';

/** Platform API keys. A key is identified by its name; a new token does not change its ID and principal. */
@Injectable()
export class PlatformKeysService {
  constructor(
    private readonly database: Database,
    private readonly ledger: ActionLedger,
    private readonly credentials: UserCredentialsService,
    private readonly listeners: Listeners,
    private readonly events: SecurityEventsService,
    private readonly clock: Clock,
  ) {}

  /** Creates or updates keys by name. Runs after the operators, because a key can be bound to one. */
  @Provisions({ name: 'platformKeys', order: 330, row: ProvidedKey })
  async provision(rows: readonly ProvidedKey[], reveal: RevealSecret): Promise<void> {
    for (const row of rows) {
      const token = await this.provide(row);
      if (token !== null) reveal({ kind: 'platform key', owner: row.name, secret: token });
    }
  }

  /**
   * Creates or updates the key. Returns the token if it was generated, otherwise null. Throws an Error for a key that is bound
   * to an unknown operator: it could never be used.
   */
  async provide(wanted: ProvidedKey): Promise<string | null> {
    return this.database.transaction(async () => {
      await this.assertOperatorExists(wanted);
      const lock = { mode: 'pessimistic_write' } as const;
      const where = { kind: 'platform', name: wanted.name } as const;
      const row = await this.database.repository(ApiToken).findOne({ where, lock });
      if (!row) return this.create(wanted);
      await this.change(row, wanted);
      if (wanted.revoked && wanted.revokeChildren) {
        await this.listeners.call(PlatformKeyListener, (listener) => listener.revokedWithChildren?.(row.id));
      }
      return null;
    });
  }

  /**
   * Locks the key until the commit, so that a key that is being revoked cannot create credentials. A revoked key is rejected
   * with 401.
   */
  async lockActive(id: string): Promise<void> {
    const rows = await this.database.query('select from api_tokens where id = $1 and revoked_at is null for share', [
      id,
    ]);
    if (rows.length === 0) throw callerEnded();
  }

  /** Throws 404 unless the ID is that of a platform key that is not revoked; the error names the field that contains it. */
  async assertUsable(id: string, field: string): Promise<void> {
    const usable = "select from api_tokens where id = $1 and kind = 'platform' and revoked_at is null for share";
    if ((await this.database.query(usable, [id])).length === 0) throw notFound({ field });
  }

  /** The IDs of the keys that are bound to the operator. */
  async listIdsOf(operatorId: string): Promise<string[]> {
    const text = "select id from api_tokens where kind = 'platform' and operator_id = $1";
    return (await this.database.query<{ id: string }>(text, [operatorId])).map(({ id }) => id);
  }

  /** The operator of each of these keys that has one. */
  async operatorsOf(ids: readonly string[]): Promise<Map<string, string>> {
    if (ids.length === 0) return new Map();
    const text =
      'select id, operator_id as "operatorId" from api_tokens where id = any ($1) and operator_id is not null';
    const rows = await this.database.query<{ id: string; operatorId: string }>(text, [ids]);
    return new Map(rows.map(({ id, operatorId }) => [id, operatorId]));
  }

  private async create(wanted: ProvidedKey): Promise<string | null> {
    const { token, publicId, secretHash } = wanted.token ? parsePresetToken(wanted.token) : newCredential('tpk');
    const now = this.clock.now();
    const row = make(ApiToken, {
      id: newId('atok'),
      kind: 'platform',
      publicId,
      secretHash,
      name: wanted.name,
      scopes: wanted.scopes,
      operatorId: wanted.operatorId,
      expiresAt: dateOf(wanted.expiresAt ?? null),
      revokedAt: wanted.revoked ? now : null,
      createdAt: now,
    });
    await this.database.insert(row);
    await this.events.record('platform_key_created', { userId: null, subjectId: row.id });
    this.record('create', row, { after: row.auditImage() });
    return wanted.token ? null : token;
  }

  /** Members that the row omits keep their values: a replaced token neither unbinds the key nor restores a revoked one. */
  private async change(row: ApiToken, wanted: ProvidedKey): Promise<void> {
    const before = row.auditImage();
    const { secretHash: oldHash } = row;
    const now = this.clock.now();
    const isRevoked = wanted.revoked ?? row.revokedAt !== null;
    Object.assign(row, {
      scopes: wanted.scopes,
      operatorId: wanted.operatorId === undefined ? row.operatorId : wanted.operatorId,
      expiresAt: wanted.expiresAt === undefined ? row.expiresAt : dateOf(wanted.expiresAt),
      revokedAt: isRevoked ? (row.revokedAt ?? now) : null,
    });
    if (wanted.token) row.replaceSecret(parsePresetToken(wanted.token));
    const hasNewToken = !row.secretHash.equals(oldHash);
    if (!hasNewToken && JSON.stringify(row.auditImage()) === JSON.stringify(before)) return;
    row.updatedAt = now;
    await this.database.update(row);
    this.credentials.recheck();
    await this.events.record('platform_key_changed', { userId: null, subjectId: row.id });
    this.record('update', row, { before, after: { ...row.auditImage(), hasNewToken } });
  }

  private async assertOperatorExists({ name, operatorId = null }: ProvidedKey): Promise<void> {
    if (operatorId === null) return;
    const found = await this.database.query('select from operators where id = $1', [operatorId]);
    if (found.length > 0) return;
    throw new Error(`platformKeys: ${name} is bound to the operator ${operatorId}, which does not exist`);
  }

  private record(verb: 'create' | 'update', row: ApiToken, change: { before?: object; after: object }): void {
    this.ledger.record(`identity.platform_key.${verb}`, { subjectType: 'platform_key', subjectId: row.id, ...change });
  }
}

function dateOf(text: string | null): Date | null {
  return text === null ? null : new Date(text);
}
