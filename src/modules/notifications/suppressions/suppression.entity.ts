import { Column, Entity, PrimaryColumn } from 'typeorm';
import { Audited } from '../../../platform/database/audited.js';
import { Impersonal, Personal } from '../../../platform/database/table-declarations.js';
import { Unaudited } from '../../../platform/database/unaudited.js';
import { conflict } from '../../../platform/errors/app-error.js';
import { extensible, named } from '../../../platform/http/named-values.js';

export const SUPPRESSION_SCOPES = named('SuppressionScope', ['all', 'marketing']);
export type SuppressionScope = (typeof SUPPRESSION_SCOPES)[number];

export const SUPPRESSION_REASONS = extensible('SuppressionReason', [
  'hard_bounce',
  'complaint',
  'unsubscribed',
  'manual',
  'erasure',
]);
export type SuppressionReason = (typeof SUPPRESSION_REASONS)[number];

/** An address that gets no mail, or no marketing mail, until the suppression is lifted. */
@Entity('message_suppressions')
export class Suppression extends Audited {
  @PrimaryColumn('text') id: string;
  /** In lower case; null after an erasure. */
  @Personal('proof')
  @Unaudited('personal data that no reversal restores')
  @Column('text', { nullable: true })
  address: string | null;
  /** Authentication code of the address after an erasure, in hexadecimal digits. */
  @Personal('proof')
  @Unaudited('identifies an erased address')
  @Column('text', { name: 'address_code', nullable: true })
  addressCode: string | null;
  @Column('text') scope: SuppressionScope;
  @Impersonal()
  @Column('text')
  reason: SuppressionReason;
  /** The message that caused it. */
  @Column('text', { name: 'message_id', nullable: true }) messageId: string | null;
  /** The user who added it, or `system`. */
  @Column('text', { name: 'created_by' }) createdBy: string;
  @Column('timestamptz', { name: 'lifted_at', nullable: true }) liftedAt: Date | null;
  @Column('text', { name: 'lifted_by', nullable: true }) liftedBy: string | null;
  @Personal('proof')
  @Column('text', { name: 'lift_reason', nullable: true })
  liftReason: string | null;
  @Column('integer') version: number;
  @Column('timestamptz', { name: 'created_at' }) createdAt: Date;
  @Column('timestamptz', { name: 'updated_at' }) updatedAt: Date;

  /** Throws 409 if it is already lifted. */
  lift(by: string, reason: string, now: Date): void {
    if (this.liftedAt !== null) throw conflict('suppression_lifted', 'The suppression is already lifted');
    Object.assign(this, { liftedAt: now, liftedBy: by, liftReason: reason, updatedAt: now });
  }

  /** The lifting is reversed. */
  restore(now: Date): void {
    Object.assign(this, { liftedAt: null, liftedBy: null, liftReason: null, updatedAt: now });
  }

  /** Replaces the address by its code. */
  eraseAddress(addressCode: string, now: Date): void {
    Object.assign(this, { address: null, addressCode, liftReason: null, updatedAt: now });
  }
}
