import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { CredentialKind } from '../../../platform/ids/credentials.js';
import { DELETE, Impersonal, Rights } from '../../../platform/database/table-declarations.js';
import { Unaudited } from '../../../platform/database/unaudited.js';

/** A token with which streams of some channels are opened. Its holder is the credential that created it, and ends it. */
@Rights(DELETE)
@Entity('realtime_subscriptions')
@Unaudited('a credential of ten minutes that reads less than the one that created it')
export class RealtimeSubscription {
  @PrimaryColumn('text', { name: 'public_id' }) publicId: string;
  @Column('bytea', { name: 'secret_hash' }) secretHash: Buffer;
  @Impersonal()
  @Column('text', { array: true })
  channels: string[];
  @Column('text', { name: 'holder_kind' }) holderKind: CredentialKind;
  @Column('text', { name: 'holder_id' }) holderId: string;
  @Column('timestamptz', { name: 'expires_at' }) expiresAt: Date;
}
