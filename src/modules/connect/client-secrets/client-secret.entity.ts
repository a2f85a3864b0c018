import { Column, Entity, PrimaryColumn } from 'typeorm';

/** How many a client may have at a time: the one that it is given, and the one that it still uses. */
export const MOST_LIVE = 2;

/** A secret of an OAuth client; only its SHA-256 is kept. It is ended, never deleted. */
@Entity('oauth_client_secrets')
export class ClientSecret {
  @PrimaryColumn('text') id: string;
  /** The row id of the client. */
  @Column('text') client: string;
  @Column('bytea') hash: Buffer;
  @Column('timestamptz', { name: 'created_at' }) createdAt: Date;
  /** When the overlap with its successor is over. */
  @Column('timestamptz', { name: 'expires_at', nullable: true }) expiresAt: Date | null;
  @Column('timestamptz', { name: 'revoked_at', nullable: true }) revokedAt: Date | null;

  isLive(now: Date): boolean {
    return this.revokedAt === null && (this.expiresAt === null || this.expiresAt > now);
  }
}
