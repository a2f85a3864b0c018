import { Column, Entity, PrimaryColumn } from 'typeorm';
import { DELETE, Personal, Rights } from '../../../platform/database/table-declarations.js';
import { Unaudited } from '../../../platform/database/unaudited.js';
import { safeInteger } from '../../../platform/database/columns.js';

/** A stored message of a channel. */
@Rights(DELETE)
@Entity('realtime_messages')
@Unaudited('messages of other systems, which the ledger does not record')
export class RealtimeMessage {
  @PrimaryColumn('bigint', { name: 'channel_id', transformer: safeInteger }) channelId: number;
  @PrimaryColumn('bigint', { transformer: safeInteger }) seq: number;
  @Column('text') id: string;
  @Column('text') event: string;
  @Personal('published')
  @Column('json')
  data: unknown;
  @Column('timestamptz', { name: 'published_at' }) publishedAt: Date;
  /** Null for messages that were stored before publishers were recorded. */
  @Column('text', { name: 'published_by', nullable: true }) publishedBy: string | null;
}
