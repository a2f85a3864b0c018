import { Column, Entity, PrimaryColumn } from 'typeorm';
import { Unaudited } from '../../../platform/database/unaudited.js';
import { safeInteger } from '../../../platform/database/columns.js';

/** A stored message of a channel. */
@Entity('realtime_messages')
@Unaudited('messages of other systems, which the ledger does not record')
export class RealtimeMessage {
  @PrimaryColumn('bigint', { name: 'channel_id', transformer: safeInteger }) channelId: number;
  @PrimaryColumn('bigint', { transformer: safeInteger }) seq: number;
  @Column('text') id: string;
  @Column('text') event: string;
  @Column('json') data: unknown;
  @Column('timestamptz', { name: 'published_at' }) publishedAt: Date;
  /** Null for messages that were stored before publishers were recorded. */
  @Column('text', { name: 'published_by', nullable: true }) publishedBy: string | null;
}
