import { Column, Entity, PrimaryColumn } from 'typeorm';
import { Audited } from '../../../platform/database/audited.js';
import { DELETE, Impersonal, Rights } from '../../../platform/database/table-declarations.js';
import { Unaudited } from '../../../platform/database/unaudited.js';
import { conflict } from '../../../platform/errors/app-error.js';
import { named } from '../../../platform/http/named-values.js';
import type { SignatureType } from '../signing/webhook-signatures.js';

export const ENDPOINT_STATUSES = named('WebhookEndpointStatus', ['active', 'disabled']);
export type EndpointStatus = (typeof ENDPOINT_STATUSES)[number];

/** `failing`: a delivery failed for 72 hours; `gone`: the receiver answered 410. */
export const DISABLED_REASONS = named('WebhookDisabledReason', ['failing', 'gone']);
export type DisabledReason = (typeof DISABLED_REASONS)[number];

export const OWNER_KINDS = named('WebhookOwnerKind', ['staff', 'operator']);
export type OwnerKind = (typeof OWNER_KINDS)[number];

/** To whom an endpoint belongs: it receives what its owner may read. */
export interface Owner {
  readonly ownerKind: OwnerKind;
  /** The user or the operator. */
  readonly ownerId: string;
}

export interface EndpointChanges {
  url?: string;
  description?: string | null;
  eventTypes?: string[];
}

/** The address of a receiver, and the events that it wants. */
@Entity('webhook_endpoints')
@Rights(DELETE)
export class WebhookEndpoint extends Audited implements Owner {
  @PrimaryColumn('text') id: string;
  @Column('text', { name: 'owner_kind' }) ownerKind: OwnerKind;
  @Column('text', { name: 'owner_id' }) ownerId: string;
  @Impersonal()
  @Unaudited('its path may contain a secret of the receiver')
  @Column('text')
  url: string;
  @Impersonal()
  @Column('text', { nullable: true })
  description: string | null;
  @Column('text', { name: 'event_types', array: true }) eventTypes: string[];
  @Column('text', { name: 'signature_type' }) signatureType: SignatureType;
  @Column('text') status: EndpointStatus;
  @Impersonal()
  @Column('text', { name: 'disabled_reason', nullable: true })
  disabledReason: DisabledReason | null;
  @Column('timestamptz', { name: 'disabled_at', nullable: true }) disabledAt: Date | null;
  @Column('integer') version: number;
  @Column('timestamptz', { name: 'created_at' }) createdAt: Date;
  @Column('timestamptz', { name: 'updated_at' }) updatedAt: Date;

  change(changes: EndpointChanges, now: Date): void {
    Object.assign(this, changes, { updatedAt: now });
  }

  activate(now: Date): void {
    if (this.status === 'active') {
      const details = { from: 'active', to: 'active', allowed: ['disabled'] };
      throw conflict('invalid_transition', 'The endpoint is already active', details);
    }
    Object.assign(this, { status: 'active', disabledReason: null, disabledAt: null, updatedAt: now });
  }

  disable(reason: DisabledReason, now: Date): void {
    Object.assign(this, { status: 'disabled', disabledReason: reason, disabledAt: now, updatedAt: now });
  }

  assertActive(): void {
    if (this.status === 'active') return;
    throw conflict('endpoint_disabled', 'The endpoint is disabled; activate it first');
  }
}
