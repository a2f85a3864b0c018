import { Column, Entity, PrimaryColumn } from 'typeorm';
import { Personal } from '../../../platform/database/table-declarations.js';
import { Audited } from '../../../platform/database/audited.js';
import { Unaudited } from '../../../platform/database/unaudited.js';

export const API_TOKEN_KINDS = ['staff', 'platform'] as const;
export type ApiTokenKind = (typeof API_TOKEN_KINDS)[number];

/** A staff API token, which belongs to a user, or a platform API key, which may be bound to an operator. */
@Entity('api_tokens')
export class ApiToken extends Audited {
  @PrimaryColumn('text') id: string;
  @Column('text') kind: ApiTokenKind;
  @Unaudited('part of the secret text of the token')
  @Column('text', { name: 'public_id' })
  publicId: string;
  @Unaudited('a secret')
  @Column('bytea', { name: 'secret_hash' })
  secretHash: Buffer;
  @Personal('account')
  @Column('text')
  name: string;
  @Column('text', { array: true }) scopes: string[];
  @Column('text', { name: 'user_id', nullable: true }) userId: string | null;
  /** The staff token that created this one, which is revoked with it; null if a session or the system created it. */
  @Column('text', { name: 'parent_id', nullable: true }) parentId: string | null;
  @Column('text', { name: 'operator_id', nullable: true }) operatorId: string | null;
  @Column('timestamptz', { name: 'expires_at', nullable: true }) expiresAt: Date | null;
  @Column('timestamptz', { name: 'revoked_at', nullable: true }) revokedAt: Date | null;
  @Unaudited('set by use, not by a change')
  @Column('timestamptz', { name: 'last_used_at', nullable: true })
  lastUsedAt: Date | null;
  @Column('integer') version: number;
  @Column('timestamptz', { name: 'created_at' }) createdAt: Date;
  @Column('timestamptz', { name: 'updated_at' }) updatedAt: Date;

  /** Invalidates the old token. */
  replaceSecret({ publicId, secretHash }: { publicId: string; secretHash: Buffer }): void {
    this.publicId = publicId;
    this.secretHash = secretHash;
  }

  revoke(now: Date): void {
    this.revokedAt = now;
    this.updatedAt = now;
  }
}
