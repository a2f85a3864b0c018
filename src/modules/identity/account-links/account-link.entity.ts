import { Column, Entity, PrimaryColumn } from 'typeorm';
import { DELETE, Rights } from '../../../platform/database/table-declarations.js';
import { Unaudited } from '../../../platform/database/unaudited.js';

export const LINK_PURPOSES = ['invitation', 'password_reset'] as const;
export type LinkPurpose = (typeof LINK_PURPOSES)[number];

/** A one-time link. Its token is derived from its id by a key, so the row contains no secret. */
@Rights(DELETE)
@Entity('account_links')
@Unaudited('a one-time link; security events record its use')
export class AccountLink {
  @PrimaryColumn('text') id: string;
  @Column('text') purpose: LinkPurpose;
  @Column('text', { name: 'invitation_id', nullable: true }) invitationId: string | null;
  @Column('text', { name: 'user_id', nullable: true }) userId: string | null;
  @Column('timestamptz', { name: 'created_at' }) createdAt: Date;
  @Column('timestamptz', { name: 'expires_at' }) expiresAt: Date;
  /** Time at which the link was used, replaced or revoked. */
  @Column('timestamptz', { name: 'ended_at', nullable: true }) endedAt: Date | null;
}
