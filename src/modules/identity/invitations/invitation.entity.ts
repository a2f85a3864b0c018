import { Column, Entity, PrimaryColumn } from 'typeorm';
import { Personal } from '../../../platform/database/table-declarations.js';
import { Audited } from '../../../platform/database/audited.js';
import { Unaudited } from '../../../platform/database/unaudited.js';
import { conflict } from '../../../platform/errors/app-error.js';
import { named } from '../../../platform/http/named-values.js';
import type { Role } from '../users/role.js';

export const INVITATION_STATUSES = named('InvitationStatus', ['pending', 'expired', 'accepted', 'revoked']);
export type InvitationStatus = (typeof INVITATION_STATUSES)[number];

/** The offer to a person to become a member of staff. The user exists when the person has accepted it. */
@Entity('invitations')
export class Invitation extends Audited {
  @PrimaryColumn('text') id: string;
  @Personal('account')
  @Unaudited('personal data that no reversal restores')
  @Column('text')
  email: string;
  @Personal('account')
  @Column('text')
  name: string;
  @Column('text', { array: true }) roles: Role[];
  /** `expired` is not stored: it follows from the time. */
  @Column('text') status: Exclude<InvitationStatus, 'expired'>;
  /** The user who sent the newest link; null if the service did. */
  @Column('text', { name: 'invited_by', nullable: true }) invitedBy: string | null;
  /** The user created by the acceptance. */
  @Column('text', { name: 'user_id', nullable: true }) userId: string | null;
  /** End of the newest link. */
  @Column('timestamptz', { name: 'expires_at' }) expiresAt: Date;
  @Column('integer') version: number;
  @Column('timestamptz', { name: 'created_at' }) createdAt: Date;
  @Column('timestamptz', { name: 'updated_at' }) updatedAt: Date;

  statusAt(now: Date): InvitationStatus {
    return this.status === 'pending' && this.expiresAt <= now ? 'expired' : this.status;
  }

  assertOpen(): void {
    if (this.status === 'pending') return;
    throw conflict('invitation_closed', `The invitation was ${this.status}`, { status: this.status });
  }

  accept(userId: string, now: Date): void {
    Object.assign(this, { status: 'accepted', userId, updatedAt: now });
  }

  revoke(now: Date): void {
    Object.assign(this, { status: 'revoked', updatedAt: now });
  }

  renew(invitedBy: string | null, expiresAt: Date, now: Date): void {
    Object.assign(this, { invitedBy, expiresAt, updatedAt: now });
  }
}
