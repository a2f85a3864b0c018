import { Column, Entity, PrimaryColumn } from 'typeorm';
import { Impersonal } from '../../../platform/database/table-declarations.js';
import { Unaudited } from '../../../platform/database/unaudited.js';

/** Maximum number of valid secrets per client: the new one, and the one still in use. */
export const MAX_LIVE = 2;

/** A secret of an OAuth client; only its SHA-256 is stored. Secrets end and are never deleted. */
@Entity('oauth_client_secrets')
@Unaudited('a secret; the entries of its client record it')
export class ClientSecret {
  @PrimaryColumn('text') id: string;
  /** The ID of the client, not its public ID. */
  @Impersonal()
  @Column('text')
  client: string;
  @Column('bytea') hash: Buffer;
  @Column('timestamptz', { name: 'created_at' }) createdAt: Date;
  /** The end of the overlap with the next secret. */
  @Column('timestamptz', { name: 'expires_at', nullable: true }) expiresAt: Date | null;
  @Column('timestamptz', { name: 'revoked_at', nullable: true }) revokedAt: Date | null;

  isLive(now: Date): boolean {
    return this.revokedAt === null && (this.expiresAt === null || this.expiresAt > now);
  }
}
