import { Injectable } from '@nestjs/common';
import { newCredential } from '../../../platform/ids/credentials.js';
import { Clock } from '../../../platform/clock/clock.js';
import { Database } from '../../../platform/database/database.js';
import { make } from '../../../platform/database/rows.js';
import { newId } from '../../../platform/ids/id.js';
import { ActionLedger } from '../../action-ledger/index.js';
import { UserCredentials } from '../credentials/user-credentials.js';
import { ApiToken, tokenFacts } from './api-token.entity.js';
import { takenApart } from './api-tokens.service.js';
import type { ProvidedKey } from './platform-key.dto.js';

/** Platform API keys. A key is known by its name; its id, and so its principal, outlives a new token. */
@Injectable()
export class PlatformKeys {
  constructor(
    private readonly database: Database,
    private readonly ledger: ActionLedger,
    private readonly credentials: UserCredentials,
    private readonly clock: Clock,
  ) {}

  /** Makes the key, or changes it to what it shall be. Returns the token if it was generated here, else null. */
  async provide(wanted: ProvidedKey): Promise<string | null> {
    return this.database.transaction(async () => {
      const lock = { mode: 'pessimistic_write' } as const;
      const where = { kind: 'platform', name: wanted.name } as const;
      const row = await this.database.repository(ApiToken).findOne({ where, lock });
      if (!row) return this.create(wanted);
      await this.change(row, wanted);
      return null;
    });
  }

  private async create(wanted: ProvidedKey): Promise<string | null> {
    const { token, publicId, secretHash } = wanted.token ? takenApart(wanted.token) : newCredential('tpk');
    const now = this.clock.now();
    const row = make(ApiToken, {
      id: newId('atok'),
      kind: 'platform',
      publicId,
      secretHash,
      name: wanted.name,
      scopes: wanted.scopes,
      userId: null,
      operatorId: wanted.operatorId ?? null,
      expiresAt: wanted.expiresAt ? new Date(wanted.expiresAt) : null,
      revokedAt: wanted.revoked ? now : null,
      lastUsedAt: null,
      version: 1,
      createdAt: now,
      updatedAt: now,
    });
    await this.database.insert(row);
    this.record('create', row, { after: tokenFacts(row) });
    return wanted.token ? null : token;
  }

  private async change(row: ApiToken, wanted: ProvidedKey): Promise<void> {
    const before = tokenFacts(row);
    const { secretHash: oldHash } = row;
    const now = this.clock.now();
    Object.assign(row, {
      scopes: wanted.scopes,
      operatorId: wanted.operatorId ?? null,
      expiresAt: wanted.expiresAt ? new Date(wanted.expiresAt) : null,
      revokedAt: wanted.revoked ? (row.revokedAt ?? now) : null,
      updatedAt: now,
    });
    if (wanted.token) row.replaceSecret(takenApart(wanted.token));
    const after = { ...tokenFacts(row), hasNewToken: !row.secretHash.equals(oldHash) };
    if (JSON.stringify(after) === JSON.stringify({ ...before, hasNewToken: false })) return;
    await this.database.update(row);
    this.credentials.recheck();
    this.record('update', row, { before, after });
  }

  private record(verb: 'create' | 'update', row: ApiToken, change: { before?: object; after: object }): void {
    this.ledger.record(`identity.platform_key.${verb}`, { subjectType: 'platform_key', subjectId: row.id, ...change });
  }
}
