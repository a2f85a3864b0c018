import { Injectable } from '@nestjs/common';
import { unauthorized } from '../../../platform/auth/authenticator.js';
import { hashSecret, newCredential, parseCredential } from '../../../platform/ids/credentials.js';
import { Clock } from '../../../platform/clock/clock.js';
import { currentActor } from '../../../platform/context/request-context.js';
import { Database } from '../../../platform/database/database.js';
import { make } from '../../../platform/database/rows.js';
import { invalidField, notFound } from '../../../platform/errors/app-error.js';
import { pageBounds } from '../../../platform/http/dto.js';
import { newId } from '../../../platform/ids/id.js';
import { ActionLedger } from '../../action-ledger/index.js';
import { UserCredentials } from '../credentials/user-credentials.js';
import { assertHolds } from '../users/assert-holds.js';
import type { CreateApiToken, ListApiTokens } from './api-token.dto.js';
import { ApiToken, tokenFacts } from './api-token.entity.js';

const LONGEST_SECONDS = 10 * 366 * 24 * 60 * 60;

interface NewToken {
  userId: string;
  name: string;
  scopes: string[];
  expiresAt: Date | null;
  /** The token itself, where it was agreed beforehand. */
  agreed?: string;
}

/** Staff API tokens. */
@Injectable()
export class ApiTokens {
  constructor(
    private readonly database: Database,
    private readonly ledger: ActionLedger,
    private readonly credentials: UserCredentials,
    private readonly clock: Clock,
  ) {}

  /** Makes a token of the caller's own. Throws 400 for an end that is past, 403 for scopes that the caller lacks. */
  async create({ name, scopes, expiresAt }: CreateApiToken): Promise<{ row: ApiToken; token: string }> {
    assertHolds(scopes);
    return this.issue({ userId: currentActor().principal, name, scopes, expiresAt: this.end(expiresAt ?? null) });
  }

  /** Makes a token and returns it beside its row: this is the only time that it can be read. */
  async issue(wanted: NewToken, id = newId('atok')): Promise<{ row: ApiToken; token: string }> {
    const { agreed, ...columns } = wanted;
    const { token, publicId, secretHash } = agreed === undefined ? newCredential('vsk') : takenApart(agreed);
    const now = this.clock.now();
    const row = make(ApiToken, {
      ...columns,
      id,
      kind: 'staff',
      publicId,
      secretHash,
      operatorId: null,
      revokedAt: null,
      lastUsedAt: null,
      version: 1,
      createdAt: now,
      updatedAt: now,
    });
    return this.database.transaction(async () => {
      await this.assertActive(wanted.userId);
      await this.database.insert(row);
      this.record('create', row, { after: tokenFacts(row) });
      return { row, token };
    });
  }

  async list(query: ListApiTokens): Promise<{ tokens: ApiToken[]; total: number }> {
    const found = this.database.repository(ApiToken).createQueryBuilder('t').where(`t.kind = 'staff'`);
    if (query.userId !== undefined) found.andWhere('t.userId = :userId', { userId: query.userId });
    if (query.active !== undefined) {
      const usable = '(t.revokedAt is null and (t.expiresAt is null or t.expiresAt > :now))';
      found.andWhere(query.active ? usable : `not ${usable}`, { now: this.clock.now() });
    }
    found.orderBy('t.createdAt', 'DESC').addOrderBy('t.id', 'DESC');
    const { rows, total } = await this.database.page(found, pageBounds(query));
    return { tokens: rows.map(({ entity }) => entity), total };
  }

  /** Revokes a token; a second time it is the same answer. Throws 404. */
  async revoke(id: string): Promise<ApiToken> {
    return this.database.transaction(async () => {
      const lock = { mode: 'pessimistic_write' } as const;
      const row = await this.database.repository(ApiToken).findOne({ where: { id, kind: 'staff' }, lock });
      if (!row) throw notFound();
      if (row.revokedAt) return row;
      const before = tokenFacts(row);
      row.revoke(this.clock.now());
      await this.database.update(row);
      this.credentials.recheck();
      this.record('revoke', row, { before, after: tokenFacts(row) });
      return row;
    });
  }

  /** Keeps the user as he is until the commit: whoever is being disabled leaves no new token behind. */
  private async assertActive(userId: string): Promise<void> {
    const rows = await this.database.query('select from users where id = $1 and active for share', [userId]);
    if (rows.length === 0) throw unauthorized('staff', true);
  }

  private end(text: string | null): Date | null {
    if (text === null) return null;
    const end = new Date(text);
    const isFitting = end > this.clock.now() && end <= this.clock.inSeconds(LONGEST_SECONDS);
    if (!isFitting) throw invalidField('expiresAt', 'expiresAt must be in the future, within ten years', 'future');
    return end;
  }

  private record(verb: 'create' | 'revoke', row: ApiToken, change: { before?: object; after: object }): void {
    this.ledger.record(`identity.api_token.${verb}`, { subjectType: 'api_token', subjectId: row.id, ...change });
  }
}

/** A token that was agreed beforehand, as a new one is made. Throws on a wrong form or checksum. */
export function takenApart(token: string): ReturnType<typeof newCredential> {
  const credential = parseCredential(token);
  if (!credential) throw new Error('An agreed token has the wrong form or checksum');
  return { token, publicId: credential.publicId, secretHash: hashSecret(credential.secret) };
}
