import { named } from '../../../platform/http/named-values.js';
import { Column, Entity, PrimaryColumn } from 'typeorm';
import { Personal } from '../../../platform/database/table-declarations.js';
import type { Columns } from '../../../platform/database/rows.js';
import { Audited } from '../../../platform/database/audited.js';
import { conflict } from '../../../platform/errors/app-error.js';

export const CHANNEL_STATUSES = named('ChannelStatus', ['active', 'inactive', 'pending', 'archived']);
export type ChannelStatus = (typeof CHANNEL_STATUSES)[number];

const TRANSITIONS: Record<ChannelStatus, readonly ChannelStatus[]> = {
  pending: ['active', 'archived'],
  active: ['inactive', 'archived'],
  inactive: ['active', 'archived'],
  archived: ['inactive'],
};

export type ChannelChanges = Partial<
  Omit<Columns<Channel>, 'id' | 'systemKey' | 'version' | 'createdAt' | 'updatedAt'>
>;

/** A sales channel. The channel with a system key is the organization's own; only provisioning creates it. */
@Entity('channels')
export class Channel extends Audited {
  @PrimaryColumn('text') id: string;
  @Personal('partner')
  @Column('text')
  name: string;
  @Personal('partner')
  @Column('text', { nullable: true })
  description: string | null;
  @Column('text') kind: string;
  @Column('text') status: ChannelStatus;
  @Personal('partner')
  @Column('text', { nullable: true })
  website: string | null;
  @Personal('partner')
  @Column('text', { name: 'contact_name', nullable: true })
  contactName: string | null;
  @Personal('partner')
  @Column('text', { name: 'contact_email', nullable: true })
  contactEmail: string | null;
  @Personal('partner')
  @Column('jsonb', { nullable: true })
  metadata: Record<string, unknown> | null;
  @Column('text', { name: 'system_key', nullable: true }) systemKey: string | null;
  @Column('integer') version: number;
  @Column('timestamptz', { name: 'created_at' }) createdAt: Date;
  @Column('timestamptz', { name: 'updated_at' }) updatedAt: Date;

  change(changes: ChannelChanges, now: Date): void {
    const { kind = this.kind, status = this.status } = changes;
    const present = { kind: this.kind, status: this.status };
    if (this.systemKey !== null && (kind !== present.kind || status !== present.status)) {
      throw conflict('system_channel_protected', 'Kind and status of the direct channel cannot be changed', present);
    }
    const allowed = TRANSITIONS[this.status];
    if (status !== this.status && !allowed.includes(status)) {
      const details = { from: this.status, to: status, allowed };
      throw conflict('invalid_transition', `A channel cannot go from ${this.status} to ${status}`, details);
    }
    Object.assign(this, changes, { updatedAt: now });
  }

  /** Restores the values that a reversed change replaced, even a status to which no transition leads back. */
  restore(before: ChannelChanges, now: Date): void {
    Object.assign(this, before, { updatedAt: now });
  }
}
