import { Column, Entity, PrimaryColumn } from 'typeorm';
import { Impersonal } from '../../../platform/database/table-declarations.js';
import { Unaudited } from '../../../platform/database/unaudited.js';

/** The machine account of an operator. It is revoked, never deleted. */
@Entity('oauth_clients')
@Unaudited('its service records the members without secrets')
export class OAuthClient {
  @PrimaryColumn('text') id: string;
  @Column('text', { name: 'operator_id' }) operatorId: string;
  /** Public ID, sent as `client_id` to the token endpoint. */
  @Column('text', { name: 'client_id' }) clientId: string;
  @Impersonal()
  @Column('text', { nullable: true })
  name: string | null;
  @Column('text', { array: true }) scopes: string[];
  /** The client that created this one, which is revoked with it. */
  @Impersonal()
  @Column('text', { name: 'parent_client', nullable: true })
  parentClient: string | null;
  /** The platform key that created this one. */
  @Column('text', { name: 'parent_key', nullable: true }) parentKey: string | null;
  @Column('text', { name: 'grant_id', nullable: true }) grantId: string | null;
  @Column('timestamptz', { name: 'expires_at', nullable: true }) expiresAt: Date | null;
  @Column('boolean') active: boolean;
  @Column('timestamptz', { name: 'created_at' }) createdAt: Date;
  @Column('timestamptz', { name: 'revoked_at', nullable: true }) revokedAt: Date | null;
  @Column('text', { name: 'revoked_by', nullable: true }) revokedBy: string | null;

  revoke(actorId: string, now: Date): void {
    this.active = false;
    this.revokedAt = now;
    this.revokedBy = actorId;
  }
}
