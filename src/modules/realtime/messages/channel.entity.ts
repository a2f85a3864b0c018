import { Column, Entity, PrimaryColumn } from 'typeorm';
import { DELETE, Impersonal, Rights } from '../../../platform/database/table-declarations.js';
import { Unaudited } from '../../../platform/database/unaudited.js';
import { safeInteger } from '../../../platform/database/columns.js';

/** A channel with its messages. Publishers lock its row, so that numbers, times and ids follow the order of the commits. */
@Rights(DELETE)
@Entity('realtime_channels')
@Unaudited('messages of other systems, which the ledger does not record')
export class RealtimeChannel {
  @PrimaryColumn('bigint', { transformer: safeInteger, default: () => "nextval('realtime_channel_ids')" }) id: number;
  @Impersonal()
  @Column('text')
  name: string;
  /** The number of the first message; the other numbers follow without gaps. */
  @Column('bigint', { name: 'first_seq', transformer: safeInteger, default: 1 }) firstSeq: number;
  /** Messages with lower numbers were deleted. */
  @Column('bigint', { name: 'oldest_seq', transformer: safeInteger, default: 1 }) oldestSeq: number;
  @Column('bigint', { name: 'last_seq', transformer: safeInteger }) lastSeq: number;
  @Column('timestamptz', { name: 'last_published_at' }) lastPublishedAt: Date;
  /** Publisher of the first message, against whose limit the channel counts; null for the service itself. */
  @Column('text', { name: 'created_by', nullable: true }) createdBy: string | null;
}
