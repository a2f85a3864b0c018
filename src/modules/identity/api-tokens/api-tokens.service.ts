import { Injectable } from '@nestjs/common';
import { hashSecret, newCredential, parseCredential } from '../../../platform/auth/credentials.js';
import { Clock } from '../../../platform/clock.js';
import { Database } from '../../../platform/database/database.js';
import { make } from '../../../platform/database/rows.js';
import { newId } from '../../../platform/id.js';
import { ActionLedger } from '../../action-ledger/index.js';
import { toApiToken } from './api-token.dto.js';
import { ApiToken, type ApiTokenKind } from './api-token.entity.js';

export interface NewApiToken {
  kind: ApiTokenKind;
  name: string;
  scopes: string[];
  userId?: string;
  operatorId?: string | null;
  expiresAt?: Date | null;
  /** The token itself where it was agreed beforehand; a new one unless given. */
  token?: string;
}

@Injectable()
export class ApiTokens {
  constructor(
    private readonly database: Database,
    private readonly ledger: ActionLedger,
    private readonly clock: Clock,
  ) {}

  /** Makes a token and returns it beside its row: this is the only time that it can be read. */
  async issue(wanted: NewApiToken, id = newId('atok')): Promise<{ row: ApiToken; token: string }> {
    const { token, publicId, secretHash } = wanted.token ? agreed(wanted.token) : newCredential(PREFIXES[wanted.kind]);
    const now = this.clock.now();
    const row = make(ApiToken, {
      id,
      kind: wanted.kind,
      publicId,
      secretHash,
      name: wanted.name,
      scopes: wanted.scopes,
      userId: wanted.userId ?? null,
      operatorId: wanted.operatorId ?? null,
      expiresAt: wanted.expiresAt ?? null,
      revokedAt: null,
      lastUsedAt: null,
      version: 1,
      createdAt: now,
      updatedAt: now,
    });
    await this.database.transaction(async () => {
      await this.database.insert(row);
      this.ledger.record(`identity.${SUBJECTS[row.kind]}.create`, {
        subjectType: SUBJECTS[row.kind],
        subjectId: row.id,
        after: toApiToken(row),
      });
    });
    return { row, token };
  }
}

const PREFIXES = { staff: 'vsk', platform: 'tpk' } as const;
const SUBJECTS = { staff: 'api_token', platform: 'platform_key' } as const;

function agreed(token: string): ReturnType<typeof newCredential> {
  const credential = parseCredential(token);
  if (!credential) throw new Error('An agreed token has the wrong form or checksum');
  return { token, publicId: credential.publicId, secretHash: hashSecret(credential.secret) };
}
