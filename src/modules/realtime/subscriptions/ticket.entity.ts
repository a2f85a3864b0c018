import { Column, Entity, PrimaryColumn } from 'typeorm';
import { DELETE, Rights } from '../../../platform/database/table-declarations.js';
import { Unaudited } from '../../../platform/database/unaudited.js';

/** Opens one stream of a subscription and is deleted by it. */
@Rights(DELETE)
@Entity('realtime_tickets')
@Unaudited('a secret of a minute')
export class RealtimeTicket {
  @PrimaryColumn('text', { name: 'public_id' }) publicId: string;
  @Column('bytea', { name: 'secret_hash' }) secretHash: Buffer;
  @Column('text', { name: 'subscription_id' }) subscriptionId: string;
  @Column('timestamptz', { name: 'expires_at' }) expiresAt: Date;
}
