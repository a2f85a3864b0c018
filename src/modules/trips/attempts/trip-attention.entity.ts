import { Column, Entity, PrimaryColumn } from 'typeorm';
import { Impersonal, Personal } from '../../../platform/database/table-declarations.js';
import { Audited } from '../../../platform/database/audited.js';
import { Unaudited } from '../../../platform/database/unaudited.js';
import { conflict } from '../../../platform/errors/app-error.js';
import { named } from '../../../platform/http/named-values.js';

/** Issues that staff must check at a provider. */
export const ATTENTION_CODES = named('TripAttentionCode', [
  'provider_outcome_unknown',
  'provider_order_live',
  'release_failed',
  'confirmation_refused',
  'confirmation_unknown',
  'cancellation_failed',
  'order_not_reinstated',
]);
export type AttentionCode = (typeof ATTENTION_CODES)[number];

/** Actions of staff that resolve an attention. */
export const STAFF_RESOLUTIONS = named('TripAttentionStaffResolution', [
  'confirmed_outside',
  'cancelled_outside',
  'replaced',
  'written_off',
]);
export type StaffResolution = (typeof STAFF_RESOLUTIONS)[number];

/** `settled` means by the provider's response, or because the order is no longer needed. */
export const RESOLUTIONS = named('TripAttentionResolution', ['settled', ...STAFF_RESOLUTIONS]);
export type Resolution = (typeof RESOLUTIONS)[number];

/**
 * An issue with an order at an external provider that the service cannot settle alone. A trip with an open attention is
 * flagged.
 */
@Entity('trip_attentions')
export class TripAttention extends Audited {
  @PrimaryColumn('text') id: string;
  @Column('text', { name: 'envelope_id' }) envelopeId: string;
  @Column('text', { name: 'component_id' }) componentId: string;
  @Column('text', { name: 'step_id' }) stepId: string;
  @Column('text') code: AttentionCode;
  @Column('timestamptz', { name: 'raised_at' }) raisedAt: Date;
  @Column('timestamptz', { name: 'resolved_at', nullable: true }) resolvedAt: Date | null;
  @Impersonal()
  @Column('text', { nullable: true })
  resolution: Resolution | null;
  @Personal('contact')
  @Unaudited('the reason of the entry')
  @Column('text', { nullable: true })
  note: string | null;
  @Column('integer') version: number;

  resolve(resolution: Resolution, note: string | null, now: Date): void {
    if (this.resolvedAt !== null) {
      const details = { resolution: this.resolution, resolvedAt: this.resolvedAt.toISOString() };
      throw conflict('attention_resolved', 'The attention was resolved already', details);
    }
    Object.assign(this, { resolvedAt: now, resolution, note });
  }
}
