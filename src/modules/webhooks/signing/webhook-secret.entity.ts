import { Column, Entity, PrimaryColumn } from 'typeorm';
import { DELETE, Impersonal, Rights } from '../../../platform/database/table-declarations.js';
import { Unaudited } from '../../../platform/database/unaudited.js';
import type { SignatureType } from './webhook-signatures.js';

/** A secret that signs the deliveries of an endpoint. Its bytes are sealed. */
@Entity('webhook_secrets')
@Rights(DELETE)
@Unaudited('a secret; the entries of its endpoint record it')
export class WebhookSecret {
  @PrimaryColumn('text') id: string;
  @Column('text', { name: 'endpoint_id' }) endpointId: string;
  @Column('text', { name: 'signature_type' }) signatureType: SignatureType;
  @Impersonal()
  @Column('bytea')
  sealed: Buffer;
  @Column('text', { name: 'public_key', nullable: true })
  publicKey: string | null;
  /** The end of the overlap with the next secret; null: no next secret exists. */
  @Column('timestamptz', { name: 'ends_at', nullable: true }) endsAt: Date | null;
  @Column('timestamptz', { name: 'created_at' }) createdAt: Date;

  isLive(now: Date): boolean {
    return this.endsAt === null || this.endsAt > now;
  }
}
